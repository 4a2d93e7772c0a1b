/*
 * The list of what was forgotten; see forgotten.h. One line each:
 *
 *	ccfc-forgotten 1
 *	session HASH
 *	source HASH
 *	backup HASH		of a session's id and a name
 *	file HASH TIME
 *	due			a removal is under way, and with it:
 *	below PATH
 *	before TIME
 *
 * A path is written with %XX for '%' and for what is not printable.
 */
#include "forget/forgotten.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hex.h"
#include "base/path.h"
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

#define NAME	  "forgotten"
#define MAGIC	  "ccfc-forgotten 1"
#define FILE_MAX  ((off_t)256 << 20)
#define KEY_BYTES 16u

enum kind { SESSION, SOURCE, BACKUP, FILE_PATH, DIR_PATH, KINDS };

static const char *const words[KINDS] = { "session", "source", "backup", "file",
					  "dir" };

struct key {
	unsigned char bytes[KEY_BYTES];
	int64_t until; /* of a file or a directory */
};

struct keys {
	struct key *items; /* sorted */
	uint32_t n, cap;
};

struct ccfc_forgotten {
	char *dir;
	struct keys keys[KINDS];
	struct {
		char **items;
		uint32_t n, cap;
	} below;
	int64_t before;
	int64_t seen; /* the latest `before` ever */
	bool due;
};

/* --- keys --- */

static struct key key_of(struct ccfc_slice text)
{
	unsigned char hash[CCFC_SHA256_BYTES];
	struct ccfc_sha256 sha;
	struct key key = { .until = INT64_MAX };

	ccfc_sha256_init(&sha);
	ccfc_sha256_add(&sha, text.ptr, text.len);
	ccfc_sha256_end(&sha, hash);
	memcpy(key.bytes, hash, KEY_BYTES);
	return key;
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, KEY_BYTES);
}

static struct key *find_key(const struct keys *keys, const struct key *key)
{
	if (!keys->n)
		return NULL;
	return bsearch(key, keys->items, keys->n, sizeof(*key), by_bytes);
}

static void add_key(struct keys *keys, const struct key *key)
{
	struct key *old = find_key(keys, key);

	if (old) {
		if (key->until > old->until)
			old->until = key->until;
		return;
	}
	CCFC_VEC_PUSH(*keys, *key);
	/* Few keys are added at a time, and the others are sorted. */
	for (uint32_t i = keys->n - 1; i; i--) {
		struct key swap = keys->items[i];

		if (by_bytes(&keys->items[i - 1], &swap) <= 0)
			break;
		keys->items[i] = keys->items[i - 1];
		keys->items[i - 1] = swap;
	}
}

static bool has_key(const struct ccfc_forgotten *list, enum kind kind,
		    struct ccfc_slice text, int64_t time)
{
	const struct key *found;
	struct key key;

	if (!list || !text.len || !list->keys[kind].n)
		return false;
	key = key_of(text);
	found = find_key(&list->keys[kind], &key);
	return found && (time == CCFC_TIME_NONE || time <= found->until);
}

/* --- what it has --- */

bool ccfc_forgotten_any(const struct ccfc_forgotten *list)
{
	return list && (list->keys[SESSION].n || list->keys[SOURCE].n ||
			list->keys[FILE_PATH].n);
}

bool ccfc_forgotten_session(const struct ccfc_forgotten *list,
			    struct ccfc_slice id)
{
	return has_key(list, SESSION, id, CCFC_TIME_NONE);
}

bool ccfc_forgotten_source(const struct ccfc_forgotten *list,
			   struct ccfc_slice path)
{
	return has_key(list, SOURCE, path, CCFC_TIME_NONE);
}

/* The names of backups and of files are told apart by what is between. */
static struct key backup_key(struct ccfc_slice session, char between,
			     struct ccfc_slice name)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct key key;

	ccfc_buf_slice(&text, session);
	ccfc_buf_putc(&text, between);
	ccfc_buf_slice(&text, name);
	key = key_of(ccfc_buf_view(&text));
	ccfc_buf_release(&text);
	return key;
}

static bool has_backup(const struct ccfc_forgotten *list,
		       struct ccfc_slice session, char between,
		       struct ccfc_slice name)
{
	struct key key;

	if (!list || !name.len || !list->keys[BACKUP].n)
		return false;
	key = backup_key(session, between, name);
	return find_key(&list->keys[BACKUP], &key) != NULL;
}

bool ccfc_forgotten_backup(const struct ccfc_forgotten *list,
			   struct ccfc_slice session, struct ccfc_slice name)
{
	return has_backup(list, session, '/', name);
}

