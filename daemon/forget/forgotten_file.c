/*
 * The list of forgotten items, on disk; see forgotten.h. Its lines:
 *
 *	ccfc-forgotten 1
 *	session HASH
 *	source HASH
 *	backup HASH		of a session's id and a name
 *	file HASH TIME
 *	dir HASH TIME
 *	seen TIME		the latest `before` of all removals
 *	due			a removal is under way, with these lines:
 *	below PATH
 *	before TIME
 *	end SHA-256		of all lines above
 *
 * There are two files, <state>/forgotten and <state>/forgotten.copy: a flipped
 * bit in a hash would bring back a forgotten item, and nobody would know. The
 * copy is used when the first file is damaged. Both are written again when one
 * is damaged or they differ.
 *
 * A path is written with %XX for '%' and for bytes outside printable ASCII.
 */
#include "forget/forgotten_internal.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "base/time.h"
#include "os/log.h"
#include "os/whole_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME	 "forgotten"
#define COPY	 NAME ".copy"
#define MAGIC	 "ccfc-forgotten 1"
#define END	 "end "
#define END_LEN	 (strlen(END) + CCFC_SHA256_HEX + 1)
#define FILE_MAX ((off_t)256 << 20)

static const char *const words[CCFC_FORGOTTEN_KINDS] = { "session", "source",
							 "backup", "file",
							 "dir" };

/* --- reading --- */

static void put_path(struct ccfc_buf *out, const char *path)
{
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (c <= 0x20 || c >= 0x7f || c == '%')
			ccfc_buf_printf(out, "%%%02X", c);
		else
			ccfc_buf_putc(out, (char)c);
	}
}

/* Decodes a path in place. */
static bool read_path(char *text)
{
	char *to = text;

	for (; *text; text++) {
		unsigned char byte;

		if (*text != '%') {
			*to++ = *text;
			continue;
		}
		if (!ccfc_hex_read(&byte, text + 1, 1))
			return false;
		*to++ = (char)byte;
		text += 2;
	}
	*to = '\0';
	return true;
}

static bool read_key(struct ccfc_forgotten_keys *keys, const char *text)
{
	struct ccfc_forgotten_key key = { .until = INT64_MAX };

	if (!ccfc_hex_read(key.bytes, text, CCFC_FORGOTTEN_KEY_BYTES))
		return false;
	text += 2 * CCFC_FORGOTTEN_KEY_BYTES;
	if (*text == ' ')
		key.until = strtoll(text + 1, NULL, 10);
	else if (*text)
		return false;
	ccfc_forgotten_add_key(keys, &key);
	return true;
}

static bool read_line(struct ccfc_forgotten *list, char *line)
{
	char *value = strchr(line, ' ');

	if (!strcmp(line, "due"))
		return list->due = true;
	if (!strncmp(line, END, strlen(END)))
		return true;
	if (!value)
		return false;
	*value++ = '\0';
	for (int i = 0; i < CCFC_FORGOTTEN_KINDS; i++)
		if (!strcmp(line, words[i]))
			return read_key(&list->keys[i], value);
	if (!strcmp(line, "before")) {
		list->before = strtoll(value, NULL, 10);
		return true;
	}
	if (!strcmp(line, "seen")) {
		ccfc_forgotten_set_seen(list, strtoll(value, NULL, 10));
		return true;
	}
	if (strcmp(line, "below") != 0 || !read_path(value))
		return false;
	ccfc_forgotten_push_below(list, ccfc_slice_str(value));
	return true;
}

static void read_lines(struct ccfc_forgotten *list, char *text)
{
	uint32_t bad = 0;
	char *save = NULL;
	char *line = strtok_r(text, "\n", &save);

	if (!line || strcmp(line, MAGIC) != 0)
		bad++;
	for (; line; line = strtok_r(NULL, "\n", &save))
		bad += strcmp(line, MAGIC) != 0 && !read_line(list, line);
	if (bad)
		ccfc_log(CCFC_LOG_ERROR,
			 "%s/" NAME ": %u lines cannot be read; what they "
			 "name may be read again",
			 list->dir, bad);
}

