/* Variables and directory, as far as they are known; see shell_walk.h. */
#include "shell/shell_walk.h"

static struct ccfc_sh_var *find_variable(const struct ccfc_sh_state *state,
					 struct ccfc_slice name)
{
	for (int i = 0; i < state->vars_n; i++)
		if (ccfc_slice_eq(state->vars[i].name, name))
			return (struct ccfc_sh_var *)&state->vars[i];
	return NULL;
}

void ccfc_sh_set(struct ccfc_sh_walk *w, struct ccfc_slice name,
		 const struct ccfc_slice *value)
{
	struct ccfc_sh_state *state = &w->state;
	struct ccfc_sh_var *var = find_variable(state, name);

	if (!var && state->vars_n == CCFC_SH_VARS_MAX)
		return; /* never known, then */
	if (!var) {
		var = &state->vars[state->vars_n++];
		var->name = name;
	}
	var->value = CCFC_SH_FLOW_UNKNOWN;
	if (value)
		var->value = (struct ccfc_sh_flow){ true, *value };
	/* An empty value still has an address: see below. */
	if (value && !value->len)
		var->value.text.ptr = "";
}

void ccfc_sh_forget_variables(struct ccfc_sh_walk *w)
{
	for (int i = 0; i < w->state.vars_n; i++)
		w->state.vars[i].value = CCFC_SH_FLOW_UNKNOWN;
	w->state.vars_lost = true;
}

void ccfc_sh_forget_state(struct ccfc_sh_walk *w)
{
	ccfc_sh_forget_variables(w);
	w->state.cwd = w->state.old_cwd = CCFC_SLICE_NONE;
	w->state.stack_n = 0;
	w->state.errexit = w->state.pipefail = false;
	w->state.may_exit = true;
}

struct ccfc_sh_flow ccfc_sh_variable(const struct ccfc_sh_walk *w,
				     struct ccfc_slice name)
{
	const struct ccfc_sh_var *var = find_variable(&w->state, name);

	if (var)
		return var->value;
	/* Without an address: the home directory, wherever that is. */
	if (!w->state.vars_lost && ccfc_slice_is(name, "HOME"))
		return (struct ccfc_sh_flow){ true, w->env->home.len
							    ? w->env->home
							    : CCFC_SLICE_NONE };
	if (!w->state.vars_lost && ccfc_slice_is(name, "PWD") &&
	    w->state.cwd.len)
		return (struct ccfc_sh_flow){ true, w->state.cwd };
	return CCFC_SH_FLOW_UNKNOWN;
}

static void merge_variables(struct ccfc_sh_walk *w,
			    const struct ccfc_sh_state *other)
{
	struct ccfc_sh_state *state = &w->state;

	for (int i = 0; i < state->vars_n; i++) {
		const struct ccfc_sh_var *var =
			find_variable(other, state->vars[i].name);

		if (!var || !var->value.known ||
		    !ccfc_slice_eq(var->value.text, state->vars[i].value.text))
			state->vars[i].value = CCFC_SH_FLOW_UNKNOWN;
	}
	for (int i = 0; i < other->vars_n; i++)
		if (!find_variable(state, other->vars[i].name))
			ccfc_sh_set(w, other->vars[i].name, NULL);
	state->vars_lost |= other->vars_lost;
}

void ccfc_sh_merge(struct ccfc_sh_walk *w, const struct ccfc_sh_state *other)
{
	struct ccfc_sh_state *state = &w->state;

	merge_variables(w, other);
	if (!ccfc_slice_eq(state->cwd, other->cwd))
		state->cwd = CCFC_SLICE_NONE;
	if (!ccfc_slice_eq(state->old_cwd, other->old_cwd))
		state->old_cwd = CCFC_SLICE_NONE;
	if (state->stack_n != other->stack_n)
		state->stack_n = 0;
	for (int i = 0; i < state->stack_n; i++)
		if (!ccfc_slice_eq(state->stack[i], other->stack[i]))
			state->stack[i] = CCFC_SLICE_NONE;
	state->cd_new |= other->cd_new;
	state->cd_risk |= other->cd_risk;
	state->may_exit |= other->may_exit || state->errexit || other->errexit;
	state->may_leave |= other->may_leave;
	state->may_break |= other->may_break;
	state->errexit &= other->errexit;
	state->pipefail &= other->pipefail;
}