bool ccfc_forgotten_tracked(const struct ccfc_forgotten *list,
			    struct ccfc_slice session, struct ccfc_slice path)
{
	return has_backup(list, session, ':', path);
}

bool ccfc_forgotten_file(const struct ccfc_forgotten *list,
			 struct ccfc_slice path, int64_t time)
{
	return has_key(list, FILE_PATH, path, time);
}

bool ccfc_forgotten_seen(const struct ccfc_forgotten *list,
			 struct ccfc_slice path, int64_t time)
{
	if (!list)
		return false;
	if (list->seen != CCFC_TIME_NONE && time < list->seen)
		return true;
	if (ccfc_forgotten_file(list, path, time))
		return true;
	for (; path.len && list->keys[DIR_PATH].n; path.len--)
		if ((path.len == 1 || path.ptr[path.len - 1] != '/') &&
		    has_key(list, DIR_PATH, path, time))
			return true;
	return false;
}

bool ccfc_forgotten_files(const struct ccfc_forgotten *list)
{
	return list && list->keys[FILE_PATH].n;
}

bool ccfc_forgotten_due(const struct ccfc_forgotten *list)
{
	return list && list->due;
}

bool ccfc_forgotten_below(const struct ccfc_forgotten *list,
			  struct ccfc_slice path)
{
	for (uint32_t i = 0; i < list->below.n; i++)
		if (ccfc_path_is_below(path,
				       ccfc_slice_str(list->below.items[i])))
			return true;
	return false;
}

int64_t ccfc_forgotten_before(const struct ccfc_forgotten *list)
{
	return list->before;
}

/* --- adding --- */

void ccfc_forgotten_add_session(struct ccfc_forgotten *list,
				struct ccfc_slice id)
{
	struct key key = key_of(id);

	add_key(&list->keys[SESSION], &key);
}

void ccfc_forgotten_add_source(struct ccfc_forgotten *list,
			       struct ccfc_slice path)
{
	struct key key = key_of(path);

	add_key(&list->keys[SOURCE], &key);
}

void ccfc_forgotten_add_backup(struct ccfc_forgotten *list,
			       struct ccfc_slice session,
			       struct ccfc_slice name, struct ccfc_slice path)
{
	struct key tracked = backup_key(session, ':', path);
	struct key backup = backup_key(session, '/', name);

	add_key(&list->keys[BACKUP], &tracked);
	if (name.len)
		add_key(&list->keys[BACKUP], &backup);
}

void ccfc_forgotten_add_file(struct ccfc_forgotten *list,
			     struct ccfc_slice path, int64_t until)
{
	struct key key = key_of(path);

	key.until = until;
	add_key(&list->keys[FILE_PATH], &key);
}

static void push_below(struct ccfc_forgotten *list, struct ccfc_slice dir)
{
	CCFC_VEC_PUSH(list->below, ccfc_strndup(dir.ptr, dir.len));
}

void ccfc_forgotten_add_below(struct ccfc_forgotten *list,
			      struct ccfc_slice dir, int64_t until)
{
	struct key key = key_of(dir);

	key.until = until;
	add_key(&list->keys[DIR_PATH], &key);
	push_below(list, dir);
}

/* CCFC_TIME_NONE is before all others. */
static void set_seen(struct ccfc_forgotten *list, int64_t time)
{
	if (list->seen == CCFC_TIME_NONE || time > list->seen)
		list->seen = time;
}

void ccfc_forgotten_set_before(struct ccfc_forgotten *list, int64_t time)
{
	list->before = time;
	set_seen(list, time);
}

/* --- the file --- */

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

/* In place. */
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

static bool read_key(struct keys *keys, const char *text)
{
	struct key key = { .until = INT64_MAX };

	if (!ccfc_hex_read(key.bytes, text, KEY_BYTES))
		return false;
	text += 2 * KEY_BYTES;
	if (*text == ' ')
		key.until = strtoll(text + 1, NULL, 10);
	else if (*text)
		return false;
	add_key(keys, &key);
	return true;
}

