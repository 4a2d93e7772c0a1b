/*
 * Reading options; see options.h. A reader takes one value into its field
 * and returns NULL, or says what is wrong with it; the error is put together
 * in one place.
 */
#include "serve/rpc/options.h"

#include "base/time.h"

#include <ccfc/types.h>

#define IS_BAD(what) "must be " what

struct reading {
	struct ccfc_options *out;
	struct ccfc_arena *arena;
	enum ccfc_option option;
};

typedef const char *(*read_fn)(struct reading *r, struct ccfc_obj v);

static const char *const names[] = {
#define X(sym, name) name,
	CCFC_OPTION_LIST(X)
#undef X
};

const char *ccfc_option_name(enum ccfc_option option)
{
	return names[option];
}

static const char *read_text_options(struct ccfc_slice *out, struct ccfc_obj v)
{
	if (!ccfc_obj_is_str(v))
		return IS_BAD("a string");
	*out = ccfc_obj_str(v);
	return out->len ? NULL : "must not be empty";
}

static struct ccfc_slice *string_of(struct ccfc_options *o,
				    enum ccfc_option option)
{
	switch (option) {
	case CCFC_OPT_AGENT:
		return &o->agent;
	case CCFC_OPT_AT:
		return &o->at;
	case CCFC_OPT_BRANCH:
		return &o->branch;
	case CCFC_OPT_BY:
		return &o->by;
	case CCFC_OPT_CHANGE:
		return &o->change;
	case CCFC_OPT_CWD:
		return &o->cwd;
	case CCFC_OPT_MESSAGE:
		return &o->message;
	case CCFC_OPT_MODEL:
		return &o->model;
	case CCFC_OPT_PATH:
		return &o->path;
	case CCFC_OPT_PATTERN:
		return &o->pattern;
	case CCFC_OPT_QUERY:
		return &o->query;
	case CCFC_OPT_ROLE:
		return &o->role;
	case CCFC_OPT_SESSION:
		return &o->session;
	case CCFC_OPT_SORT:
		return &o->sort;
	case CCFC_OPT_STATUS:
		return &o->status;
	case CCFC_OPT_TOUCHED:
		return &o->touched;
	default:
		return &o->project;
	}
}

static const char *read_string(struct reading *r, struct ccfc_obj v)
{
	return read_text_options(string_of(r->out, r->option), v);
}

static bool *bool_of(struct ccfc_options *o, enum ccfc_option option)
{
	switch (option) {
	case CCFC_OPT_CASE_SENSITIVE:
		return &o->case_sensitive;
	case CCFC_OPT_DELETED:
		return &o->deleted;
	case CCFC_OPT_IGNORE_SPACE:
		return &o->ignore_space;
	case CCFC_OPT_INCLUDE_PROMPT:
		return &o->include_prompt;
	case CCFC_OPT_INCLUDE_THINKING:
		return &o->include_thinking;
	case CCFC_OPT_NET:
		return &o->net;
	case CCFC_OPT_PROGRESS:
		return &o->progress;
	case CCFC_OPT_REGEX:
		return &o->regex;
	default:
		return &o->include_content;
	}
}

static const char *read_bool(struct reading *r, struct ccfc_obj v)
{
	if (ccfc_obj_type(v) != CCFC_OBJ_BOOL)
		return IS_BAD("true or false");
	*bool_of(r->out, r->option) = ccfc_obj_bool(v, false);
	return NULL;
}

/* Some clients have only one kind of number: whole doubles are fine. */
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

static const char *read_line(struct reading *r, struct ccfc_obj v)
{
	int64_t *out = r->option == CCFC_OPT_TO ? &r->out->last_line
						: &r->out->first_line;

	if (!whole_number(out, v) || *out < 1 || *out > CCFC_LINE_MAX)
		return IS_BAD("the number of a line, from 1");
	return NULL;
}

static const char *read_number_options(struct reading *r, struct ccfc_obj v)
{
	int64_t n;

	if (!whole_number(&n, v))
		return IS_BAD("a whole number");
	switch (r->option) {
	case CCFC_OPT_LIMIT:
		r->out->limit = n;
		return n >= 1 && n <= CCFC_LIMIT_MAX
			       ? NULL
			       : IS_BAD("from 1 to 100000");
	case CCFC_OPT_OFFSET:
		r->out->offset = n;
		return n >= 0 ? NULL : "must not be negative";
	case CCFC_OPT_MAX_CONTENT:
		r->out->max_content = n;
		return n >= 0 && n <= CCFC_MAX_CONTENT_MAX
			       ? NULL
			       : IS_BAD("from 0 to 67108864");
	case CCFC_OPT_CONTEXT:
		r->out->context = n;
		return n >= 0 && n <= CCFC_CONTEXT_MAX
			       ? NULL
			       : IS_BAD("from 0 to 100000");
	default:
		r->out->subscription = n;
		return NULL;
	}
}

