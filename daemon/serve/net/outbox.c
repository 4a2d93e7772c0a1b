/*
 * Outboxes; see outbox.h. A list of parts. Short replies are joined in one
 * part; a long one is a part of its own, and is not copied. A part is in
 * memory or in a file, never in both.
 */
#include "serve/net/outbox.h"

#include "base/alloc.h"
#include "os/whole_io.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Parts that are shorter are joined, and are not worth a file. */
#define SHORT ((size_t)64 << 10)

struct ccfc_outbox_part {
	struct ccfc_outbox_part *next;
	struct ccfc_buf mem;
	int fd;		/* -1: in `mem` */
	size_t at, end; /* the rest of the part */
};

static void part_free(struct ccfc_outbox_part *part)
{
	ccfc_buf_release(&part->mem);
	if (part->fd >= 0)
		close(part->fd);
	free(part);
}

static struct ccfc_outbox_part *add_part(struct ccfc_outbox *out, int fd,
					 size_t end)
{
	struct ccfc_outbox_part *part = ccfc_calloc(1, sizeof(*part));

	part->fd = fd;
	part->end = end;
	if (out->tail)
		out->tail->next = part;
	else
		out->head = part;
	out->tail = part;
	return part;
}

static void drop_head(struct ccfc_outbox *out)
{
	struct ccfc_outbox_part *part = out->head;

	out->head = part->next;
	if (!out->head)
		out->tail = NULL;
	part_free(part);
}

void ccfc_outbox_release(struct ccfc_outbox *out)
{
	while (out->head)
		drop_head(out);
	*out = (struct ccfc_outbox){ 0 };
}

void ccfc_outbox_add(struct ccfc_outbox *out, struct ccfc_buf *buf)
{
	struct ccfc_outbox_part *last = out->tail;

	if (!buf->len)
		return;
	out->waiting += buf->len;
	out->memory += buf->len;
	if (last && last->fd < 0 && buf->len < SHORT && last->end < SHORT) {
		ccfc_buf_slice(&last->mem, ccfc_buf_view(buf));
		last->end = last->mem.len;
		ccfc_buf_clear(buf);
		return;
	}
	last = add_part(out, -1, buf->len);
	last->mem = *buf;
	ccfc_buf_init(buf);
}

void ccfc_outbox_add_spool(struct ccfc_outbox *out, struct ccfc_spool *spool)
{
	if (spool->bytes) {
		add_part(out, spool->fd, spool->bytes);
		out->waiting += spool->bytes;
		spool->fd = -1;
		spool->bytes = 0;
	}
	ccfc_outbox_add(out, &spool->mem);
}

/* Reads exactly `n` bytes; -1 when they are not there. */
static int read_part(struct ccfc_buf *piece,
		     const struct ccfc_outbox_part *part, size_t n)
{
	char *to = ccfc_buf_reserve(piece, n);

	if (ccfc_read_at(part->fd, to, n, part->at) != (ssize_t)n)
		return -1;
	piece->len += n;
	return 0;
}

int ccfc_outbox_take(struct ccfc_outbox *out, struct ccfc_buf *piece,
		     size_t max)
{
	struct ccfc_outbox_part *part = out->head;
	struct ccfc_buf spare;
	size_t n;

	if (!part)
		return 0;
	n = part->end - part->at < max ? part->end - part->at : max;
	if (part->fd >= 0) {
		if (read_part(piece, part, n))
			return -1;
	} else if (!part->at && n == part->end) {
		spare = *piece;
		*piece = part->mem;
		part->mem = spare;
	} else {
		ccfc_buf_append(piece, part->mem.ptr + part->at, n);
	}
	part->at += n;
	out->waiting -= n;
	if (part->at < part->end)
		return 0;
	if (part->fd < 0)
		out->memory -= part->end;
	drop_head(out);
	return 0;
}

static int spill_part(struct ccfc_outbox *out, struct ccfc_outbox_part *part,
		      const char *dir)
{
	struct ccfc_slice rest =
		ccfc_slice(part->mem.ptr + part->at, part->end - part->at);
	int fd = ccfc_spool_file(dir);

	if (fd < 0)
		return -1;
	if (ccfc_write_all_at(fd, rest, 0)) {
		close(fd);
		return -1;
	}
	out->memory -= part->end;
	part->fd = fd;
	part->at = 0;
	part->end = rest.len;
	ccfc_buf_release(&part->mem);
	return 0;
}

int ccfc_outbox_spill(struct ccfc_outbox *out, const char *dir)
{
	int r = 0;

	for (struct ccfc_outbox_part *p = out->head; p && !r; p = p->next)
		if (p->fd < 0 && p->end >= SHORT)
			r = spill_part(out, p, dir);
	return r;
}
