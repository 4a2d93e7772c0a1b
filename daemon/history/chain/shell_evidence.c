/*
 * Evidence of shell changes; see shell_evidence.h.
 *
 * A command may do several things to a file; they are combined in the order of
 * the command's text. If one of them is uncertain, the content is unknown.
 */
#include "history/chain/shell_evidence.h"

#include "base/buf.h"
#include "base/path.h"
#include "history/step/hunks.h"
#include "shell/shell.h"
#include "transcript/content/run_evidence.h"

enum became {
	AS_IT_WAS,
	WRITTEN, /* `text` is the whole content */
	LONGER,	 /* `text` was appended */
	GONE,
	UNKNOWN,
};

/* What a command made of a file. */
struct fate {
	enum became became;
	struct ccfc_buf text;
	uint32_t unsure_before; /* as in the last effect on the file */
	/* the client shows the file that a link names */
	bool is_link;
	bool taken; /* it has the earlier content of another file */
};

static bool is_below_dir(struct ccfc_slice path, struct ccfc_slice dir)
{
	return !ccfc_slice_eq(path, dir) && ccfc_path_is_below(path, dir);
}

/* Does the effect touch the file, or may it? */
static bool may_touch(const struct ccfc_shell_effect *e, struct ccfc_slice path)
{
	if (ccfc_slice_eq(e->path, path))
		return true;
	if (e->into && ccfc_path_is_below(path, e->path))
		return true;
	return e->tree && (is_below_dir(path, e->path) ||
			   (e->from.len && is_below_dir(path, e->from)));
}

static void set_fate_text(struct fate *fate, enum became became,
			  struct ccfc_slice text)
{
	if (became == WRITTEN)
		ccfc_buf_clear(&fate->text);
	ccfc_buf_slice(&fate->text, text);
	fate->became = became;
}

static void set_fate_unknown(struct fate *fate)
{
	fate->became = UNKNOWN;
	fate->taken = false;
}

static void append_fate_text(struct fate *fate, struct ccfc_slice text)
{
	switch (fate->became) {
	case UNKNOWN:
		break;
	case GONE:
	case WRITTEN:
		if (fate->became == GONE)
			ccfc_buf_clear(&fate->text);
		ccfc_buf_slice(&fate->text, text);
		fate->became = WRITTEN;
		break;
	default:
		set_fate_text(fate, LONGER, text);
	}
	/* The file's line endings are not known here. */
	if (fate->became == LONGER && ccfc_slice_contains(text, "\r"))
		fate->became = UNKNOWN;
}

static void follow_effects(struct fate *fate,
			   const struct ccfc_shell_effects *effects, uint32_t n,
			   struct ccfc_slice path);

/* Takes the content of a moved or copied file, if the same command wrote it. */
static void take_moved_content(struct fate *fate,
			       const struct ccfc_shell_effects *effects,
			       uint32_t n)
{
	struct fate from = { 0 };

	follow_effects(&from, effects, n, effects->all.items[n].from);
	if (from.became == WRITTEN)
		set_fate_text(fate, WRITTEN, ccfc_buf_view(&from.text));
	else
		fate->became = UNKNOWN;
	/* For "cp a b && mv b c" the index names a as the origin of c. */
	fate->taken =
		from.became == AS_IT_WAS ||
		(effects->all.items[n].op == CCFC_SHELL_RENAME && from.taken);
	ccfc_buf_release(&from.text);
}

static void apply_effect(struct fate *fate,
			 const struct ccfc_shell_effects *effects, uint32_t n,
			 struct ccfc_slice path)
{
	const struct ccfc_shell_effect *e = &effects->all.items[n];

	fate->unsure_before = e->unsure_before;
	fate->is_link = e->op == CCFC_SHELL_LINK;
	fate->taken &= e->op == CCFC_SHELL_TOUCH;
	/* The effect may be on a directory; this path is a file. */
	if (!ccfc_slice_eq(e->path, path) || !ccfc_shell_ran(e, true)) {
		fate->became = UNKNOWN;
		return;
	}
	switch (e->op) {
	case CCFC_SHELL_WRITE:
		if (e->has_content)
			set_fate_text(fate, WRITTEN, e->content);
		else
			fate->became = UNKNOWN;
		break;
	case CCFC_SHELL_APPEND:
		if (e->has_content)
			append_fate_text(fate, e->content);
		else
			fate->became = UNKNOWN;
		break;
	case CCFC_SHELL_DELETE:
		fate->became = GONE;
		break;
	case CCFC_SHELL_RENAME:
	case CCFC_SHELL_COPY:
		take_moved_content(fate, effects, n);
		break;
	case CCFC_SHELL_TOUCH:
		break;
	default:
		fate->became = UNKNOWN;
	}
}

/* Combines the first `n` effects of a command on one file. */
static void follow_effects(struct fate *fate,
			   const struct ccfc_shell_effects *effects, uint32_t n,
			   struct ccfc_slice path)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct ccfc_shell_effect *e = &effects->all.items[i];

		if (e->op == CCFC_SHELL_RENAME &&
		    ccfc_slice_eq(e->from, path)) {
			fate->unsure_before = e->unsure_before;
			fate->became = ccfc_shell_ran(e, true) ? GONE : UNKNOWN;
		} else if (may_touch(e, path)) {
			apply_effect(fate, effects, i, path);
		}
	}
}

