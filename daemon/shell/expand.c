/* Words become fields; variables and braces are followed. See shell_walk.h. */
#include "base/path.h"
#include "shell/shell_walk.h"

#define BRACES_MAX 64u

/* A field being made, with a mark for each byte. */
struct made {
	char *text, *marks;
	size_t n, cap;
	bool opaque, loose;
};

enum { BARE, QUOTED, HOME };

/* ---- making a field ---- */

static void add_text(struct ccfc_sh_walk *w, struct made *made,
		     struct ccfc_slice text, char mark)
{
	if (!text.len || w->stopped)
		return;
	w->text += text.len;
	if (w->text > CCFC_SH_TEXT_MAX) {
		ccfc_sh_stop(w);
		return;
	}
	if (made->n + text.len > made->cap) {
		size_t cap = 2 * (made->n + text.len);
		char *bytes = ccfc_arena_alloc(w->arena, 2 * cap);

		if (made->n) {
			memcpy(bytes, made->text, made->n);
			memcpy(bytes + cap, made->marks, made->n);
		}
		made->text = bytes;
		made->marks = bytes + cap;
		made->cap = cap;
	}
	memcpy(made->text + made->n, text.ptr, text.len);
	memset(made->marks + made->n, mark, text.len);
	made->n += text.len;
}

struct ccfc_slice ccfc_sh_join(struct ccfc_sh_walk *w, struct ccfc_slice a,
			       struct ccfc_slice b)
{
	struct made made = { 0 };

	add_text(w, &made, a, QUOTED);
	add_text(w, &made, b, QUOTED);
	return ccfc_slice(made.text, made.n);
}

/* Would an unquoted expansion to this text be exactly this one word? */
static bool is_one_word(struct ccfc_slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (strchr(" \t\n*?[\\", text.ptr[i]))
			return false;
	return text.len > 0;
}

static void add_variable(struct ccfc_sh_walk *w, struct made *made,
			 const struct ccfc_sh_part *part)
{
	struct ccfc_sh_flow value = ccfc_sh_variable(w, part->text);

	/* The value is HOME, whose path is not known. */
	if (value.known && !value.text.ptr) {
		made->opaque |= made->n > 0;
		add_text(w, made, CCFC_SLICE_LIT("~"), HOME);
		return;
	}
	if (!value.known || (!part->quoted && !is_one_word(value.text))) {
		made->opaque = true;
		made->loose |= !part->quoted;
		return;
	}
	add_text(w, made, value.text, QUOTED);
}

/* Adds the output of a command as the value of an expansion. */
static void add_output(struct ccfc_sh_walk *w, struct made *made,
		       const struct ccfc_sh_part *part)
{
	struct ccfc_sh_flow out =
		ccfc_sh_walk_subshell(w, part->run, CCFC_SH_FLOW_UNKNOWN);

	while (out.text.len && out.text.ptr[out.text.len - 1] == '\n')
		out.text.len--;
	if (out.known && (part->quoted || is_one_word(out.text))) {
		add_text(w, made, out.text, QUOTED);
		return;
	}
	made->opaque = true;
	made->loose |= !part->quoted;
}

void ccfc_sh_arithmetic(struct ccfc_sh_walk *w, struct ccfc_slice text)
{
	ccfc_sh_forget_variables(w);
	if (ccfc_slice_contains(text, "`") || ccfc_slice_contains(text, "$("))
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_PROGRAM, CCFC_SLICE_NONE);
}

static void add_part(struct ccfc_sh_walk *w, struct made *made,
		     const struct ccfc_sh_part *part)
{
	uint32_t start;

	switch (part->kind) {
	case CCFC_SH_TEXT:
		add_text(w, made, part->text, part->quoted ? QUOTED : BARE);
		return;
	case CCFC_SH_VAR:
		add_variable(w, made, part);
		return;
	case CCFC_SH_RUN:
		add_output(w, made, part);
		return;
	case CCFC_SH_ASIDE:
		start = w->out->all.n;
		ccfc_sh_walk_subshell(w, part->run, CCFC_SH_FLOW_UNKNOWN);
		ccfc_sh_maybe(w, start);
		break;
	case CCFC_SH_HIDDEN:
		ccfc_sh_arithmetic(w, part->text);
		break;
	case CCFC_SH_OPAQUE:
		break;
	}
	made->opaque = true;
	made->loose |= !part->quoted;
}

/* "~" and "~/…"; other users' homes are not known. */
static void resolve_home(struct ccfc_sh_walk *w, struct made *made)
{
	struct ccfc_slice rest;

	if (!made->n || made->text[0] != '~' || made->marks[0] != BARE)
		return;
	if (made->n > 1 && made->text[1] != '/') {
		made->opaque = true;
		return;
	}
	if (!w->env->home.len) {
		made->marks[0] = HOME;
		return;
	}
	rest = ccfc_slice(made->text + 1, made->n - 1);
	*made = (struct made){ .opaque = made->opaque, .loose = made->loose };
	add_text(w, made, w->env->home, QUOTED);
	add_text(w, made, rest, BARE);
}

static bool has_glob(const struct made *made)
{
	bool open = false;

	for (size_t i = 0; i < made->n; i++) {
		char c = made->marks[i] == BARE ? made->text[i] : 0;

		if (c == '*' || c == '?' || (c == ']' && open))
			return true;
		open |= c == '[';
	}
	return false;
}