static const char *read_list(struct reading *r, struct ccfc_slices *out,
			     struct ccfc_obj v, uint32_t max)
{
	uint32_t n = ccfc_obj_len(v);
	const char *bad = NULL;

	if (ccfc_obj_type(v) != CCFC_OBJ_ARRAY)
		return IS_BAD("a list of strings");
	if (n > max)
		return max == CCFC_ALTERNATIVES_MAX
			       ? "must not have more than 8 elements"
			       : "must not have more than 1024 elements";
	out->items = ccfc_arena_alloc(r->arena, (n + 1) * sizeof(*out->items));
	out->n = n;
	for (uint32_t i = 0; i < n && !bad; i++) {
		if (!ccfc_obj_is_str(ccfc_obj_at(v, i)))
			return IS_BAD("a list of strings");
		bad = read_text_options(&out->items[i], ccfc_obj_at(v, i));
	}
	return bad ? "must not have empty elements" : NULL;
}

/* "ts" means ".ts". */
static void add_dots(struct reading *r, struct ccfc_slices *list)
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

static const char *read_strings(struct reading *r, struct ccfc_obj v)
{
	struct ccfc_options *o = r->out;
	const char *bad;

	switch (r->option) {
	case CCFC_OPT_ALTERNATIVES:
		return read_list(r, &o->alternatives, v, CCFC_ALTERNATIVES_MAX);
	case CCFC_OPT_DIRECTORIES:
		return read_list(r, &o->directories, v, CCFC_LIST_MAX);
	case CCFC_OPT_TOOLS:
		return read_list(r, &o->tools, v, CCFC_LIST_MAX);
	case CCFC_OPT_PATHS:
		return read_list(r, &o->paths, v, CCFC_LIST_MAX);
	case CCFC_OPT_KEYWORDS:
		return read_list(r, &o->keywords, v, CCFC_LIST_MAX);
	case CCFC_OPT_IN:
		return read_list(r, &o->in, v, CCFC_LIST_MAX);
	default:
		bad = read_list(r, &o->extensions, v, CCFC_LIST_MAX);
		if (!bad)
			add_dots(r, &o->extensions);
		return bad;
	}
}

static const char *read_states(struct reading *r, struct ccfc_obj v)
{
	struct ccfc_slices list;
	const char *bad = read_list(r, &list, v, CCFC_LIST_MAX);
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
		r->out->states = bits;
	return bad;
}

static const char *read_date(struct reading *r, struct ccfc_obj v)
{
	bool end = r->option == CCFC_OPT_TO_DATE;
	struct ccfc_slice text = CCFC_SLICE_NONE;
	const char *bad = read_text_options(&text, v);
	int64_t t;

	if (bad)
		return bad;
	t = ccfc_time_parse_user(text, end);
	if (end)
		r->out->to = t;
	else
		r->out->from = t;
	return t == CCFC_TIME_NONE ? IS_BAD("a date: 2025-12-31 or RFC 3339")
				   : NULL;
}

static bool digits(uint64_t *out, struct ccfc_slice s)
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

static const char *read_clock(struct reading *r, struct ccfc_obj v)
{
	struct ccfc_slice s = CCFC_SLICE_NONE;
	const char *colon, *bad = read_text_options(&s, v);
	size_t n;

	if (bad)
		return bad;
	colon = memchr(s.ptr, ':', s.len);
	n = colon ? (size_t)(colon - s.ptr) : 0;
	if (!colon || !digits(&r->out->clock.epoch, ccfc_slice(s.ptr, n)) ||
	    !digits(&r->out->clock.seq, ccfc_slice(colon + 1, s.len - n - 1)))
		return IS_BAD("a clock as an earlier reply gave it");
	return NULL;
}

static const char *read_notify(struct reading *r, struct ccfc_obj v)
{
	struct ccfc_obj args = ccfc_obj_get(v, "args");
	enum ccfc_obj_type type = ccfc_obj_type(args);

	if (ccfc_obj_type(v) != CCFC_OBJ_MAP ||
	    read_text_options(&r->out->notify_method,
			      ccfc_obj_get(v, "method")) ||
	    (type != CCFC_OBJ_ARRAY && type != CCFC_OBJ_NONE &&
	     type != CCFC_OBJ_NIL) ||
	    ccfc_obj_len(v) != 1u + (type != CCFC_OBJ_NONE))
		return IS_BAD("a map of method and args (a list)");
	r->out->notify_args = args;
	return NULL;
}