static bool read_line(struct ccfc_forgotten *list, char *line)
{
	char *value = strchr(line, ' ');

	if (!strcmp(line, "due"))
		return list->due = true;
	if (!value)
		return false;
	*value++ = '\0';
	for (int i = 0; i < KINDS; i++)
		if (!strcmp(line, words[i]))
			return read_key(&list->keys[i], value);
	if (!strcmp(line, "before")) {
		list->before = strtoll(value, NULL, 10);
		return true;
	}
	if (!strcmp(line, "seen")) {
		set_seen(list, strtoll(value, NULL, 10));
		return true;
	}
	if (strcmp(line, "below") != 0 || !read_path(value))
		return false;
	push_below(list, ccfc_slice_str(value));
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

int ccfc_forgotten_new(struct ccfc_forgotten **out, const char *state_dir,
		       struct ccfc_err *err)
{
	struct ccfc_forgotten *list = ccfc_calloc(1, sizeof(*list));
	struct ccfc_buf path = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	int r;

	list->dir = ccfc_strdup(state_dir);
	list->before = list->seen = CCFC_TIME_NONE;
	ccfc_buf_printf(&path, "%s/" NAME, state_dir);
	r = read_file(&text, path.ptr, err);
	if (!r && text.len) {
		ccfc_buf_putc(&text, '\0');
		read_lines(list, text.ptr);
	}
	/* Removes a list whose writing was interrupted. */
	ccfc_buf_puts(&path, ".new");
	unlink(path.ptr);
	ccfc_buf_release(&path);
	ccfc_buf_release(&text);
	if (r) {
		ccfc_forgotten_free(list);
		return r;
	}
	*out = list;
	return 0;
}

void ccfc_forgotten_free(struct ccfc_forgotten *list)
{
	if (!list)
		return;
	for (int i = 0; i < KINDS; i++)
		free(list->keys[i].items);
	for (uint32_t i = 0; i < list->below.n; i++)
		free(list->below.items[i]);
	free(list->below.items);
	free(list->dir);
	free(list);
}

struct ccfc_forgotten *ccfc_forgotten_copy(const struct ccfc_forgotten *list)
{
	struct ccfc_forgotten *copy = ccfc_calloc(1, sizeof(*copy));

	copy->dir = ccfc_strdup(list->dir);
	copy->before = list->before;
	copy->seen = list->seen;
	copy->due = list->due;
	for (int i = 0; i < KINDS; i++)
		for (uint32_t k = 0; k < list->keys[i].n; k++)
			CCFC_VEC_PUSH(copy->keys[i], list->keys[i].items[k]);
	for (uint32_t i = 0; i < list->below.n; i++)
		push_below(copy, ccfc_slice_str(list->below.items[i]));
	return copy;
}

/* --- writing --- */

static void put_keys(struct ccfc_buf *out, const struct ccfc_forgotten *list,
		     enum kind kind)
{
	for (uint32_t i = 0; i < list->keys[kind].n; i++) {
		const struct key *key = &list->keys[kind].items[i];

		ccfc_buf_printf(out, "%s ", words[kind]);
		for (size_t k = 0; k < KEY_BYTES; k++)
			ccfc_buf_printf(out, "%02x", key->bytes[k]);
		if (kind == FILE_PATH || kind == DIR_PATH)
			ccfc_buf_printf(out, " %lld", (long long)key->until);
		ccfc_buf_putc(out, '\n');
	}
}

static void put_list(struct ccfc_buf *out, const struct ccfc_forgotten *list)
{
	ccfc_buf_puts(out, MAGIC "\n");
	for (int i = 0; i < KINDS; i++)
		put_keys(out, list, (enum kind)i);
	if (list->seen != CCFC_TIME_NONE)
		ccfc_buf_printf(out, "seen %lld\n", (long long)list->seen);
	if (!list->due)
		return;
	ccfc_buf_puts(out, "due\n");
	for (uint32_t i = 0; i < list->below.n; i++) {
		ccfc_buf_puts(out, "below ");
		put_path(out, list->below.items[i]);
		ccfc_buf_putc(out, '\n');
	}
	if (list->before != CCFC_TIME_NONE)
		ccfc_buf_printf(out, "before %lld\n", (long long)list->before);
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
	struct ccfc_buf path = CCFC_BUF_INIT, fresh = CCFC_BUF_INIT;
	struct ccfc_buf text = CCFC_BUF_INIT;
	int r;

	list->due = due;
	if (!due) {
		while (list->below.n)
			free(list->below.items[--list->below.n]);
		list->before = CCFC_TIME_NONE;
	}
	put_list(&text, list);
	ccfc_buf_printf(&path, "%s/" NAME, list->dir);
	ccfc_buf_printf(&fresh, "%s.new", path.ptr);
	r = replace_file(list->dir, path.ptr, fresh.ptr, ccfc_buf_view(&text),
			 err);
	ccfc_buf_release(&path);
	ccfc_buf_release(&fresh);
	ccfc_buf_release(&text);
	return r;
}