static int read_file(struct ccfc_buf *out, const char *path,
		     struct ccfc_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	int r = 0;

	if (fd < 0)
		return errno == ENOENT ? 0
				       : ccfc_err_io(err, errno, "%s", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		r = ccfc_err_set(err, CCFC_EIO, "%s: is not a list of ccfc",
				 path);
	if (!r && ccfc_read_bytes(out, fd, (size_t)st.st_size))
		r = ccfc_err_io(err, errno ? errno : EIO, "%s", path);
	close(fd);
	return r;
}

static bool has_valid_end(const struct ccfc_buf *text)
{
	char hex[CCFC_SHA256_HEX + 1];
	size_t len = text->len - END_LEN;

	if (text->len <= END_LEN || memcmp(text->ptr + len, END, strlen(END)))
		return false;
	ccfc_sha256_hex(hex, ccfc_slice(text->ptr, len));
	return !memcmp(text->ptr + len + strlen(END), hex, CCFC_SHA256_HEX) &&
	       text->ptr[text->len - 1] == '\n';
}

/* Reads the bytes of the two files; a missing file is empty. */
static int read_both(struct ccfc_buf *text, struct ccfc_buf *copy,
		     const char *dir, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r;

	ccfc_buf_printf(&path, "%s/" NAME, dir);
	r = read_file(text, path.ptr, err);
	ccfc_buf_clear(&path);
	ccfc_buf_printf(&path, "%s/" COPY, dir);
	if (!r)
		r = read_file(copy, path.ptr, err);
	ccfc_buf_release(&path);
	return r;
}

/* Reads the lines; cuts `text` up. */
static void read_list_text(struct ccfc_forgotten *list, struct ccfc_buf *text)
{
	if (!text->len)
		return;
	ccfc_buf_putc(text, '\0');
	read_lines(list, text->ptr);
}

/* Reads the undamaged file; if both are damaged, the valid lines of both. */
static void read_better_copy(struct ccfc_forgotten *list, struct ccfc_buf *text,
			     struct ccfc_buf *copy)
{
	bool whole = has_valid_end(text), spare = has_valid_end(copy);
	bool same = ccfc_slice_eq(ccfc_buf_view(text), ccfc_buf_view(copy));
	struct ccfc_err err;

	if (!whole && spare)
		ccfc_log(CCFC_LOG_ERROR,
			 "%s/" NAME ": is missing or damaged; its copy is used",
			 list->dir);
	if (whole || !spare)
		read_list_text(list, text);
	if (!whole)
		read_list_text(list, copy);
	if ((!whole || !same) && (text->len || copy->len) &&
	    ccfc_forgotten_save(list, list->due, &err))
		ccfc_log(CCFC_LOG_ERROR, "%s", err.what);
}

/* Removes lists whose writing was interrupted. */
static void remove_unfinished(const char *dir)
{
	static const char *const names[] = { NAME ".new", COPY ".new" };
	struct ccfc_buf path = CCFC_BUF_INIT;

	for (int i = 0; i < 2; i++) {
		ccfc_buf_clear(&path);
		ccfc_buf_printf(&path, "%s/%s", dir, names[i]);
		unlink(path.ptr);
	}
	ccfc_buf_release(&path);
}

int ccfc_forgotten_new(struct ccfc_forgotten **out, const char *state_dir,
		       struct ccfc_err *err)
{
	struct ccfc_forgotten *list = ccfc_calloc(1, sizeof(*list));
	struct ccfc_buf text = CCFC_BUF_INIT, copy = CCFC_BUF_INIT;
	int r;

	list->dir = ccfc_strdup(state_dir);
	list->before = list->seen = CCFC_TIME_NONE;
	remove_unfinished(state_dir);
	r = read_both(&text, &copy, state_dir, err);
	if (!r)
		read_better_copy(list, &text, &copy);
	ccfc_buf_release(&text);
	ccfc_buf_release(&copy);
	if (r) {
		ccfc_forgotten_free(list);
		return r;
	}
	*out = list;
	return 0;
}

bool ccfc_forgotten_is_whole(const char *state_dir)
{
	struct ccfc_buf text = CCFC_BUF_INIT, copy = CCFC_BUF_INIT;
	bool whole = !read_both(&text, &copy, state_dir, NULL) &&
		     ((!text.len && !copy.len) ||
		      (has_valid_end(&text) && has_valid_end(&copy)));

	ccfc_buf_release(&text);
	ccfc_buf_release(&copy);
	return whole;
}

/* --- writing --- */

static void put_keys(struct ccfc_buf *out, const struct ccfc_forgotten *list,
		     enum ccfc_forgotten_kind kind)
{
	for (uint32_t i = 0; i < list->keys[kind].n; i++) {
		const struct ccfc_forgotten_key *key =
			&list->keys[kind].items[i];

		ccfc_buf_printf(out, "%s ", words[kind]);
		for (size_t k = 0; k < CCFC_FORGOTTEN_KEY_BYTES; k++)
			ccfc_buf_printf(out, "%02x", key->bytes[k]);
		if (kind == CCFC_FORGOTTEN_FILE || kind == CCFC_FORGOTTEN_DIR)
			ccfc_buf_printf(out, " %lld", (long long)key->until);
		ccfc_buf_putc(out, '\n');
	}
}

static void put_due(struct ccfc_buf *out, const struct ccfc_forgotten *list)
{
	ccfc_buf_puts(out, "due\n");
	for (uint32_t i = 0; i < list->below.n; i++) {
		ccfc_buf_puts(out, "below ");
		put_path(out, list->below.items[i]);
		ccfc_buf_putc(out, '\n');
	}
	if (list->before != CCFC_TIME_NONE)
		ccfc_buf_printf(out, "before %lld\n", (long long)list->before);
}

static void put_list(struct ccfc_buf *out, const struct ccfc_forgotten *list)
{
	char hex[CCFC_SHA256_HEX + 1];

	ccfc_buf_puts(out, MAGIC "\n");
	for (int i = 0; i < CCFC_FORGOTTEN_KINDS; i++)
		put_keys(out, list, (enum ccfc_forgotten_kind)i);
	if (list->seen != CCFC_TIME_NONE)
		ccfc_buf_printf(out, "seen %lld\n", (long long)list->seen);
	if (list->due)
		put_due(out, list);
	ccfc_sha256_hex(hex, ccfc_buf_view(out));
	ccfc_buf_printf(out, END "%s\n", hex);
}

static int replace_file(const char *dir, const char *path, const char *fresh,
			struct ccfc_slice text, struct ccfc_err *err)
{
	int fd = open(fresh,
		      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		      0600);
	bool good = fd >= 0 && !ccfc_write_all(fd, text) && !fsync(fd) &&
		    !rename(fresh, path);
	int r = good ? 0 : ccfc_err_io(err, errno, "%s: cannot write", path);

	if (fd >= 0)
		close(fd);
	fd = good ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (good && (fd < 0 || fsync(fd)))
		r = ccfc_err_io(err, errno, "%s: cannot write", path);
	if (fd >= 0)
		close(fd);
	return r;
}

int ccfc_forgotten_save(struct ccfc_forgotten *list, bool due,
			struct ccfc_err *err)
{
	static const char *const names[] = { NAME, COPY };
	struct ccfc_buf path = CCFC_BUF_INIT, fresh = CCFC_BUF_INIT;
	struct ccfc_buf text = CCFC_BUF_INIT;
	int r = 0;

	list->due = due;
	if (!due) {
		while (list->below.n)
			free(list->below.items[--list->below.n]);
		list->before = CCFC_TIME_NONE;
	}
	put_list(&text, list);
	for (int i = 0; i < 2 && !r; i++) {
		ccfc_buf_clear(&path);
		ccfc_buf_clear(&fresh);
		ccfc_buf_printf(&path, "%s/%s", list->dir, names[i]);
		ccfc_buf_printf(&fresh, "%s.new", path.ptr);
		r = replace_file(list->dir, path.ptr, fresh.ptr,
				 ccfc_buf_view(&text), err);
	}
	ccfc_buf_release(&path);
	ccfc_buf_release(&fresh);
	ccfc_buf_release(&text);
	return r;
}
