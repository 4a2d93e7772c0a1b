/*
 * Unified diffs as the commands show them; see patch.h.
 *
 * For colour the diff must be parsed: "--- x" in a hunk is a removed line that
 * begins with "-- ", not a header. So the lines of a hunk are counted down from
 * the numbers in its "@@" line.
 */
#include "cli/patch/patch.h"

#include "cli/frame/connect.h"
#include "cli/out/render.h"
#include "cli/patch/diffstat.h"

/* Diffs that are looked back at for the same note. */
#define NOTES_KEPT 256u

/* Remaining lines of the current hunk. */
struct hunk {
	uint64_t old_lines, new_lines;
};

/* "-12,3" or "-12" at *p, after its sign: the number of lines. */
static bool read_range(const char **p, const char *end, char sign,
		       uint64_t *lines)
{
	uint64_t n[2] = { 0, 1 };

	if (*p >= end || **p != sign)
		return false;
	for (int i = 0; i < 2; i++) {
		const char *start = ++*p;

		for (n[i] = 0; *p < end && **p >= '0' && **p <= '9'; (*p)++)
			n[i] = n[i] * 10 + (uint64_t)(**p - '0');
		if (*p == start)
			return false;
		if (*p >= end || **p != ',') {
			if (!i)
				n[1] = 1;
			break;
		}
	}
	*lines = n[1];
	return true;
}

/* "@@ -1,2 +3,4 @@ …" */
static bool read_hunk(struct hunk *hunk, struct ccfc_slice line)
{
	const char *p = line.ptr + 3, *end = line.ptr + line.len;

	if (!ccfc_slice_starts(line, "@@ ") ||
	    !read_range(&p, end, '-', &hunk->old_lines))
		return false;
	p++;
	return read_range(&p, end, '+', &hunk->new_lines);
}

/* The style of a line, or -1 for none; counts it if it is in a hunk. */
static int line_style(struct hunk *hunk, struct ccfc_slice line)
{
	char c = line.len ? line.ptr[0] : ' ';
	bool in_old = (c == '-' || c == ' ') && hunk->old_lines;
	bool in_new = (c == '+' || c == ' ') && hunk->new_lines;

	if (c == '\\')
		return CCFC_STYLE_FAINT;
	if (in_old || in_new) {
		hunk->old_lines -= in_old;
		hunk->new_lines -= in_new;
		return c == '-'	  ? CCFC_STYLE_OLD
		       : c == '+' ? CCFC_STYLE_NEW
				  : -1;
	}
	*hunk = (struct hunk){ 0, 0 };
	return read_hunk(hunk, line) ? CCFC_STYLE_HUNK : CCFC_STYLE_HEAD;
}

static void print_line(struct ccfc_out *out, struct hunk *hunk,
		       struct ccfc_slice line)
{
	int style = line_style(hunk, line);

	if (style >= 0)
		ccfc_buf_puts(&out->buf,
			      ccfc_out_on(out, (enum ccfc_style)style));
	ccfc_out_content(out, line);
	if (style >= 0)
		ccfc_buf_puts(&out->buf, ccfc_out_off(out));
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_out_check(out);
}

void ccfc_patch_print(struct ccfc_out *out, struct ccfc_slice diff)
{
	const char *p = diff.ptr, *end = p + diff.len;
	struct hunk hunk = { 0, 0 };

	if (!diff.len)
		return;
	if (!out->tty && !out->color) {
		ccfc_buf_slice(&out->buf, diff);
		ccfc_out_check(out);
		return;
	}
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;

		print_line(out, &hunk, ccfc_slice(p, (size_t)(stop - p)));
		p = stop + 1;
	}
}

static bool is_set(struct ccfc_obj o)
{
	return ccfc_obj_type(o) != CCFC_OBJ_NONE &&
	       ccfc_obj_type(o) != CCFC_OBJ_NIL;
}

