/* Lines of disk events and marks; see seen_line.h. */
#include "index/disk/seen_line.h"

#include "base/alloc.h"
#include "base/hex.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/time.h"
#include "index/disk/witness.h"
#include "index/index_internal.h"
#include "index/query/query.h"

#include <string.h>

#define EVENT_FIELDS 18
#define MARK_FIELDS  5
/* In ms: the end of the year 9999. */
#define MOMENT_MAX ((int64_t)253402300799999)
/* Bytes of the sessions of one event. */
#define NEAR_MAX 8192u

/* --- writing --- */

static void put_text(struct ccfc_buf *out, struct ccfc_slice text)
{
	ccfc_buf_putc(out, '\t');
	if (!text.len)
		ccfc_buf_putc(out, '-');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c <= ' ' || c >= 0x7f || c == '%' || (!i && c == '-'))
			ccfc_buf_printf(out, "%%%02x", c);
		else
			ccfc_buf_putc(out, (char)c);
	}
}

static void put_number(struct ccfc_buf *out, int64_t n)
{
	if (n == CCFC_TIME_NONE)
		ccfc_buf_puts(out, "\t-");
	else
		ccfc_buf_printf(out, "\t%lld", (long long)n);
}

bool ccfc_seen_in_project(const struct ccfc_index *index, uint32_t session,
			  struct ccfc_slice project)
{
	const struct ccfc_session *s = &index->sessions.items[session];

	return !project.len ||
	       (session && s->project &&
		ccfc_path_is_below(ccfc_index_str(index, s->project), project));
}

static void add_near(struct ccfc_buf *ids, struct ccfc_slice id)
{
	if (ids->len)
		ccfc_buf_putc(ids, ',');
	ccfc_buf_slice(ids, id);
}

static void put_near(struct ccfc_buf *out, const struct ccfc_index *index,
		     const struct ccfc_disk_event *e,
		     const struct ccfc_seen_near *near)
{
	struct ccfc_slice path = ccfc_index_file_path(index, e->file);
	struct ccfc_buf ids = CCFC_BUF_INIT;
	bool unnamed = false;

	for (uint32_t i = 0; i < near->sessions->n; i++) {
		uint32_t id = near->sessions->items[i];
		const struct ccfc_session *s = &index->sessions.items[id];

		if (e->time < s->start - CCFC_SEEN_AROUND_MS ||
		    e->time > s->end + CCFC_SEEN_AROUND_MS ||
		    !ccfc_query_is_at_home(index, id, path))
			continue;
		if (ids.len < NEAR_MAX &&
		    ccfc_seen_in_project(index, id, near->project))
			add_near(&ids, ccfc_index_session_id(index, id));
		else
			unnamed = true;
	}
	if (unnamed)
		add_near(&ids, ccfc_slice_str(CCFC_SEEN_UNNAMED));
	put_text(out, ccfc_buf_view(&ids));
	ccfc_buf_release(&ids);
}

static void put_side(struct ccfc_buf *out, const struct ccfc_index *index,
		     uint8_t state, uint64_t size, int64_t mtime, uint32_t key)
{
	put_number(out, state);
	put_number(out, (int64_t)size);
	put_number(out, mtime);
	put_text(out, ccfc_index_str(index, key));
}

/* Leaves out the id of a session of another project. */
static struct ccfc_slice name_client(const struct ccfc_index *index,
				     const struct ccfc_disk_event *e,
				     struct ccfc_slice project)
{
	uint32_t session = ccfc_trace_session(index, e);

	if (session && index->sessions.items[session].project &&
	    !ccfc_seen_in_project(index, session, project))
		return CCFC_SLICE_NONE;
	return ccfc_index_str(index, e->by);
}

void ccfc_seen_put_event(struct ccfc_buf *out, const struct ccfc_index *index,
			 const struct ccfc_disk_event *e,
			 const struct ccfc_seen_near *near)
{
	ccfc_buf_puts(out, "event");
	put_number(out, e->since);
	put_number(out, e->time);
	put_number(out, e->held);
	put_number(out, e->own);
	put_number(out, e->ended);
	put_number(out, e->client);
	put_text(out, name_client(index, e, near->project));
	put_side(out, index, e->before, e->before_size, e->before_mtime,
		 e->before_key);
	put_side(out, index, e->after, e->after_size, e->after_mtime,
		 e->after_key);
	put_near(out, index, e, near);
	put_text(out, ccfc_index_file_path(index, e->file));
}

void ccfc_seen_put_mark(struct ccfc_buf *out, struct ccfc_slice call,
			struct ccfc_slice session, int64_t began, int64_t ended)
{
	ccfc_buf_puts(out, "mark");
	put_text(out, call);
	put_text(out, session);
	put_number(out, began);
	put_number(out, ended);
}

/* --- reading --- */

struct fields {
	struct ccfc_slice items[EVENT_FIELDS];
	uint32_t n, at; /* the next one to be read */
	bool bad;
};

