/*
 * Reading options; see options.h. Each kind of option has one reader. The
 * reader gets the option's row and field; it returns NULL, or the problem with
 * the value. One function makes the error.
 */
#include "serve/rpc/options.h"

#include "base/buf.h"
#include "base/time.h"

#include <inttypes.h>

#define IS_BAD(what) "must be " what

struct reading {
	const struct ccfc_option_row *row;
	struct ccfc_arena *arena;
};

typedef const char *(*read_fn)(void *field, const struct reading *r,
			       struct ccfc_obj v);

static const char *read_text(void *field, const struct reading *r,
			     struct ccfc_obj v)
{
	struct ccfc_slice *out = field;

	(void)r;
	if (!ccfc_obj_is_str(v))
		return IS_BAD("a string");
	*out = ccfc_obj_str(v);
	return out->len ? NULL : "must not be empty";
}

static const char *read_flag(void *field, const struct reading *r,
			     struct ccfc_obj v)
{
	(void)r;
	if (ccfc_obj_type(v) != CCFC_OBJ_BOOL)
		return IS_BAD("true or false");
	*(bool *)field = ccfc_obj_bool(v, false);
	return NULL;
}

/* A formatted message, in the request's arena. */
__attribute__((format(printf, 2, 3))) static const char *
format_problem(const struct reading *r, const char *fmt, ...)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_slice copy;
	va_list ap;

	va_start(ap, fmt);
	ccfc_buf_vprintf(&text, fmt, ap);
	va_end(ap);
	ccfc_buf_putc(&text, '\0');
	copy = ccfc_arena_copy(r->arena, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
	return copy.ptr;
}

/* Some clients send only doubles: whole ones are accepted. */
static bool whole_number(int64_t *out, struct ccfc_obj v)
{
	double d;

	if (ccfc_obj_type(v) == CCFC_OBJ_INT) {
		*out = ccfc_obj_int(v, 0);
		return true;
	}
	d = ccfc_obj_double(v, 0.5);
	if (!(d >= -9e15 && d <= 9e15) || d != (double)(int64_t)d)
		return false;
	*out = (int64_t)d;
	return true;
}

static const char *read_number(void *field, const struct reading *r,
			       struct ccfc_obj v)
{
	const struct ccfc_option_row *row = r->row;
	int64_t *out = field;

	if (!whole_number(out, v))
		return IS_BAD("a whole number");
	if (*out >= row->least && *out <= row->most)
		return NULL;
	if (row->most == INT64_MAX)
		return "must not be negative";
	return format_problem(r, IS_BAD("from %" PRId64 " to %" PRId64),
			      row->least, row->most);
}

static const char *read_line_number(void *field, const struct reading *r,
				    struct ccfc_obj v)
{
	int64_t *out = field;

	if (!whole_number(out, v) || *out < r->row->least ||
	    *out > r->row->most)
		return IS_BAD("the number of a line, from 1");
	return NULL;
}

static const char *read_list(void *field, const struct reading *r,
			     struct ccfc_obj v)
{
	struct ccfc_slices *out = field;
	uint32_t n = ccfc_obj_len(v);

	if (ccfc_obj_type(v) != CCFC_OBJ_ARRAY)
		return IS_BAD("a list of strings");
	if (n > r->row->most)
		return format_problem(
			r, "must not have more than %" PRId64 " elements",
			r->row->most);
	out->items = ccfc_arena_alloc(r->arena, (n + 1) * sizeof(*out->items));
	out->n = n;
	for (uint32_t i = 0; i < n; i++) {
		if (!ccfc_obj_is_str(ccfc_obj_at(v, i)))
			return IS_BAD("a list of strings");
		if (read_text(&out->items[i], r, ccfc_obj_at(v, i)))
			return "must not have empty elements";
	}
	return NULL;
}

/* Replaces "ts" by ".ts". */
static void add_dots(const struct reading *r, struct ccfc_slices *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		struct ccfc_slice s = list->items[i];
		char *p;

		if (s.ptr[0] == '.')
			continue;
		p = ccfc_arena_alloc(r->arena, s.len + 1);
		p[0] = '.';
		memcpy(p + 1, s.ptr, s.len);
		list->items[i] = ccfc_slice(p, s.len + 1);
	}
}

static const char *read_endings(void *field, const struct reading *r,
				struct ccfc_obj v)
{
	const char *bad = read_list(field, r, v);