/* From the best fidelity to the worst. */
static int fidelity_rank(struct ccfc_slice fidelity)
{
	static const char *const order[] = { "", "exact", "reconstructed",
					     "partial" };

	for (int i = 0; i < 4; i++)
		if (ccfc_slice_is(fidelity, order[i]))
			return i;
	return 4;
}

/* Without its own fidelity, a diff has the weaker one of its two sides. */
static void use_state(struct ccfc_patch *patch, struct ccfc_obj state)
{
	struct ccfc_slice fidelity = ccfc_obj_get_str(state, "fidelity");

	if (fidelity_rank(fidelity) <= fidelity_rank(patch->fidelity))
		return;
	patch->fidelity = fidelity;
	patch->why = ccfc_obj_get_str(state, "why");
}

void ccfc_patch_parse(struct ccfc_patch *patch, struct ccfc_obj o)
{
	struct ccfc_obj diff = ccfc_obj_get(o, "diff");

	*patch = (struct ccfc_patch){
		.name = ccfc_obj_get_str(o, "name"),
		.diff = ccfc_obj_str(diff),
		.shown = is_set(diff),
		.binary = ccfc_obj_get_bool(o, "binary", false),
		.ambiguous = ccfc_slice_is(ccfc_obj_get_str(o, "evidence"),
					   "ambiguous"),
		.fidelity = ccfc_obj_get_str(o, "fidelity"),
		.why = ccfc_obj_get_str(o, "why"),
		.added = ccfc_obj_get_int(o, "linesAdded", -1),
		.removed = ccfc_obj_get_int(o, "linesRemoved", -1),
	};
	if (!patch->name.len)
		patch->name = ccfc_obj_get_str(o, "path");
	/* A diff may be more certain than the states around it. */
	if (patch->fidelity.len)
		return;
	use_state(patch, ccfc_obj_get(o, "before"));
	use_state(patch, ccfc_obj_get(o, "after"));
}

/* A session's changes of one file often have the same note. */
static bool same_note(const struct ccfc_patch *a, const struct ccfc_patch *b)
{
	return ccfc_slice_eq(a->name, b->name) && a->shown == b->shown &&
	       a->binary == b->binary && a->ambiguous == b->ambiguous &&
	       ccfc_slice_eq(a->fidelity, b->fidelity) &&
	       ccfc_slice_eq(a->why, b->why);
}

void ccfc_patch_note(const struct ccfc_patch *patch)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	int rank = fidelity_rank(patch->fidelity);

	/* Several exact diffs of one file may still have a reason to show. */
	if (patch->shown && rank <= 1 && !patch->why.len && !patch->ambiguous)
		return;
	ccfc_buf_slice(&text, patch->name);
	if (!patch->shown)
		ccfc_buf_puts(&text, patch->binary ? ": no diff: binary content"
						   : ": no diff");
	/* Without a diff, but with a reason, "unknown" says nothing new. */
	if (rank > 1 && (patch->shown || patch->binary || !patch->why.len ||
			 !ccfc_slice_is(patch->fidelity, "unknown"))) {
		ccfc_buf_puts(&text, ": ");
		ccfc_buf_slice(&text, patch->fidelity);
	}
	if (patch->why.len) {
		ccfc_buf_puts(&text, ": ");
		ccfc_buf_slice(&text, patch->why);
	}
	if (patch->ambiguous)
		ccfc_buf_puts(&text, ": ambiguous: another session or agent "
				     "may have changed it");
	ccfc_cli_note("%s", text.ptr);
	ccfc_buf_release(&text);
}

/* session.diff has many diffs; the reply of change.get is one. */
static bool is_list(struct ccfc_obj root)
{
	return ccfc_obj_type(ccfc_obj_get(root, "diffs")) == CCFC_OBJ_ARRAY;
}

static uint32_t count_diffs(struct ccfc_obj root)
{
	return is_list(root) ? ccfc_obj_len(ccfc_obj_get(root, "diffs")) : 1;
}

