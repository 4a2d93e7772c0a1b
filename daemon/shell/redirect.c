/* Redirections: files that are written, texts that are read. See shell_walk.h.
 */
#include "shell/shell_walk.h"

static void to_file(struct ccfc_sh_walk *w, struct ccfc_sh_outlet *outlet,
		    const struct ccfc_sh_redirect *redirect)
{
	bool adds = redirect->op == CCFC_SH_ADD || redirect->adds;
	struct ccfc_sh_fields fields = { 0 };
	struct ccfc_shell_effect *effect;

	ccfc_sh_expand(w, &fields, redirect->word);
	if (fields.n != 1) {
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_TARGET, CCFC_SLICE_NONE);
		return;
	}
	effect = ccfc_sh_effect(w, adds ? CCFC_SHELL_APPEND : CCFC_SHELL_WRITE,
				&fields.items[0]);
	if (redirect->fd != 1)
		return;
	/* Bash writes to the last file, zsh to all. */
	outlet->lost |= outlet->away;
	outlet->away = true;
	outlet->effect = effect ? w->out->all.n : 0;
}

static void from_text(struct ccfc_sh_walk *w, struct ccfc_sh_outlet *outlet,
		      const struct ccfc_sh_redirect *redirect)
{
	struct ccfc_sh_field text =
		ccfc_sh_expand_value(w, redirect->word->parts);

	if (redirect->fd)
		return;
	/* Bash reads the last file, zsh all. */
	outlet->in = (struct ccfc_sh_flow){
		text.known && !text.home && !outlet->has_text, text.text
	};
	outlet->has_text = true;
	if (redirect->op == CCFC_SH_HERE_LINE)
		outlet->in.text =
			ccfc_sh_join(w, text.text, CCFC_SLICE_LIT("\n"));
}

struct ccfc_sh_outlet ccfc_sh_redirect(struct ccfc_sh_walk *w,
				       const struct ccfc_sh_redirect *list,
				       struct ccfc_sh_flow in)
{
	struct ccfc_sh_outlet outlet = { .in = in };
	struct ccfc_sh_fields ignored = { 0 };

	for (; list; list = list->next) {
		switch (list->op) {
		case CCFC_SH_OUT:
		case CCFC_SH_ADD:
		case CCFC_SH_BOTH:
			to_file(w, &outlet, list);
			break;
		case CCFC_SH_HERE:
		case CCFC_SH_HERE_LINE:
			from_text(w, &outlet, list);
			break;
		case CCFC_SH_INOUT:
			ccfc_sh_unsure(w, CCFC_SHELL_WHY_TARGET,
				       CCFC_SLICE_NONE);
			break;
		case CCFC_SH_DUP:
			outlet.lost |= list->fd == 1;
			break;
		case CCFC_SH_IN:
			ccfc_sh_expand(w, &ignored, list->word);
			break;
		}
		if (!list->fd && list->op != CCFC_SH_HERE &&
		    list->op != CCFC_SH_HERE_LINE)
			outlet.in = CCFC_SH_FLOW_UNKNOWN;
	}
	return outlet;
}

struct ccfc_sh_flow ccfc_sh_pour(struct ccfc_sh_walk *w,
				 const struct ccfc_sh_outlet *outlet,
				 struct ccfc_sh_flow out)
{
	struct ccfc_shell_effect *effect;

	if (outlet->lost)
		return CCFC_SH_FLOW_UNKNOWN;
	if (!outlet->away)
		return out;
	if (outlet->effect && out.known && !w->stopped) {
		effect = &w->out->all.items[outlet->effect - 1];
		effect->has_content = true;
		effect->content = ccfc_arena_copy(w->arena, out.text);
	}
	return CCFC_SH_FLOW_NONE;
}
