/* Effects and their certainty; see shell_walk.h. */
#include "base/alloc.h"
#include "base/path.h"
#include "shell/shell_walk.h"

#include <stdlib.h>

void ccfc_sh_unsure(struct ccfc_sh_walk *w, enum ccfc_shell_why why,
		    struct ccfc_slice name)
{
	struct ccfc_shell_effects *out = w->out;

	if (w->stopped)
		return;
	if (!ccfc_shell_unsure(out) && name.len)
		out->first_unsure = ccfc_arena_copy(w->arena, name);
	out->why[why]++;
}

void ccfc_sh_stop(struct ccfc_sh_walk *w)
{
	ccfc_sh_unsure(w, CCFC_SHELL_WHY_LIMIT, CCFC_SLICE_NONE);
	w->stopped = true;
}

struct ccfc_slice ccfc_sh_path(struct ccfc_sh_walk *w,
			       const struct ccfc_sh_field *field)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	struct ccfc_slice cwd = w->state.cwd, out = CCFC_SLICE_NONE;
	struct ccfc_slice text = field->text;

	if (!ccfc_sh_is_plain(field) || !text.len)
		return out;
	/* The home directory is guessed from the directory of the command. */
	if (field->home)
		cwd = w->env->cwd;
	else if (text.ptr[0] == '~')
		text = ccfc_sh_join(w, CCFC_SLICE_LIT("./"), text);
	if (ccfc_path_normalise(&path, text, cwd, w->env->home) &&
	    path.len <= CCFC_SH_PATH_MAX)
		out = ccfc_arena_copy(w->arena, ccfc_buf_view(&path));
	ccfc_buf_release(&path);
	return out;
}

static bool is_device(struct ccfc_slice path)
{
	return ccfc_slice_starts(path, "/dev/") &&
	       !ccfc_slice_starts(path, "/dev/shm/");
}

struct ccfc_shell_effect *ccfc_sh_effect(struct ccfc_sh_walk *w,
					 enum ccfc_shell_op op,
					 const struct ccfc_sh_field *field)
{
	struct ccfc_shell_effects *out = w->out;
	struct ccfc_slice path = ccfc_sh_path(w, field);
	bool below_cwd = path.len && !field->home && field->text.ptr[0] != '/';
	struct ccfc_sh_mark *mark;

	if (w->stopped || is_device(path))
		return NULL;
	if (!path.len) {
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_TARGET, CCFC_SLICE_NONE);
		return NULL;
	}
	if (out->all.n == CCFC_SHELL_EFFECTS_MAX) {
		ccfc_sh_stop(w);
		return NULL;
	}
	mark = &w->marks[out->all.n];
	*mark = (struct ccfc_sh_mark){
		.maybe = w->state.may_leave || w->state.may_break,
		.exits = w->state.may_exit,
		.checked = !(below_cwd && w->state.cd_risk),
	};
	CCFC_VEC_PUSH(out->all, ((struct ccfc_shell_effect){
					.op = op,
					.path = path,
					.unsure_before = ccfc_shell_unsure(out),
				}));
	return &out->all.items[out->all.n - 1];
}

void ccfc_sh_unchecked(struct ccfc_sh_walk *w, uint32_t start)
{
	for (uint32_t i = start; i < w->out->all.n; i++) {
		struct ccfc_sh_mark *mark = &w->marks[i];

		mark->maybe |= mark->chained;
		mark->chained = false;
		mark->checked &= mark->checked_by_exit;
	}
}

void ccfc_sh_checked_by_exit(struct ccfc_sh_walk *w, uint32_t start)
{
	for (uint32_t i = start; i < w->out->all.n; i++) {
		struct ccfc_sh_mark *mark = &w->marks[i];

		mark->exits |= mark->chained;
		mark->chained = false;
		mark->checked_by_exit |= mark->checked;
	}
}

void ccfc_sh_chained(struct ccfc_sh_walk *w, uint32_t start)
{
	for (uint32_t i = start; i < w->out->all.n; i++)
		w->marks[i].chained = true;
}

void ccfc_sh_maybe(struct ccfc_sh_walk *w, uint32_t start)
{
	for (uint32_t i = start; i < w->out->all.n; i++)
		w->marks[i].maybe = true;
}

void ccfc_sh_left_subshell(struct ccfc_sh_walk *w, uint32_t start, bool exits)
{
	for (uint32_t i = start; i < w->out->all.n; i++) {
		w->marks[i].chained |= w->marks[i].exits;
		w->marks[i].exits = exits;
		w->marks[i].checked_by_exit = false;
	}
}

static bool touches_path(const struct ccfc_shell_effect *a,
			 struct ccfc_slice path)
{
	return ccfc_path_is_below(path, a->path) ||
	       ccfc_path_is_below(a->path, path) ||
	       ccfc_path_is_below(path, a->from) ||
	       (a->from.len && ccfc_path_is_below(a->from, path));
}

static void lose_order(struct ccfc_sh_walk *w, uint32_t i)
{
	w->marks[i].maybe = true;
	w->out->all.items[i].has_content = false;
	w->out->all.items[i].content = CCFC_SLICE_NONE;
}

void ccfc_sh_beside(struct ccfc_sh_walk *w, uint32_t start, uint32_t middle)
{
	const struct ccfc_shell_effect *all = w->out->all.items;

	for (uint32_t i = start; i < middle; i++)
		for (uint32_t k = middle; k < w->out->all.n; k++)
			if (touches_path(&all[i], all[k].path) ||
			    touches_path(&all[k], all[i].path)) {
				lose_order(w, i);
				lose_order(w, k);
			}
}

void ccfc_sh_finish_marks(struct ccfc_sh_walk *w)
{
	for (uint32_t i = 0; i < w->out->all.n; i++) {
		const struct ccfc_sh_mark *mark = &w->marks[i];
		struct ccfc_shell_effect *effect = &w->out->all.items[i];

		effect->reach = mark->maybe ? CCFC_SHELL_MAYBE
				: mark->chained || mark->exits
					? CCFC_SHELL_IF_OK
					: CCFC_SHELL_ALWAYS;
		effect->checked = mark->checked;
	}
}