static struct ccfc_obj nth_diff(struct ccfc_obj root, uint32_t i)
{
	return is_list(root) ? ccfc_obj_at(ccfc_obj_get(root, "diffs"), i)
			     : root;
}

/* Did an earlier diff have the same note? */
static bool was_noted(struct ccfc_obj root, uint32_t i,
		      const struct ccfc_patch *patch)
{
	uint32_t first = i > NOTES_KEPT ? i - NOTES_KEPT : 0;
	struct ccfc_patch other;

	while (i-- > first) {
		ccfc_patch_parse(&other, nth_diff(root, i));
		if (same_note(patch, &other))
			return true;
	}
	return false;
}

/* Shows all diffs; returns how many could be shown. */
static uint32_t show_diffs(struct ccfc_out *out, struct ccfc_obj root,
			   bool stat)
{
	struct ccfc_diffstat table;
	uint32_t n = count_diffs(root), shown = 0;

	ccfc_diffstat_init(&table);
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_patch patch;

		ccfc_patch_parse(&patch, nth_diff(root, i));
		if (!was_noted(root, i, &patch))
			ccfc_patch_note(&patch);
		if (stat)
			ccfc_diffstat_add(&table, &patch);
		else
			ccfc_patch_print(out, patch.diff);
		shown += patch.shown ||
			 (stat && (patch.binary || patch.added >= 0));
	}
	if (stat && shown)
		ccfc_diffstat_print(&table, out);
	ccfc_diffstat_release(&table);
	return shown;
}

/* JSON has the unknown parts as fields, so all of it counts as shown. */
static uint32_t show_json(struct ccfc_out *out, struct ccfc_obj root,
			  bool lines)
{
	uint32_t n = count_diffs(root);

	if (!lines)
		ccfc_render_json(out, root, 2);
	for (uint32_t i = 0; lines && i < n; i++)
		ccfc_render_json(out, nth_diff(root, i), 0);
	return n;
}

static void note_unknown(struct ccfc_obj root)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (ccfc_render_unknown(&text, root))
		ccfc_cli_note("%s", text.ptr);
	ccfc_buf_release(&text);
}

static void fail_empty(struct ccfc_err *err, struct ccfc_obj root,
		       const char *command)
{
	struct ccfc_slice id = ccfc_obj_get_str(root, "sessionId");
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_err_set(err, CCFC_ENOTFOUND,
		     "%s: nothing found: session %.*s has no such changes",
		     command, (int)(id.len < 64 ? id.len : 64),
		     id.ptr ? id.ptr : "");
	if (ccfc_render_unknown(&text, root))
		ccfc_err_hint(err, "%s", text.ptr);
	ccfc_buf_release(&text);
}

static int fail_none(struct ccfc_obj root, const char *command)
{
	struct ccfc_err err;

	if (!count_diffs(root))
		fail_empty(&err, root, command);
	else
		ccfc_err_set(&err, CCFC_EIO,
			     "%s: no diff can be shown: the content is not "
			     "known, or not text",
			     command);
	return ccfc_cli_fail(&err);
}

int ccfc_patch_answer(struct ccfc_cli *cli, struct ccfc_obj root,
		      enum ccfc_patch_format format, const char *command)
{
	uint32_t shown;

	if (format == CCFC_PATCH_JSON || format == CCFC_PATCH_JSONL)
		shown = show_json(&cli->out, root, format == CCFC_PATCH_JSONL);
	else
		shown = show_diffs(&cli->out, root, format == CCFC_PATCH_STAT);
	if (ccfc_obj_get_bool(root, "truncated", false))
		ccfc_cli_note("the answer is incomplete: ask for fewer files "
			      "at a time");
	if (!shown)
		return fail_none(root, command);
	note_unknown(root);
	return CCFC_EXIT_FOUND;
}
