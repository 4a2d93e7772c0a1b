/* A session without transcripts, from the store; see from_store.h. */
#include "conversation/from_store.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "conversation/conversation_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define TEXTS	  (4u << 20) /* of one session */
#define PLANS	  65536u
#define ASK_EVERY 4096u

/* One text: where it belongs, and its number in the file. */
struct item {
	int64_t time;
	uint64_t offset;
	uint64_t no;
	unsigned char uuid[16];
	uint32_t source, flags;
	uint32_t message; /* of the page, or NONE */
	uint16_t block;
	uint8_t kind, role;
};

struct items {
	struct item *items;
	uint32_t n, cap;
};

struct gone {
	const struct ccfc_gone_ask *ask;
	struct ccfc_conversation_reader *reader;
	struct ccfc_arena *arena;
	struct items texts;
	struct {
		struct ccfc_slice *items;
		uint32_t n, cap;
	} plans;
};

/* --- where the texts are --- */

static void add_stored_text(struct gone *g, const struct ccfc_text_head *h,
			    struct ccfc_slice text, uint64_t no)
{
	struct item item = { .time = h->time,
			     .offset = h->offset,
			     .no = no,
			     .source = h->source,
			     .flags = h->flags,
			     .message = CCFC_CONVERSATION_NONE,
			     .block = h->block,
			     .kind = h->kind,
			     .role = h->role };

	memcpy(item.uuid, h->uuid, sizeof(item.uuid));
	if (h->kind == CCFC_TEXT_TASKS && g->plans.n < PLANS) {
		/* The parser reads beyond the end. */
		char *copy = ccfc_arena_alloc(g->arena,
					      text.len + CCFC_TAIL_PADDING);

		memcpy(copy, text.ptr, text.len);
		memset(copy + text.len, 0, CCFC_TAIL_PADDING);
		CCFC_VEC_PUSH(g->plans, ccfc_slice(copy, text.len));
	} else if (h->kind != CCFC_TEXT_TASKS && g->texts.n < TEXTS) {
		CCFC_VEC_PUSH(g->texts, item);
	}
}

static int failed_to_read(const struct ccfc_texts_reader *r,
			  struct ccfc_err *err)
{
	return ccfc_err_io(err, ccfc_texts_error(r),
			   "the message texts cannot be read");
}

static int scan_texts(struct gone *g, struct ccfc_err *err)
{
	struct ccfc_conversation_reader *reader = g->reader;
	struct ccfc_texts_reader *r = ccfc_texts_reader_new(g->ask->view, 0);
	struct ccfc_text_head head;
	struct ccfc_slice text;
	bool stop = false;
	int code = 0;

	ccfc_texts_verify(r, true);
	for (uint64_t no = 0; !stop && ccfc_texts_next(r, &head, &text); no++) {
		if (head.session == g->ask->session &&
		    !(head.flags & CCFC_TEXT_SIDECHAIN))
			add_stored_text(g, &head, text, no);
		stop = no % ASK_EVERY == 0 && ccfc_tail_is_over(reader->tail);
	}
	reader->bytes += ccfc_texts_scanned(r);
	if (stop)
		code = ccfc_err_set(err, CCFC_EAGAIN, "no longer wanted");
	else if (ccfc_texts_error(r))
		code = failed_to_read(r, err);
	ccfc_texts_reader_free(r);
	return code;
}

/* --- which of them are a message --- */

static bool has_uuid(const struct item *x)
{
	static const unsigned char none[16];

	return memcmp(x->uuid, none, sizeof(none)) != 0;
}

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int r = memcmp(x->uuid, y->uuid, sizeof(x->uuid));

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (r)
		return r;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return (x->no > y->no) - (x->no < y->no);
}

static bool same_message(const struct item *x, const struct item *y)
{
	return has_uuid(x) ? !memcmp(x->uuid, y->uuid, sizeof(x->uuid))
			   : x->source == y->source && x->offset == y->offset;
}

static bool is_wanted_role(const struct gone *g, const struct item *x)
{
	switch (g->ask->role) {
	case CCFC_CONVERSATION_OF_USER:
		return x->role == CCFC_ROLE_USER;
	case CCFC_CONVERSATION_OF_ASSISTANT:
		return x->role == CCFC_ROLE_ASSISTANT;
	default:
		return g->ask->role == CCFC_CONVERSATION_SAID;
	}
}

static void put_uuid(char out[37], const struct item *x)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; has_uuid(x) && i < sizeof(x->uuid); i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out[n++] = '-';
		n += (size_t)snprintf(out + n, 37 - n, "%02x", x->uuid[i]);
	}
}

static bool is_looked_for(const struct gone *g, const struct item *x)
{
	char id[37];

	if (!g->ask->find.len)
		return false;
	put_uuid(id, x);
	return g->ask->find.len <= strlen(id) &&
	       !memcmp(id, g->ask->find.ptr, g->ask->find.len);
}

