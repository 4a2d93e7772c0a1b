/*
 * Copies the file of texts without dead ones; see texts_compact.h. Two passes:
 * the first finds the last copy of each text, by a hash of everything that
 * identifies it, including the text itself.
 */
#include "store/texts/texts_compact.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "store/texts/texts_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct seen {
	uint64_t hash, no;
};

struct ccfc_texts_compaction {
	char *dir;
	struct ccfc_texts_view view;
	struct {
		struct seen *items;
		uint32_t n, cap;
	} seen;
	struct {
		uint64_t *items; /* numbers of dead texts, in their order */
		uint32_t n, cap;
	} dead;
	struct ccfc_texts_file *copy;
	bool is_made; /* the copy may have a file */
};

static void name_copy(struct ccfc_buf *out, const char *dir)
{
	ccfc_buf_clear(out);
	ccfc_buf_printf(out, "%s/texts" CCFC_TEXTS_NEXT, dir);
}

static void remove_copy(const char *dir)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	name_copy(&path, dir);
	unlink(path.ptr);
	ccfc_buf_release(&path);
}

struct ccfc_texts_compaction *
ccfc_texts_compaction_new(const char *dir, const struct ccfc_texts_file *file)
{
	struct ccfc_texts_compaction *c = ccfc_calloc(1, sizeof(*c));

	c->dir = ccfc_strdup(dir);
	ccfc_texts_file_view(file, &c->view);
	if (c->view.fd >= 0)
		return c;
	ccfc_texts_compaction_free(c);
	return NULL;
}

void ccfc_texts_compaction_free(struct ccfc_texts_compaction *c)
{
	if (!c)
		return;
	if (c->is_made)
		remove_copy(c->dir);
	ccfc_texts_file_free(c->copy);
	ccfc_texts_view_release(&c->view);
	free(c->seen.items);
	free(c->dead.items);
	free(c->dir);
	free(c);
}

/* --- which are dead --- */

static bool has_uuid(const struct ccfc_text_head *head)
{
	static const unsigned char none[16];

	return memcmp(head->uuid, none, sizeof(none)) != 0;
}

static uint64_t hash_text(const struct ccfc_text_head *h,
			  struct ccfc_slice text)
{
	uint64_t all[7] = { h->source, h->session,
			    ((uint64_t)h->block << 16) | h->kind << 8 | h->role,
			    h->flags, ccfc_hash(text.ptr, text.len) };

	memcpy(all + 5, h->uuid, sizeof(h->uuid));
	return ccfc_hash(all, sizeof(all));
}

static int by_hash(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->no > y->no) - (x->no < y->no);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void mark_dead(struct ccfc_texts_compaction *c)
{
	if (c->seen.n)
		qsort(c->seen.items, c->seen.n, sizeof(*c->seen.items),
		      by_hash);
	for (uint32_t i = 1; i < c->seen.n; i++)
		if (c->seen.items[i].hash == c->seen.items[i - 1].hash)
			CCFC_VEC_PUSH(c->dead, c->seen.items[i - 1].no);
	if (c->dead.n)
		qsort(c->dead.items, c->dead.n, sizeof(*c->dead.items),
		      by_number);
}

/* --- passes --- */

typedef bool (*text_fn)(struct ccfc_texts_compaction *c, uint64_t no,
			const struct ccfc_text_head *head,
			struct ccfc_slice text);

static int each_text(struct ccfc_texts_compaction *c,
		     const struct ccfc_texts_view *view, text_fn fn,
		     struct ccfc_err *err)
{
	struct ccfc_texts_reader *reader = ccfc_texts_reader_new(view, 0);
	struct ccfc_text_head head;
	struct ccfc_slice text;
	int r = 0;

	ccfc_texts_verify(reader, true);
	for (uint64_t no = 0; !r && ccfc_texts_next(reader, &head, &text); no++)
		if (!fn(c, no, &head, text))
			r = ccfc_err_set(err, CCFC_EIO,
					 "texts: cannot write a copy");
	if (!r && ccfc_texts_error(reader))
		r = ccfc_err_io(err, ccfc_texts_error(reader),
				"texts: cannot read");
	if (!r && ccfc_texts_damaged(reader))
		r = ccfc_err_set(err, CCFC_ECORRUPT, "texts: some are damaged");
	ccfc_texts_reader_free(reader);
	return r;
}

static bool see_text(struct ccfc_texts_compaction *c, uint64_t no,
		     const struct ccfc_text_head *head, struct ccfc_slice text)
{
	struct seen seen = { hash_text(head, text), no };

	if (has_uuid(head))
		CCFC_VEC_PUSH(c->seen, seen);
	return true;
}

static bool copy_text(struct ccfc_texts_compaction *c, uint64_t no,
		      const struct ccfc_text_head *head, struct ccfc_slice text)
{
	if (c->dead.n && bsearch(&no, c->dead.items, c->dead.n,
				 sizeof(*c->dead.items), by_number))
		return true;
	return ccfc_texts_file_add(c->copy, head, text, false);
}

int ccfc_texts_compaction_run(struct ccfc_texts_compaction *c,
			      struct ccfc_err *err)
{
	enum ccfc_texts_found found;
	int r = each_text(c, &c->view, see_text, err);

	if (!r)
		mark_dead(c);
	remove_copy(c->dir);
	c->is_made = true;
	if (!r)
		r = ccfc_texts_file_new_at(&c->copy, c->dir, CCFC_TEXTS_NEXT, 0,
					   0, &found, err);
	if (!r)
		r = each_text(c, &c->view, copy_text, err);
	if (!r)
		r = ccfc_texts_file_flush(c->copy, err);
	return r ? r : ccfc_texts_file_sync(c->copy, err);
}

struct ccfc_texts_file *
ccfc_texts_compaction_take(struct ccfc_texts_compaction *c,
			   const struct ccfc_texts_file *file,
			   struct ccfc_err *err)
{
	struct ccfc_texts_view since = { .fd = c->view.fd,
					 .start = c->view.end,
					 .end = ccfc_texts_file_length(file) };
	struct ccfc_texts_file *taken = c->copy;

	c->dead.n = 0;
	if (each_text(c, &since, copy_text, err) ||
	    ccfc_texts_file_flush(taken, err) ||
	    ccfc_texts_file_sync(taken, err))
		return NULL;
	c->copy = NULL;
	c->is_made = false;
	return taken;
}

/* --- at the start --- */

static bool has_id(const char *path, uint64_t id)
{
	struct ccfc_texts_begin begin;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool has =
		fd >= 0 &&
		pread(fd, &begin, sizeof(begin), 0) == (ssize_t)sizeof(begin) &&
		ccfc_texts_is_of(&begin, id) != CCFC_TEXTS_OTHERS;

	if (fd >= 0)
		close(fd);
	return has;
}

int ccfc_texts_compaction_finish(const char *dir, uint64_t id,
				 struct ccfc_err *err)
{
	struct ccfc_buf from = CCFC_BUF_INIT, to = CCFC_BUF_INIT;
	int r = 0;

	name_copy(&from, dir);
	ccfc_buf_printf(&to, "%s/texts", dir);
	if (!has_id(from.ptr, id))
		unlink(from.ptr);
	else if (rename(from.ptr, to.ptr))
		r = ccfc_err_io(err, errno, "%s: cannot move", from.ptr);
	ccfc_buf_release(&from);
	ccfc_buf_release(&to);
	return r;
}
