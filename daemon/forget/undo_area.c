/* Removing entries of the undo area; see undo_area.h. */
#include "forget/undo_area.h"

#include "base/buf.h"
#include "base/hex.h"
#include "base/time.h"
#include "os/dirs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST_MAX ((off_t)64 << 20)

static bool is_removed_entry(const struct ccfc_undo_area_wish *wish,
			     struct ccfc_slice text)
{
	static const struct ccfc_slice path = CCFC_SLICE_LIT("path ");
	static const struct ccfc_slice time = CCFC_SLICE_LIT("time ");
	struct ccfc_buf value = CCFC_BUF_INIT;
	bool found = false;

	while (text.len && !found) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t n = end ? (size_t)(end - text.ptr) : text.len;
		struct ccfc_slice line = ccfc_slice(text.ptr, n);

		text = ccfc_slice_from(text, end ? n + 1 : n);
		if (line.len > path.len &&
		    !memcmp(line.ptr, path.ptr, path.len)) {
			ccfc_buf_clear(&value);
			ccfc_hex_unpercent(&value,
					   ccfc_slice_from(line, path.len));
			found = wish->goes(wish->ctx, ccfc_buf_view(&value));
		} else if (line.len > time.len &&
			   !memcmp(line.ptr, time.ptr, time.len)) {
			int64_t when = ccfc_time_parse(
				ccfc_slice_from(line, time.len));

			found = wish->before != CCFC_TIME_NONE &&
				when != CCFC_TIME_NONE && when < wish->before;
		}
	}
	ccfc_buf_release(&value);
	return found;
}

/* Reads the manifest of a finished entry; false: there is none. */
static bool read_manifest(struct ccfc_buf *out, int dir)
{
	static const char *const names[] = { "done", "undone" };
	struct stat st;
	int fd = -1;

	for (int i = 0; fd < 0 && i < 2; i++)
		fd = openat(dir, names[i],
			    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_size <= MANIFEST_MAX) {
		ssize_t n;

		ccfc_buf_clear(out);
		do {
			n = read(fd, ccfc_buf_reserve(out, 65536), 65536);
			out->len += n > 0 ? (size_t)n : 0;
		} while (n > 0 || (n < 0 && errno == EINTR));
	}
	close(fd);
	return true;
}

/* Removes an entry, or only checks (`dry`). False: the entry stays. */
static bool forget_entry(int area, const char *name,
			 const struct ccfc_undo_area_wish *wish,
			 struct ccfc_buf *text)
{
	int dir = openat(area, name,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return false;
	ccfc_buf_clear(text);
	if (!read_manifest(text, dir) ||
	    !is_removed_entry(wish, ccfc_buf_view(text))) {
		close(dir);
		return false;
	}
	if (wish->dry) {
		close(dir);
		return true;
	}
	/* The next command drops an entry without these files. */
	unlinkat(dir, "done", 0);
	unlinkat(dir, "undone", 0);
	ccfc_dirs_empty(dir);
	unlinkat(area, name, AT_REMOVEDIR);
	return true;
}

uint32_t ccfc_undo_area_forget(const char *state_dir,
			       const struct ccfc_undo_area_wish *wish)
{
	struct ccfc_buf path = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	const struct dirent *item;
	uint32_t n = 0;
	DIR *dir;

	ccfc_buf_printf(&path, "%s/undo", state_dir);
	dir = opendir(path.ptr);
	while (dir && (item = readdir(dir)))
		if (item->d_name[0] != '.')
			n += forget_entry(dirfd(dir), item->d_name, wish,
					  &text);
	if (dir)
		closedir(dir);
	ccfc_buf_release(&path);
	ccfc_buf_release(&text);
	return n;
}