	if (!bad)
		add_dots(r, field);
	return bad;
}

static const char *read_states(void *field, const struct reading *r,
			       struct ccfc_obj v)
{
	struct ccfc_slices list = { 0 };
	const char *bad = read_list(&list, r, v);
	uint32_t bits = 0;

	for (uint32_t i = 0; !bad && i < list.n; i++) {
		struct ccfc_slice s = list.items[i];
		int state = ccfc_state_from_text(s.ptr, s.len);

		if (ccfc_slice_is(s, "all"))
			bits = (1u << CCFC_STATE_COUNT) - 1;
		else if (state >= 0)
			bits |= 1u << state;
		else
			return "has a state that does not exist (applied, "
			       "pending, staged, denied, failed, interrupted, "
			       "all)";
	}
	if (bits)
		*(uint32_t *)field = bits;
	return bad;
}

static const char *read_proofs(void *field, const struct reading *r,
			       struct ccfc_obj v)
{
	struct ccfc_slices list = { 0 };
	const char *bad = read_list(&list, r, v);

	for (uint32_t i = 0; !bad && i < list.n; i++) {
		struct ccfc_slice s = list.items[i];
		int proof = ccfc_proof_from_text(s.ptr, s.len);

		if (proof < 0)
			return "has an unknown word (result, "
			       "recorded, observed, parsed, inferred, "
			       "ambiguous)";
		*(uint32_t *)field |= 1u << proof;
	}
	return bad;
}

static const char *read_date(void *field, const struct reading *r,
			     struct ccfc_obj v)
{
	bool end = r->row->kind == CCFC_KIND_DAY_END;
	struct ccfc_slice text = CCFC_SLICE_NONE;
	const char *bad = read_text(&text, r, v);
	int64_t *out = field;

	if (bad)
		return bad;
	*out = ccfc_time_parse_user(text, end);
	return *out == CCFC_TIME_NONE ? IS_BAD("a date: 2025-12-31 or RFC 3339")
				      : NULL;
}

static bool read_digits(uint64_t *out, struct ccfc_slice s)
{
	uint64_t n = 0;

	if (!s.len || s.len > 20)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9' ||
		    __builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(s.ptr[i] - '0'), &n))
			return false;
	}
	*out = n;
	return true;
}

static const char *read_clock(void *field, const struct reading *r,
			      struct ccfc_obj v)
{
	struct ccfc_slice s = CCFC_SLICE_NONE;
	const char *colon, *bad = read_text(&s, r, v);
	struct ccfc_clock *out = field;
	size_t n;

	if (bad)
		return bad;
	colon = memchr(s.ptr, ':', s.len);
	n = colon ? (size_t)(colon - s.ptr) : 0;
	if (!colon || !read_digits(&out->epoch, ccfc_slice(s.ptr, n)) ||
	    !read_digits(&out->seq, ccfc_slice(colon + 1, s.len - n - 1)))
		return IS_BAD("the clock of an earlier reply");
	return NULL;
}

static const char *read_notify(void *field, const struct reading *r,
			       struct ccfc_obj v)
{
	struct ccfc_obj args = ccfc_obj_get(v, "args");
	enum ccfc_obj_type type = ccfc_obj_type(args);
	struct ccfc_notify *out = field;

	if (ccfc_obj_type(v) != CCFC_OBJ_MAP ||
	    read_text(&out->method, r, ccfc_obj_get(v, "method")) ||
	    (type != CCFC_OBJ_ARRAY && type != CCFC_OBJ_NONE &&
	     type != CCFC_OBJ_NIL) ||
	    ccfc_obj_len(v) != 1u + (type != CCFC_OBJ_NONE))
		return IS_BAD("a map of method and args (a list)");
	out->args = args;
	return NULL;
}

static const read_fn readers[CCFC_KINDS] = {
	[CCFC_KIND_TEXT] = read_text,	  [CCFC_KIND_FLAG] = read_flag,
	[CCFC_KIND_NUMBER] = read_number, [CCFC_KIND_LINE] = read_line_number,
	[CCFC_KIND_LIST] = read_list,	  [CCFC_KIND_ENDINGS] = read_endings,
	[CCFC_KIND_STATES] = read_states, [CCFC_KIND_PROOFS] = read_proofs,
	[CCFC_KIND_DATE] = read_date,	  [CCFC_KIND_DAY_END] = read_date,
	[CCFC_KIND_CLOCK] = read_clock,	  [CCFC_KIND_NOTIFY] = read_notify,
};

