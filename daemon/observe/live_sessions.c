/*
 * The notes of running clients; see live_sessions.h. Other files of the
 * directory (keys among them) are not opened.
 */
#include "observe/live_sessions.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/path.h"
#include "os/process_life.h"
#include "transcript/json/json.h"
#include "transcript/json/unescape.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE_MAX ((size_t)64 << 10)
#define ID_MAX	 128u
/* A process begins before it writes its note. The clocks may differ by this. */
#define SLACK_MS 5000

enum field { PID, SESSION, CWD, STARTED, FIELDS };
static const char *const names[FIELDS] = { "pid", "sessionId", "cwd",
					   "startedAt" };

/* The number of "<pid>.json"; 0: it is another name. */
static long pid_of(const char *name)
{
	char *end;
	long pid;

	if (name[0] < '1' || name[0] > '9')
		return 0;
	errno = 0;
	pid = strtol(name, &end, 10);
	return errno || strcmp(end, ".json") != 0 || pid > INT_MAX ? 0 : pid;
}

static bool read_note(struct ccfc_buf *out, int dir, const char *name)
{
	int fd = openat(dir, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	ccfc_buf_clear(out);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_size < (off_t)NOTE_MAX)
		n = read(fd, ccfc_buf_reserve(out, NOTE_MAX), NOTE_MAX - 1);
	close(fd);
	if (n <= 0)
		return false;
	out->len = (size_t)n;
	memset(ccfc_buf_reserve(out, CCFC_JSON_PADDING), 0, CCFC_JSON_PADDING);
	return true;
}

static uint64_t number_of(const struct ccfc_json *json, uint32_t tok)
{
	struct ccfc_slice text = ccfc_json_string(json, tok);
	uint64_t v = 0;

	if (!tok)
		return 0;
	if (!text.ptr)
		return (uint64_t)ccfc_json_int(json, tok);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9' || i > 17)
			return 0;
		v = v * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	return v;
}

/*
 * Is the process with this number the one that wrote the note? If another
 * process has the number now, it began after the note was written. (The note's
 * field `procStart` says the same, but is not documented.)
 */
static bool is_its_writer(long pid, int64_t started)
{
	struct ccfc_process_start start;

	if (!ccfc_process_started(&start, pid))
		return false;
	return !start.time || !started || start.time <= started + SLACK_MS;
}

/* A string of the note, which the caller frees; NULL: missing or invalid. */
static char *text_of(const struct ccfc_json *json, uint32_t tok, size_t max)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_slice text = CCFC_SLICE_NONE;
	char *copy;

	if (tok)
		text = ccfc_unescape_name(&arena, ccfc_json_string(json, tok),
					  max);
	copy = text.len ? ccfc_strndup(text.ptr, text.len) : NULL;
	ccfc_arena_release(&arena);
	return copy;
}

static char *normal_path(char *path)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	bool good = path && path[0] == '/' &&
		    ccfc_path_normalise(&out, ccfc_slice_str(path),
					CCFC_SLICE_NONE, CCFC_SLICE_NONE);

	free(path);
	return good ? ccfc_buf_detach(&out, NULL) : NULL;
}

static void read_live_note(struct ccfc_live_sessions *out,
			   struct ccfc_json *json, const struct ccfc_buf *note,
			   long pid)
{
	struct ccfc_live_session live = { .pid = pid };
	struct ccfc_json_keys keys;
	uint32_t toks[FIELDS];

	if (!ccfc_json_parse(json, ccfc_buf_view(note)))
		return;
	ccfc_json_keys_init(&keys, names, FIELDS);
	ccfc_json_root_fields(json, &keys, toks);
	if (!is_its_writer(pid, (int64_t)number_of(json, toks[STARTED])))
		return;
	live.id = text_of(json, toks[SESSION], ID_MAX);
	live.cwd = normal_path(text_of(json, toks[CWD], PATH_MAX - 1));
	if (live.id && live.cwd) {
		CCFC_VEC_PUSH(*out, live);
		return;
	}
	free(live.id);
	free(live.cwd);
}

static int by_pid(const void *a, const void *b)
{
	const struct ccfc_live_session *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void ccfc_live_read(struct ccfc_live_sessions *out, const char *root)
{
	struct ccfc_buf note = CCFC_BUF_INIT;
	struct ccfc_json json;
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir = NULL;

	if (snprintf(path, sizeof(path), "%s/sessions", root) <
	    (int)sizeof(path))
		dir = opendir(path);
	if (!dir)
		return;
	ccfc_json_init(&json);
	while ((entry = readdir(dir)) && out->n < CCFC_LIVE_MAX) {
		long pid = pid_of(entry->d_name);

		if (pid && read_note(&note, dirfd(dir), entry->d_name))
			read_live_note(out, &json, &note, pid);
	}
	closedir(dir);
	ccfc_json_release(&json);
	ccfc_buf_release(&note);
	if (out->n)
		qsort(out->items, out->n, sizeof(*out->items), by_pid);
}

void ccfc_live_release(struct ccfc_live_sessions *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		free(list->items[i].id);
		free(list->items[i].cwd);
	}
	free(list->items);
	*list = (struct ccfc_live_sessions){ 0 };
}
