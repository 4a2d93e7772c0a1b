/*
 * Revert plans; see revert_plan.h. From the last run of the changes to the
 * first: the changes from "after the run" until now are merged with the change
 * from "after the run" back to "before the run". So all changes by others stay.
 *
 * A file that the changes created is only removed if it is unchanged and no
 * other session changed it.
 */
#include "history/plan/revert_plan.h"

#include "history/file/read_file.h"

#define PRESENT_MAX ((size_t)64 << 20)

#define SINCE	"changed since it was created"
#define DELETED "deleted since"
#define AGAIN	"created again since"
#define BINARY	"changed since, and not text"
#define SAME	"the same lines were changed since"

static const char *const texts[] = {
#define X(sym, name) name,
	CCFC_PLAN_LIST(X)
#undef X
};

const char *ccfc_plan_text(enum ccfc_plan_action action)
{
	return texts[action];
}

static const char *copy_text(struct ccfc_arena *arena, const char *s)
{
	return ccfc_arena_copy(arena, ccfc_slice_str(s)).ptr;
}

static bool stop_plan(struct ccfc_plan *out, enum ccfc_plan_action action,
		      const char *why)
{
	out->action = action;
	out->why = why;
	return false;
}

/* Reads the file on disk; false if ccfc would not write there. */
static bool read_present(struct ccfc_plan *out, const char *path,
			 struct ccfc_arena *arena)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_file_info info = { 0 };
	struct ccfc_err err = { 0 };
	int r = ccfc_file_read(&buf, &info, path, PRESENT_MAX, &err);

	out->looked = !r && (!info.exists || info.regular) && !info.link;
	out->present.exists = info.exists;
	if (out->looked)
		out->present.bytes =
			ccfc_arena_copy(arena, ccfc_buf_view(&buf));
	ccfc_buf_release(&buf);
	if (info.link)
		return stop_plan(out, CCFC_PLAN_REFUSED, "is a symbolic link");
	if (r)
		return stop_plan(out, CCFC_PLAN_REFUSED,
				 copy_text(arena, err.what));
	if (info.exists && !info.regular)
		return stop_plan(out, CCFC_PLAN_REFUSED,
				 "is not a regular file");
	return true;
}

/* --- one run --- */

static const char *clash_reason(const struct ccfc_merge3 *w)
{
	if (!w->ours.exists)
		return DELETED;
	if (!w->theirs.exists)
		return SINCE;
	return w->base.exists ? BINARY : AGAIN;
}

/* Removes the run from *cur, which is in `text`. */
static bool undo_run(struct ccfc_plan *out, struct ccfc_version *cur,
		     struct ccfc_buf *text, const struct ccfc_merge3 *w)
{
	struct ccfc_buf merged = CCFC_BUF_INIT;
	struct ccfc_version result;
	uint32_t conflicts;
	enum ccfc_merge3_result r =
		ccfc_version_merge3(&result, &merged, &conflicts, w);

	out->conflicts += conflicts;
	if (r == CCFC_MERGE3_CLASH) /* `merged` is empty */
		return stop_plan(out, CCFC_PLAN_CONFLICT, clash_reason(w));
	if (result.bytes.ptr != text->ptr) {
		ccfc_buf_clear(text);
		ccfc_buf_slice(text, result.bytes);
	}
	cur->exists = result.exists;
	cur->bytes = ccfc_buf_view(text);
	ccfc_buf_release(&merged);
	return true;
}

static bool undo_runs(struct ccfc_plan *out, struct ccfc_version *cur,
		      struct ccfc_buf *text, struct ccfc_chain *chain,
		      const struct ccfc_change_runs *runs, const char *label,
		      struct ccfc_arena *arena)
{
	struct ccfc_arena scratch = CCFC_ARENA_INIT;
	bool ok = true;

	for (uint32_t k = runs->n; ok && k--;) {
		struct ccfc_merge3 w = { .ours = *cur,
					 .ours_label = "as it is",
					 .theirs_label = label };
		const char *why = out->why;

		ccfc_arena_clear(&scratch);
		ok = ccfc_change_run_ends(&w.theirs, &w.base, chain,
					  &runs->items[k], &out->fidelity, &why,
					  &scratch);
		if (why != out->why)
			out->why = copy_text(arena, why);
		if (!ok)
			out->action = CCFC_PLAN_UNKNOWN;
		else
			ok = undo_run(out, cur, text, &w);
	}
	ccfc_arena_release(&scratch);
	return ok;
}