/* Numbers the messages; copies of a text go with the first. */
static uint64_t number_messages(struct gone *g, uint64_t *at)
{
	uint64_t n = 0;

	*at = UINT64_MAX;
	for (uint32_t i = 0, j; i < g->texts.n; i = j) {
		struct item *x = &g->texts.items[i];

		for (j = i + 1;
		     j < g->texts.n && same_message(x, &g->texts.items[j]); j++)
			;
		if (!is_wanted_role(g, x))
			continue;
		if (*at == UINT64_MAX && is_looked_for(g, x))
			*at = n;
		for (uint32_t k = i; k < j; k++)
			g->texts.items[k].message = (uint32_t)n;
		n++;
	}
	return n;
}

/* --- the page --- */

static int by_no(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->no > y->no) - (x->no < y->no);
}

static void add_gone_text(struct gone *g, struct ccfc_gone *out, size_t *left,
			  const struct item *x, struct ccfc_slice text)
{
	struct ccfc_gone_message *m = &out->items[x->message - out->offset];
	struct ccfc_slice *to =
		x->kind == CCFC_TEXT_THINKING ? &m->thinking : &m->content;
	size_t max = g->ask->max < *left ? g->ask->max : *left;
	struct ccfc_buf all = CCFC_BUF_INIT;

	put_uuid(m->id, x);
	m->role = x->role;
	m->time = x->time;
	m->flags = x->flags;
	if (to->ptr) {
		ccfc_buf_slice(&all, *to);
		ccfc_buf_putc(&all, '\n');
	}
	ccfc_buf_slice(&all, text);
	m->cut |= all.len > max;
	*left -= text.len < *left ? text.len : *left;
	*to = ccfc_arena_copy(g->arena,
			      ccfc_slice_cut(ccfc_buf_view(&all), max));
	ccfc_buf_release(&all);
}

/* A message's texts are in the file in the order of its blocks. */
static int fetch_page_texts(struct gone *g, struct ccfc_gone *out,
			    struct items *page, struct ccfc_err *err)
{
	struct ccfc_texts_reader *r = ccfc_texts_reader_new(g->ask->view, 0);
	struct ccfc_text_head head;
	struct ccfc_slice text;
	size_t left = g->ask->left;
	uint32_t i = 0;
	int code = 0;

	ccfc_texts_verify(r, true);
	for (uint64_t no = 0; i < page->n && ccfc_texts_next(r, &head, &text);
	     no++)
		if (page->items[i].no == no)
			add_gone_text(g, out, &left, &page->items[i++], text);
	g->reader->bytes += ccfc_texts_scanned(r);
	if (ccfc_texts_error(r))
		code = failed_to_read(r, err);
	ccfc_texts_reader_free(r);
	return code;
}

/* The same text may occur more than once. */
static bool is_copy(const struct items *page, const struct item *x)
{
	const struct item *last;

	if (!page->n)
		return false;
	last = &page->items[page->n - 1];
	return last->message == x->message &&
	       (last->block == x->block || last->offset != x->offset ||
		last->source != x->source);
}

static int make_page(struct gone *g, struct ccfc_gone *out,
		     struct ccfc_err *err)
{
	struct items page = { 0 };
	int r;

	out->items =
		ccfc_arena_alloc(g->arena, (out->n + 1) * sizeof(*out->items));
	memset(out->items, 0, (out->n + 1) * sizeof(*out->items));
	for (uint32_t i = 0; i < g->texts.n; i++) {
		const struct item *x = &g->texts.items[i];

		if (x->message != CCFC_CONVERSATION_NONE &&
		    x->message >= out->offset &&
		    x->message - out->offset < out->n && !is_copy(&page, x))
			CCFC_VEC_PUSH(page, *x);
	}
	if (page.n)
		qsort(page.items, page.n, sizeof(*page.items), by_no);
	r = fetch_page_texts(g, out, &page, err);
	free(page.items);
	return r;
}

static int fill_answer(struct gone *g, struct ccfc_gone *out,
		       struct ccfc_err *err)
{
	const struct ccfc_gone_ask *ask = g->ask;
	uint64_t at, left;

	if (g->texts.n)
		qsort(g->texts.items, g->texts.n, sizeof(*g->texts.items),
		      compare_items);
	out->total = number_messages(g, &at);
	out->offset = ask->offset;
	if (ask->find.len && at == UINT64_MAX)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "no message has this uuid");
	if (ask->find.len)
		out->offset = at > ask->limit / 2 ? at - ask->limit / 2 : 0;
	if (out->offset && out->offset >= out->total)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "there are only %llu messages",
				    (unsigned long long)out->total);
	left = out->total - out->offset;
	out->n = (uint32_t)(left < ask->limit ? left : ask->limit);
	return make_page(g, out, err);
}

int ccfc_gone_read(struct ccfc_gone *out,
		   struct ccfc_conversation_reader *reader,
		   const struct ccfc_gone_ask *ask, struct ccfc_arena *arena,
		   struct ccfc_err *err)
{
	struct gone g = { .ask = ask, .reader = reader, .arena = arena };
	int r;

	*out = (struct ccfc_gone){ 0 };
	r = scan_texts(&g, err);
	if (!r)
		r = fill_answer(&g, out, err);
	if (!r)
		ccfc_conversation_tasks_left(&out->tasks, reader, g.plans.items,
					     g.plans.n, ask->max, arena);
	free(g.texts.items);
	free(g.plans.items);
	return r;
}