static const read_fn readers[] = {
	[CCFC_OPT_AGENT] = read_string,
	[CCFC_OPT_ALTERNATIVES] = read_strings,
	[CCFC_OPT_AT] = read_string,
	[CCFC_OPT_BRANCH] = read_string,
	[CCFC_OPT_BY] = read_string,
	[CCFC_OPT_CASE_SENSITIVE] = read_bool,
	[CCFC_OPT_CHANGE] = read_string,
	[CCFC_OPT_CLOCK] = read_clock,
	[CCFC_OPT_CONTEXT] = read_number_options,
	[CCFC_OPT_CWD] = read_string,
	[CCFC_OPT_DELETED] = read_bool,
	[CCFC_OPT_DIRECTORIES] = read_strings,
	[CCFC_OPT_EXTENSIONS] = read_strings,
	[CCFC_OPT_FROM] = read_line,
	[CCFC_OPT_FROM_DATE] = read_date,
	[CCFC_OPT_IGNORE_SPACE] = read_bool,
	[CCFC_OPT_INCLUDE_CONTENT] = read_bool,
	[CCFC_OPT_INCLUDE_PROMPT] = read_bool,
	[CCFC_OPT_INCLUDE_THINKING] = read_bool,
	[CCFC_OPT_IN] = read_strings,
	[CCFC_OPT_KEYWORDS] = read_strings,
	[CCFC_OPT_LIMIT] = read_number_options,
	[CCFC_OPT_MAX_CONTENT] = read_number_options,
	[CCFC_OPT_MESSAGE] = read_string,
	[CCFC_OPT_MODEL] = read_string,
	[CCFC_OPT_NET] = read_bool,
	[CCFC_OPT_NOTIFY] = read_notify,
	[CCFC_OPT_OFFSET] = read_number_options,
	[CCFC_OPT_PATHS] = read_strings,
	[CCFC_OPT_PATH] = read_string,
	[CCFC_OPT_PATTERN] = read_string,
	[CCFC_OPT_PROGRESS] = read_bool,
	[CCFC_OPT_PROJECT_PATH] = read_string,
	[CCFC_OPT_QUERY] = read_string,
	[CCFC_OPT_REGEX] = read_bool,
	[CCFC_OPT_ROLE] = read_string,
	[CCFC_OPT_SESSION] = read_string,
	[CCFC_OPT_SINCE] = read_clock,
	[CCFC_OPT_SORT] = read_string,
	[CCFC_OPT_STATES] = read_states,
	[CCFC_OPT_STATUS] = read_string,
	[CCFC_OPT_SUBSCRIPTION] = read_number_options,
	[CCFC_OPT_TOOLS] = read_strings,
	[CCFC_OPT_TOUCHED] = read_string,
	[CCFC_OPT_TO] = read_line,
	[CCFC_OPT_TO_DATE] = read_date,
};

static int find_option(struct ccfc_slice name)
{
	for (int i = 0; i < CCFC_OPTIONS; i++)
		if (ccfc_slice_is(name, names[i]))
			return i;
	return -1;
}

static int read_one(struct reading *r, const char *method, struct ccfc_obj key,
		    struct ccfc_obj value, uint64_t allowed,
		    struct ccfc_err *err)
{
	struct ccfc_slice name = ccfc_obj_str(key);
	int option = find_option(name);
	const char *bad;

	if (option < 0 || !(allowed & CCFC_OPT_BIT(option)))
		return ccfc_err_set(
			err, CCFC_EINVAL, "%s: unknown option '%.*s'", method,
			name.len > 64 ? 64 : (int)name.len, name.ptr);
	if (ccfc_obj_type(value) == CCFC_OBJ_NIL)
		return 0;
	r->option = option;
	bad = (r->out->given & CCFC_OPT_BIT(option))
		      ? "is given twice"
		      : readers[option](r, value);
	if (bad)
		return ccfc_err_set(err, CCFC_EINVAL, "%s: option '%s' %s",
				    method, names[option], bad);
	r->out->given |= CCFC_OPT_BIT(option);
	return 0;
}

static int check(const struct ccfc_options *o, const char *method,
		 uint64_t required, struct ccfc_err *err)
{
	uint64_t missing = required & ~o->given;
	uint64_t dates = CCFC_OPT(FROM_DATE) | CCFC_OPT(TO_DATE);
	uint64_t lines = CCFC_OPT(FROM) | CCFC_OPT(TO);

	if (missing)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: option '%s' is missing", method,
				    names[__builtin_ctzll(missing)]);
	if ((o->given & dates) == dates && o->from > o->to)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: option 'fromDate' is later than "
				    "'toDate'",
				    method);
	if ((o->given & lines) == lines && o->first_line > o->last_line)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: option 'from' is greater than 'to'",
				    method);
	return 0;
}

int ccfc_options_read(struct ccfc_options *out, const char *method,
		      struct ccfc_obj params, uint64_t allowed,
		      uint64_t required, struct ccfc_arena *arena,
		      struct ccfc_err *err)
{
	struct reading r = { .out = out, .arena = arena };

	for (uint32_t i = 0; i < ccfc_obj_len(params); i++) {
		int bad = read_one(&r, method, ccfc_obj_key_at(params, i),
				   ccfc_obj_value_at(params, i), allowed, err);

		if (bad)
			return bad;
	}
	return check(out, method, required, err);
}