/* May a git command after the last effect on the file have changed the file? */
static bool may_git_undo(const struct fate *fate,
			 const struct ccfc_shell_effects *effects,
			 struct ccfc_slice path)
{
	for (uint32_t i = 0; i < effects->bulk.n; i++) {
		const struct ccfc_shell_bulk *b = &effects->bulk.items[i];

		if (b->unsure_before >= fate->unsure_before &&
		    (!b->dir.len || ccfc_path_is_below(path, b->dir)))
			return true;
	}
	return false;
}

/* Does the command take the content from git or from another file? */
static bool takes_content_elsewhere(const struct ccfc_shell_effects *effects,
				    struct ccfc_slice path)
{
	for (uint32_t i = 0; i < effects->all.n; i++) {
		const struct ccfc_shell_effect *e = &effects->all.items[i];

		if ((e->op == CCFC_SHELL_RESTORE ||
		     e->op == CCFC_SHELL_RENAME || e->op == CCFC_SHELL_COPY) &&
		    may_touch(e, path))
			return true;
	}
	for (uint32_t i = 0; i < effects->bulk.n; i++)
		if (effects->bulk.items[i].dir.len &&
		    ccfc_path_is_below(path, effects->bulk.items[i].dir))
			return true;
	return false;
}

static void put_fate_evidence(struct ccfc_evidence *out,
			      const struct fate *fate, uint32_t unsure,
			      struct ccfc_arena *arena)
{
	struct ccfc_slice text =
		ccfc_arena_copy(arena, ccfc_buf_view(&fate->text));

	out->went_on = unsure > fate->unsure_before;
	out->taken = fate->taken;
	out->has_after = fate->became == WRITTEN;
	out->has_added = fate->became == LONGER;
	out->gone = fate->became == GONE;
	if (out->has_after)
		out->after = text;
	if (out->has_added)
		out->added = text;
}

/* False if the path is a link now. */
static bool read_text_evidence(struct ccfc_evidence *out,
			       const struct ccfc_run_call *call,
			       struct ccfc_slice path, struct ccfc_arena *arena)
{
	struct ccfc_shell_env env = {
		.cwd = call->cwd,
		.language =
			call->foreign ? CCFC_SHELL_POWERSHELL : CCFC_SHELL_BASH,
	};
	struct ccfc_shell_effects effects;
	struct fate fate = { 0 };

	ccfc_shell_effects_init(&effects);
	ccfc_shell_read(&effects, call->command, &env);
	follow_effects(&fate, &effects, effects.all.n, path);
	if (fate.became != AS_IT_WAS && may_git_undo(&fate, &effects, path))
		set_fate_unknown(&fate);
	out->brings = fate.became != WRITTEN && fate.became != LONGER &&
		      takes_content_elsewhere(&effects, path);
	put_fate_evidence(out, &fate,
			  ccfc_shell_unsure(&effects) -
				  effects.why[CCFC_SHELL_WHY_HOOK],
			  arena);
	ccfc_buf_release(&fate.text);
	ccfc_shell_effects_release(&effects);
	return !fate.is_link;
}

/* Is `b` the text `a`, apart from a newline at its end? */
static bool equals_but_final_newline(struct ccfc_slice a, struct ccfc_slice b)
{
	a.len -= a.len && a.ptr[a.len - 1] == '\n';
	b.len -= b.len && b.ptr[b.len - 1] == '\n';
	return ccfc_slice_eq(a, b);
}

/*
 * Adds to the recorded lines what the command's text says: how a created file
 * ends, and the rest of a rewritten file.
 */
static void add_command_text(struct ccfc_evidence *out,
			     const struct ccfc_evidence *text)
{
	if (!text->has_after || text->went_on || out->gone)
		return;
	if (out->has_after &&
	    equals_but_final_newline(out->after, text->after)) {
		out->confirmed =
			out->open_end || ccfc_slice_eq(out->after, text->after);
		if (!out->confirmed)
			return;
		out->after = text->after;
		out->open_end = false;
	} else if (!out->has_after && !ccfc_slice_contains(text->after, "\r") &&
		   ccfc_hunks_fit(out, CCFC_SIDE_NEW, text->after)) {
		out->has_after = out->from_text = true;
		out->after = text->after;
	}
}

bool ccfc_shell_evidence(struct ccfc_evidence *out,
			 const struct ccfc_history_env *env,
			 const struct ccfc_change *change,
			 const struct ccfc_shell_lines *lines,
			 struct ccfc_arena *arena)
{
	struct ccfc_slice path = ccfc_index_file_path(env->index, change->file);
	struct ccfc_slice id = ccfc_index_call_id(change);
	struct ccfc_evidence text = { .shape = CCFC_TOOL_SHELL,
				      .cell.number = -1,
				      .is_shell = true,
				      .from_text = true };
	struct ccfc_run_call call;
	bool is_file = true;
	bool called;

	called = ccfc_run_call_read(env->parser, &call, id, lines->call, arena);
	if (called && !call.cut)
		is_file = read_text_evidence(&text, &call, path, arena);
	if (is_file && ccfc_run_result_read(env->parser, out, id, path,
					    lines->result, arena)) {
		add_command_text(out, &text);
		out->taken = text.taken;
		out->brings = text.brings && !out->confirmed &&
			      !out->from_text && !text.has_added;
		return true;
	}
	*out = text;
	return called || (change->shell & CCFC_SHELL_RECORDED);
}