/* --- the whole file --- */

/*
 * Did the changes create the file, does it still have their content, and did no
 * other session touch it in between? Then nothing is merged: steps of a
 * formatter in between go with the file.
 */
static bool did_create_alone(struct ccfc_plan *out, struct ccfc_chain *chain,
			     const struct ccfc_change_runs *runs)
{
	const struct ccfc_change_run ends = { runs->items[0].first,
					      runs->items[runs->n - 1].last };
	enum ccfc_fidelity fidelity = CCFC_FIDELITY_EXACT;
	struct ccfc_arena scratch = CCFC_ARENA_INIT;
	struct ccfc_version before, after;
	const char *why = "";
	bool yes;

	yes = !runs->others &&
	      ccfc_change_run_ends(&before, &after, chain, &ends, &fidelity,
				   &why, &scratch) &&
	      !before.exists && after.exists &&
	      ccfc_version_eq(&after, &out->present);
	if (yes)
		out->fidelity = fidelity;
	ccfc_arena_release(&scratch);
	return yes;
}

/* Sets the action that leads from the present file to the result. */
static void set_plan_action(struct ccfc_plan *out)
{
	if (out->conflicts) {
		stop_plan(out, CCFC_PLAN_CONFLICT, SAME);
		return;
	}
	if (ccfc_version_eq(&out->present, &out->result))
		out->action = CCFC_PLAN_NONE;
	else if (!out->result.exists)
		out->action = CCFC_PLAN_REMOVE;
	else
		out->action = out->present.exists ? CCFC_PLAN_WRITE
						  : CCFC_PLAN_CREATE;
}

static void undo_all_runs(struct ccfc_plan *out, struct ccfc_chain *chain,
			  const struct ccfc_change_runs *runs,
			  const char *label, struct ccfc_arena *arena)
{
	struct ccfc_version cur = out->present;
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_slice(&text, cur.bytes);
	cur.bytes = ccfc_buf_view(&text);
	if (undo_runs(out, &cur, &text, chain, runs, label, arena)) {
		out->has_result = true;
		out->result.exists = cur.exists;
		out->result.bytes = ccfc_arena_copy(arena, cur.bytes);
		set_plan_action(out);
	}
	ccfc_buf_release(&text);
}

/* If the changes created the file and it is gone, it is already reverted. */
static bool is_created_file_gone(const struct ccfc_plan *out,
				 struct ccfc_chain *chain,
				 const struct ccfc_change_runs *runs,
				 struct ccfc_arena *arena)
{
	struct ccfc_content_state first;

	if (out->present.exists)
		return false;
	ccfc_chain_step_before(&first, chain, runs->items[0].first, arena);
	return first.fidelity >= CCFC_FIDELITY_RECONSTRUCTED && !first.exists;
}

void ccfc_plan_revert(struct ccfc_plan *out, struct ccfc_chain *chain,
		      const uint32_t *changes, uint32_t n, const char *path,
		      const char *label, struct ccfc_arena *arena)
{
	struct ccfc_change_runs runs;

	*out = (struct ccfc_plan){ .fidelity = CCFC_FIDELITY_EXACT, .why = "" };
	if (!ccfc_change_runs_find(&runs, chain, changes, n, arena)) {
		out->fidelity = CCFC_FIDELITY_UNKNOWN;
		stop_plan(out, CCFC_PLAN_UNKNOWN, "its changes are not known");
		return;
	}
	if (!read_present(out, path, arena))
		return;
	if (is_created_file_gone(out, chain, &runs, arena)) {
		stop_plan(out, CCFC_PLAN_NONE, "it does not exist any more");
		return;
	}
	if (did_create_alone(out, chain, &runs)) {
		out->has_result = true;
		set_plan_action(out);
		return;
	}
	undo_all_runs(out, chain, &runs, label, arena);
}
