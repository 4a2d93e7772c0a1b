/* The list of forgotten items, in memory; see forgotten.h. */
#include "forget/forgotten_internal.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/time.h"

#include <stdlib.h>
#include <string.h>

/* --- keys --- */

static struct ccfc_forgotten_key key_of_text(struct ccfc_slice text)
{
	unsigned char hash[CCFC_SHA256_BYTES];
	struct ccfc_sha256 sha;
	struct ccfc_forgotten_key key = { .until = INT64_MAX };

	ccfc_sha256_init(&sha);
	ccfc_sha256_add(&sha, text.ptr, text.len);
	ccfc_sha256_end(&sha, hash);
	memcpy(key.bytes, hash, CCFC_FORGOTTEN_KEY_BYTES);
	return key;
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, CCFC_FORGOTTEN_KEY_BYTES);
}

static struct ccfc_forgotten_key *
find_key(const struct ccfc_forgotten_keys *keys,
	 const struct ccfc_forgotten_key *key)
{
	if (!keys->n)
		return NULL;
	return bsearch(key, keys->items, keys->n, sizeof(*key), by_bytes);
}

void ccfc_forgotten_add_key(struct ccfc_forgotten_keys *keys,
			    const struct ccfc_forgotten_key *key)
{
	struct ccfc_forgotten_key *old = find_key(keys, key);

	if (old) {
		if (key->until > old->until)
			old->until = key->until;
		return;
	}
	CCFC_VEC_PUSH(*keys, *key);
	/* Few keys are added at a time; the others are sorted already. */
	for (uint32_t i = keys->n - 1; i; i--) {
		struct ccfc_forgotten_key swap = keys->items[i];

		if (by_bytes(&keys->items[i - 1], &swap) <= 0)
			break;
		keys->items[i] = keys->items[i - 1];
		keys->items[i - 1] = swap;
	}
}

static bool has_key(const struct ccfc_forgotten *list,
		    enum ccfc_forgotten_kind kind, struct ccfc_slice text,
		    int64_t time)
{
	const struct ccfc_forgotten_key *found;
	struct ccfc_forgotten_key key;

	if (!list || !text.len || !list->keys[kind].n)
		return false;
	key = key_of_text(text);
	found = find_key(&list->keys[kind], &key);
	return found && (time == CCFC_TIME_NONE || time <= found->until);
}

/* --- queries --- */

bool ccfc_forgotten_any(const struct ccfc_forgotten *list)
{
	return list && (list->keys[CCFC_FORGOTTEN_SESSION].n ||
			list->keys[CCFC_FORGOTTEN_SOURCE].n ||
			list->keys[CCFC_FORGOTTEN_FILE].n);
}

bool ccfc_forgotten_session(const struct ccfc_forgotten *list,
			    struct ccfc_slice id)
{
	return has_key(list, CCFC_FORGOTTEN_SESSION, id, CCFC_TIME_NONE);
}

bool ccfc_forgotten_source(const struct ccfc_forgotten *list,
			   struct ccfc_slice path)
{
	return has_key(list, CCFC_FORGOTTEN_SOURCE, path, CCFC_TIME_NONE);
}

/* `between` is '/' for the name of a backup, ':' for the path of a file. */
static struct ccfc_forgotten_key
backup_key(struct ccfc_slice session, char between, struct ccfc_slice name)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_forgotten_key key;

	ccfc_buf_slice(&text, session);
	ccfc_buf_putc(&text, between);
	ccfc_buf_slice(&text, name);
	key = key_of_text(ccfc_buf_view(&text));
	ccfc_buf_release(&text);
	return key;
}

static bool has_backup(const struct ccfc_forgotten *list,
		       struct ccfc_slice session, char between,
		       struct ccfc_slice name)
{
	struct ccfc_forgotten_key key;

	if (!list || !name.len || !list->keys[CCFC_FORGOTTEN_BACKUP].n)
		return false;
	key = backup_key(session, between, name);
	return find_key(&list->keys[CCFC_FORGOTTEN_BACKUP], &key) != NULL;
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
	return has_key(list, CCFC_FORGOTTEN_FILE, path, time);
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
	for (; path.len && list->keys[CCFC_FORGOTTEN_DIR].n; path.len--)
		if ((path.len == 1 || path.ptr[path.len - 1] != '/') &&
		    has_key(list, CCFC_FORGOTTEN_DIR, path, time))
			return true;
	return false;
}

bool ccfc_forgotten_files(const struct ccfc_forgotten *list)
{
	return list && list->keys[CCFC_FORGOTTEN_FILE].n;
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
	struct ccfc_forgotten_key key = key_of_text(id);

	ccfc_forgotten_add_key(&list->keys[CCFC_FORGOTTEN_SESSION], &key);
}

void ccfc_forgotten_add_source(struct ccfc_forgotten *list,
			       struct ccfc_slice path)
{
	struct ccfc_forgotten_key key = key_of_text(path);

	ccfc_forgotten_add_key(&list->keys[CCFC_FORGOTTEN_SOURCE], &key);
}

void ccfc_forgotten_add_backup(struct ccfc_forgotten *list,
			       struct ccfc_slice session,
			       struct ccfc_slice name, struct ccfc_slice path)
{
	struct ccfc_forgotten_key tracked = backup_key(session, ':', path);
	struct ccfc_forgotten_key backup = backup_key(session, '/', name);

	ccfc_forgotten_add_key(&list->keys[CCFC_FORGOTTEN_BACKUP], &tracked);
	if (name.len)
		ccfc_forgotten_add_key(&list->keys[CCFC_FORGOTTEN_BACKUP],
				       &backup);
}

void ccfc_forgotten_add_file(struct ccfc_forgotten *list,
			     struct ccfc_slice path, int64_t until)
{
	struct ccfc_forgotten_key key = key_of_text(path);

	key.until = until;
	ccfc_forgotten_add_key(&list->keys[CCFC_FORGOTTEN_FILE], &key);
}

void ccfc_forgotten_push_below(struct ccfc_forgotten *list,
			       struct ccfc_slice dir)
{
	CCFC_VEC_PUSH(list->below, ccfc_strndup(dir.ptr, dir.len));
}

void ccfc_forgotten_add_below(struct ccfc_forgotten *list,
			      struct ccfc_slice dir, int64_t until)
{
	struct ccfc_forgotten_key key = key_of_text(dir);

	key.until = until;
	ccfc_forgotten_add_key(&list->keys[CCFC_FORGOTTEN_DIR], &key);
	ccfc_forgotten_push_below(list, dir);
}

void ccfc_forgotten_set_seen(struct ccfc_forgotten *list, int64_t time)
{
	if (list->seen == CCFC_TIME_NONE || time > list->seen)
		list->seen = time;
}

void ccfc_forgotten_set_before(struct ccfc_forgotten *list, int64_t time)
{
	list->before = time;
	ccfc_forgotten_set_seen(list, time);
}

/* --- life --- */

void ccfc_forgotten_free(struct ccfc_forgotten *list)
{
	if (!list)
		return;
	for (int i = 0; i < CCFC_FORGOTTEN_KINDS; i++)
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
	for (int i = 0; i < CCFC_FORGOTTEN_KINDS; i++)
		for (uint32_t k = 0; k < list->keys[i].n; k++)
			CCFC_VEC_PUSH(copy->keys[i], list->keys[i].items[k]);
	for (uint32_t i = 0; i < list->below.n; i++)
		ccfc_forgotten_push_below(copy,
					  ccfc_slice_str(list->below.items[i]));
	return copy;
}