static void split_fields(struct fields *f, struct ccfc_slice line)
{
	const char *end = line.ptr + line.len, *tab;

	for (const char *at = line.ptr; at <= end; at = tab + 1) {
		tab = memchr(at, '\t', (size_t)(end - at));
		if (!tab)
			tab = end;
		if (f->n == EVENT_FIELDS) {
			f->bad = true;
			return;
		}
		f->items[f->n++] = ccfc_slice(at, (size_t)(tab - at));
	}
}

/* A number from `least` to `most`; CCFC_TIME_NONE for "-". */
static int64_t take_number(struct fields *f, int64_t least, int64_t most)
{
	struct ccfc_slice s = f->items[f->at++];
	bool minus = s.len > 1 && s.ptr[0] == '-';
	int64_t n = 0;

	if (ccfc_slice_is(s, "-"))
		return CCFC_TIME_NONE;
	f->bad |= !s.len || s.len > 18;
	for (size_t i = minus; !f->bad && i < s.len; i++) {
		f->bad |= s.ptr[i] < '0' || s.ptr[i] > '9';
		n = n * 10 + (s.ptr[i] - '0');
	}
	n = minus ? -n : n;
	f->bad |= n < least || n > most;
	return n;
}

static int64_t take_moment(struct fields *f)
{
	return take_number(f, -MOMENT_MAX, MOMENT_MAX);
}

/* One that is always there. */
static int64_t take_known_moment(struct fields *f)
{
	int64_t moment = take_moment(f);

	f->bad |= moment == CCFC_TIME_NONE;
	return moment;
}

/* A number that is always there. */
static uint64_t take_count(struct fields *f, int64_t most)
{
	int64_t n = take_number(f, 0, most);

	f->bad |= n == CCFC_TIME_NONE;
	return f->bad ? 0 : (uint64_t)n;
}

/* Its bytes are at the end of `text`. */
static struct ccfc_slice take_text(struct fields *f, struct ccfc_buf *text)
{
	struct ccfc_slice s = f->items[f->at++];
	size_t from = text->len;

	if (!ccfc_slice_is(s, "-"))
		ccfc_hex_unpercent(text, s);
	f->bad |= text->len > from &&
		  memchr(text->ptr + from, '\0', text->len - from);
	return ccfc_slice(text->ptr + from, text->len - from);
}

static struct ccfc_slice take_key(struct fields *f, struct ccfc_buf *text)
{
	struct ccfc_slice s = take_text(f, text);

	f->bad |= s.len && s.len != CCFC_SHA256_HEX;
	for (size_t i = 0; i < s.len; i++)
		f->bad |= ccfc_hex_digit(s.ptr[i]) < 0;
	return s;
}

static void take_event(struct ccfc_seen_line *out, struct fields *f)
{
	struct ccfc_disk_event *e = &out->event;

	e->since = take_known_moment(f);
	e->time = take_known_moment(f);
	e->held = take_moment(f);
	e->own = take_count(f, 1);
	e->ended = take_count(f, 1);
	e->client = (uint32_t)take_count(f, UINT32_MAX);
	out->by = take_text(f, &out->text);
	e->before = (uint8_t)take_count(f, CCFC_DISK_THERE);
	e->before_size = take_count(f, INT64_MAX);
	e->before_mtime = take_moment(f);
	out->before_key = take_key(f, &out->text);
	e->after = (uint8_t)take_count(f, CCFC_DISK_THERE);
	e->after_size = take_count(f, INT64_MAX);
	e->after_mtime = take_moment(f);
	out->after_key = take_key(f, &out->text);
	out->near = take_text(f, &out->text);
	out->path = take_text(f, &out->text);
	f->bad |= !out->path.len || out->path.ptr[0] != '/';
}

static void take_mark(struct ccfc_seen_line *out, struct fields *f)
{
	out->call = take_text(f, &out->text);
	out->session = take_text(f, &out->text);
	out->began = take_moment(f);
	out->ended = take_moment(f);
	f->bad |= !out->call.len || !out->session.len;
}

bool ccfc_seen_read(struct ccfc_seen_line *out, struct ccfc_slice line)
{
	struct fields f = { .at = 1 };

	ccfc_buf_clear(&out->text);
	/* Texts only get shorter, so none moves. */
	ccfc_buf_reserve(&out->text, line.len + 1);
	out->event = (struct ccfc_disk_event){ .next = CCFC_ID_NONE };
	split_fields(&f, line);
	out->is_mark = ccfc_slice_is(f.items[0], "mark");
	if (f.bad)
		return false;
	if (out->is_mark && f.n == MARK_FIELDS)
		take_mark(out, &f);
	else if (ccfc_slice_is(f.items[0], "event") && f.n == EVENT_FIELDS)
		take_event(out, &f);
	else
		return false;
	return !f.bad;
}