static struct ccfc_sh_field finish_field(struct ccfc_sh_walk *w,
					 struct made *made)
{
	resolve_home(w, made);
	return (struct ccfc_sh_field){
		.text = ccfc_slice(made->text, made->n),
		.known = !made->opaque && !w->stopped,
		.glob = has_glob(made),
		.home = made->n && made->marks[0] == HOME,
		.loose = made->loose,
	};
}

/* ---- braces ---- */

struct brace {
	size_t open, close;
	uint32_t commas;
	bool is_range; /* {1..3} */
};

/* The first pair of braces outside quotes that is expanded. */
static bool find_brace(const struct made *made, struct brace *out)
{
	for (size_t i = 0; i < made->n; i++) {
		int depth = 0;

		if (made->marks[i] != BARE || made->text[i] != '{')
			continue;
		*out = (struct brace){ .open = i };
		for (size_t k = i; k < made->n; k++) {
			char c = made->marks[k] == BARE ? made->text[k] : 0;

			depth += c == '{';
			depth -= c == '}';
			out->close = k;
			if (!depth)
				break;
			out->commas += c == ',' && depth == 1;
			out->is_range |= c == '.' && made->text[k - 1] == '.';
		}
		if (!depth && (out->commas || out->is_range))
			return true;
	}
	return false;
}

/* `from` with the part from `start` to `end` in place of its braces. */
static struct made replace_brace(struct ccfc_sh_walk *w,
				 const struct made *from,
				 const struct brace *brace, size_t start,
				 size_t end)
{
	const size_t cuts[][2] = { { 0, brace->open },
				   { start, end },
				   { brace->close + 1, from->n } };
	struct made made = { 0 };

	for (size_t i = 0; i < 3; i++)
		for (size_t k = cuts[i][0]; k < cuts[i][1]; k++)
			add_text(w, &made, ccfc_slice(from->text + k, 1),
				 from->marks[k]);
	return made;
}

/* Puts the alternatives of the first braces of `made` on the list. */
static uint32_t split_brace(struct ccfc_sh_walk *w, const struct made *made,
			    const struct brace *brace, struct made *list,
			    uint32_t room)
{
	size_t start = brace->open + 1;
	uint32_t n = 0;
	int depth = 0;

	for (size_t i = start; i <= brace->close && n < room; i++) {
		char c = made->marks[i] == BARE ? made->text[i] : 0;

		if (i == brace->close || (c == ',' && !depth)) {
			list[n++] = replace_brace(w, made, brace, start, i);
			start = i + 1;
		}
		depth += c == '{';
		depth -= c == '}';
	}
	return n;
}

static void expand_braces(struct ccfc_sh_walk *w, struct ccfc_sh_fields *to,
			  const struct made *word)
{
	struct made list[BRACES_MAX];
	struct made made[BRACES_MAX];
	uint32_t n = 1;
	struct brace brace;

	list[0] = *word;
	/* The first item of the list is always the next in order. */
	while (n && !w->stopped) {
		struct made first = list[0];
		uint32_t more;

		memmove(list, list + 1, --n * sizeof(*list));
		if (!find_brace(&first, &brace)) {
			ccfc_sh_push_field(w, to, finish_field(w, &first));
			continue;
		}
		if (brace.is_range || n + brace.commas + 1 > BRACES_MAX) {
			first.opaque = first.loose = true;
			ccfc_sh_push_field(w, to, finish_field(w, &first));
			continue;
		}
		more = split_brace(w, &first, &brace, made, BRACES_MAX);
		memmove(list + more, list, n * sizeof(*list));
		memcpy(list, made, more * sizeof(*list));
		n += more;
	}
}

/* ---- fields ---- */

void ccfc_sh_push_field(struct ccfc_sh_walk *w, struct ccfc_sh_fields *to,
			struct ccfc_sh_field field)
{
	if (to->n == to->cap) {
		uint32_t cap = to->cap ? 2 * to->cap : 8;
		struct ccfc_sh_field *items =
			ccfc_arena_alloc(w->arena, cap * sizeof(*items));

		if (to->n)
			memcpy(items, to->items, to->n * sizeof(*items));
		to->items = items;
		to->cap = cap;
	}
	if (to->n == CCFC_SH_FIELDS_MAX)
		ccfc_sh_stop(w);
	if (!w->stopped)
		to->items[to->n++] = field;
}

void ccfc_sh_expand(struct ccfc_sh_walk *w, struct ccfc_sh_fields *to,
		    const struct ccfc_sh_word *word)
{
	const struct ccfc_sh_part *part;
	struct made made = { 0 };
	struct brace brace;

	for (part = word->parts; part; part = part->next)
		add_part(w, &made, part);
	made.loose |= made.opaque && find_brace(&made, &brace);
	if (!made.opaque && find_brace(&made, &brace))
		expand_braces(w, to, &made);
	else
		ccfc_sh_push_field(w, to, finish_field(w, &made));
}

struct ccfc_sh_field ccfc_sh_expand_value(struct ccfc_sh_walk *w,
					  const struct ccfc_sh_part *parts)
{
	struct ccfc_sh_field field;
	struct made made = { 0 };

	for (; parts; parts = parts->next)
		add_part(w, &made, parts);
	field = finish_field(w, &made);
	field.glob = false;
	return field;
}