static const size_t offsets[CCFC_OPTIONS] = {
#define OPTION(symbol, name, kind, field, ...)                                 \
	offsetof(struct ccfc_options, field),
#include "schema/options.def"
#undef OPTION
};

static void *option_field(struct ccfc_options *o, int option)
{
	return (char *)o + offsets[option];
}

static int read_option(struct ccfc_options *out, const char *method,
		       struct ccfc_obj key, struct ccfc_obj value,
		       uint64_t allowed, struct ccfc_arena *arena,
		       struct ccfc_err *err)
{
	struct ccfc_slice name = ccfc_obj_str(key);
	int option = ccfc_option_find(name);
	struct reading r = { .arena = arena };
	const char *bad;

	if (option < 0 || !(allowed & CCFC_OPT_BIT(option)))
		return ccfc_err_set(
			err, CCFC_EINVAL, "%s: unknown option '%.*s'", method,
			name.len > 64 ? 64 : (int)name.len, name.ptr);
	if (ccfc_obj_type(value) == CCFC_OBJ_NIL)
		return 0;
	r.row = &ccfc_option_rows[option];
	bad = (out->given & CCFC_OPT_BIT(option))
		      ? "is given twice"
		      : readers[r.row->kind](option_field(out, option), &r,
					     value);
	if (bad)
		return ccfc_err_set(err, CCFC_EINVAL, "%s: option '%s' %s",
				    method, r.row->name, bad);
	out->given |= CCFC_OPT_BIT(option);
	return 0;
}

static int check_together(const struct ccfc_options *o, const char *method,
			  uint64_t required, struct ccfc_err *err)
{
	uint64_t missing = required & ~o->given;
	uint64_t dates = CCFC_OPT(FROM_DATE) | CCFC_OPT(TO_DATE);
	uint64_t lines = CCFC_OPT(FROM) | CCFC_OPT(TO);

	if (missing)
		return ccfc_err_set(
			err, CCFC_EINVAL, "%s: option '%s' is missing", method,
			ccfc_option_rows[__builtin_ctzll(missing)].name);
	if ((o->given & dates) == dates && o->from_date > o->to_date)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: option 'fromDate' is later than "
				    "option 'toDate'",
				    method);
	if ((o->given & lines) == lines && o->from_line > o->to_line)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: option 'from' is greater than "
				    "option 'to'",
				    method);
	return 0;
}

int ccfc_options_read(struct ccfc_options *out, const char *method,
		      struct ccfc_obj params, uint64_t allowed,
		      uint64_t required, struct ccfc_arena *arena,
		      struct ccfc_err *err)
{
	for (uint32_t i = 0; i < ccfc_obj_len(params); i++) {
		int bad = read_option(out, method, ccfc_obj_key_at(params, i),
				      ccfc_obj_value_at(params, i), allowed,
				      arena, err);

		if (bad)
			return bad;
	}
	return check_together(out, method, required, err);
}

static void copy_text(struct ccfc_slice *text, struct ccfc_arena *arena)
{
	if (text->len)
		*text = ccfc_arena_copy(arena, *text);
}

static void copy_list(struct ccfc_slices *list, struct ccfc_arena *arena)
{
	const struct ccfc_slice *from = list->items;

	if (!list->n)
		return;
	list->items = ccfc_arena_alloc(arena, list->n * sizeof(*from));
	for (uint32_t i = 0; i < list->n; i++)
		list->items[i] = ccfc_arena_copy(arena, from[i]);
}

void ccfc_options_copy(struct ccfc_options *out,
		       const struct ccfc_options *from,
		       struct ccfc_arena *arena)
{
	*out = *from;
	for (int i = 0; i < CCFC_OPTIONS; i++) {
		enum ccfc_option_kind kind = ccfc_option_rows[i].kind;
		void *field = option_field(out, i);

		if (kind == CCFC_KIND_TEXT)
			copy_text(field, arena);
		else if (kind == CCFC_KIND_LIST || kind == CCFC_KIND_ENDINGS)
			copy_list(field, arena);
		else if (kind == CCFC_KIND_NOTIFY)
			memset(field, 0, sizeof(struct ccfc_notify));
	}
}
