/*
 * Lists, pipelines, conditions and loops: which commands are certainly reached,
 * and whose failure shows in the exit status. Effects are marked when the
 * construct around them ends, from the inside out.
 */
#include "shell/shell_walk.h"

static struct ccfc_sh_result walk_command(struct ccfc_sh_walk *w,
					  const struct ccfc_sh_node *node,
					  struct ccfc_sh_flow in);

static const struct ccfc_sh_result unknown_result = { 0 };

static struct ccfc_sh_flow
join_flows(struct ccfc_sh_walk *w, struct ccfc_sh_flow a, struct ccfc_sh_flow b)
{
	if (!a.known || !b.known)
		return CCFC_SH_FLOW_UNKNOWN;
	if (!a.text.len || !b.text.len)
		return a.text.len ? a : b;
	return (struct ccfc_sh_flow){ true, ccfc_sh_join(w, a.text, b.text) };
}

/* ---- pipelines ---- */

/* Walks one command of a pipeline: each runs in a subshell. */
static struct ccfc_sh_flow walk_pipe_part(struct ccfc_sh_walk *w,
					  const struct ccfc_sh_node *node,
					  struct ccfc_sh_flow in)
{
	struct ccfc_sh_state before = w->state;
	uint32_t start = w->out->all.n;
	struct ccfc_sh_flow out;

	w->state.may_exit = false;
	out = walk_command(w, node, in).out;
	ccfc_sh_left_subshell(w, start, before.may_exit);
	if (node->next) {
		/* The command may end early if nobody reads its output. */
		if (node->kind != CCFC_SH_SIMPLE)
			ccfc_sh_maybe(w, start);
		for (uint32_t i = start; i < w->out->all.n; i++)
			w->out->all.items[i].has_content = false;
		if (!before.pipefail)
			ccfc_sh_unchecked(w, start);
	}
	w->state = before;
	return out;
}

static struct ccfc_sh_result walk_pipeline(struct ccfc_sh_walk *w,
					   const struct ccfc_sh_node *node,
					   struct ccfc_sh_flow in)
{
	uint32_t start = w->out->all.n;
	uint32_t unsure = ccfc_shell_unsure(w->out);
	struct ccfc_sh_result result = unknown_result;
	const struct ccfc_sh_node *part;

	if (!node->first->next) {
		result = walk_command(w, node->first, in);
	} else {
		for (part = node->first; part; part = part->next) {
			uint32_t middle = w->out->all.n;

			in = walk_pipe_part(w, part, in);
			ccfc_sh_beside(w, start, middle);
		}
		result.out = in;
		for (uint32_t i = start; i < w->out->all.n; i++)
			w->out->all.items[i].unsure_before = unsure;
	}
	if (node->negated) {
		ccfc_sh_unchecked(w, start);
		result.steady = result.fails_shell = false;
	}
	return result;
}

/* ---- && and || ---- */

/* The right side of "||", where the left side's effects begin at `start`. */
static struct ccfc_sh_result
walk_or(struct ccfc_sh_walk *w, const struct ccfc_sh_node *node, uint32_t start)
{
	struct ccfc_sh_state before = w->state;
	uint32_t middle = w->out->all.n;
	struct ccfc_sh_result result;

	/* The right side runs after a cd on the left side has failed. */
	if (w->state.cd_new)
		w->state.cwd = CCFC_SLICE_NONE;
	w->state.cd_new = false;
	w->after_or = !node->first->next;
	result = walk_pipeline(w, node, CCFC_SH_FLOW_UNKNOWN);
	w->after_or = false;
	if (result.fails_shell) {
		/* What follows runs only if the left side succeeded. */
		w->state = before;
		w->state.cd_new = false;
		w->state.may_exit = true;
		ccfc_sh_checked_by_exit(w, start);
	} else {
		ccfc_sh_unchecked(w, start);
		before.cd_risk |= before.cd_new;
		before.cd_new = false;
		if (before.cd_risk && !w->state.cwd.len)
			w->state.cwd = before.cwd;
		ccfc_sh_merge(w, &before);
	}
	ccfc_sh_maybe(w, middle);
	return unknown_result;
}

static struct ccfc_sh_result walk_and(struct ccfc_sh_walk *w,
				      const struct ccfc_sh_node *node,
				      struct ccfc_sh_result left)
{
	uint32_t start = w->out->all.n;
	struct ccfc_sh_result right;

	w->state.cd_new = false;
	right = walk_pipeline(w, node, CCFC_SH_FLOW_UNKNOWN);
	ccfc_sh_chained(w, start);
	right.fails_shell = false;
	right.out = left.steady ? join_flows(w, left.out, right.out)
				: CCFC_SH_FLOW_UNKNOWN;
	right.steady &= left.steady;
	return right;
}

static struct ccfc_sh_result walk_and_or(struct ccfc_sh_walk *w,
					 const struct ccfc_sh_node *node,
					 struct ccfc_sh_flow in)
{
	uint32_t start = w->out->all.n;
	struct ccfc_sh_result result = walk_pipeline(w, node->first, in);
	struct ccfc_sh_state first = w->state;
	const struct ccfc_sh_node *part = node->first->next;
	bool steady = result.steady; /* all but the last */

	if (!part)
		return result;
	for (; part && !w->stopped; part = part->next) {
		steady = result.steady;
		result = part->joint == CCFC_SH_AND ? walk_and(w, part, result)
						    : walk_or(w, part, start);
	}
	/* Later commands may not have changed directory and variables. */
	if (!steady) {
		bool cd_new = w->state.cd_new;

		first.cd_new = false;
		ccfc_sh_merge(w, &first);
		w->state.cd_new = cd_new;
	}
	return result;
}

/* ---- lists ---- */

static void end_of_part(struct ccfc_sh_walk *w, const struct ccfc_sh_node *node,
			uint32_t start)
{
	if (w->state.errexit && !w->in_condition && !node->first->next &&
	    !node->first->negated) {
		ccfc_sh_checked_by_exit(w, start);
	} else {
		ccfc_sh_unchecked(w, start);
		w->state.cd_risk |= w->state.cd_new;
	}
	w->state.cd_new = false;
}

static void walk_background(struct ccfc_sh_walk *w,
			    const struct ccfc_sh_node *node)
{
	struct ccfc_sh_state before = w->state;
	uint32_t start = w->out->all.n, unsure = ccfc_shell_unsure(w->out);

	walk_and_or(w, node, CCFC_SH_FLOW_UNKNOWN);
	ccfc_sh_maybe(w, start);
	w->background |=
		w->out->all.n > start || ccfc_shell_unsure(w->out) > unsure;
	w->state = before;
}

struct ccfc_sh_result ccfc_sh_walk_list(struct ccfc_sh_walk *w,
					const struct ccfc_sh_node *list,
					struct ccfc_sh_flow in)
{
	struct ccfc_sh_result all = { .out = CCFC_SH_FLOW_NONE,
				      .steady = true };
	const struct ccfc_sh_node *node;

	for (node = list->first; node && !w->stopped; node = node->next) {
		uint32_t start = w->out->all.n;
		struct ccfc_sh_result one = unknown_result;
		bool sure = !w->state.may_exit && !w->state.may_leave &&
			    !w->state.may_break;

		if (node->joint == CCFC_SH_BESIDE) {
			walk_background(w, node);
		} else {
			one = walk_and_or(w, node, in);
			if (node->next)
				end_of_part(w, node, start);
		}
		all.out = sure || node == list->first
				  ? join_flows(w, all.out, one.out)
				  : CCFC_SH_FLOW_UNKNOWN;
		all.fails_shell |= one.fails_shell;
		all.steady = one.steady;
		/* The earlier commands may have read a part of the input. */
		in = CCFC_SH_FLOW_UNKNOWN;
	}
	return all;
}

struct ccfc_sh_flow ccfc_sh_walk_subshell(struct ccfc_sh_walk *w,
					  const struct ccfc_sh_node *list,
					  struct ccfc_sh_flow in)
{
	struct ccfc_sh_state before = w->state;
	uint32_t start = w->out->all.n;
	struct ccfc_sh_flow out;

	w->state.may_exit = false;
	out = ccfc_sh_walk_list(w, list, in).out;
	ccfc_sh_left_subshell(w, start, before.may_exit);
	ccfc_sh_unchecked(w, start);
	w->state = before;
	return out;
}

/* ---- compound commands ---- */

static struct ccfc_sh_result walk_parens(struct ccfc_sh_walk *w,
					 const struct ccfc_sh_node *node,
					 struct ccfc_sh_flow in)
{
	struct ccfc_sh_state before = w->state;
	uint32_t start = w->out->all.n;
	struct ccfc_sh_result result;

	w->state.may_exit = false;
	result = ccfc_sh_walk_list(w, node->first, in);
	ccfc_sh_left_subshell(w, start, before.may_exit);
	w->state = before;
	result.fails_shell = false;
	return result;
}

static void walk_condition(struct ccfc_sh_walk *w,
			   const struct ccfc_sh_node *list)
{
	uint32_t start = w->out->all.n;

	w->in_condition++;
	ccfc_sh_walk_list(w, list, CCFC_SH_FLOW_UNKNOWN);
	w->in_condition--;
	ccfc_sh_unchecked(w, start);
	/* Whether the cd has worked decides where the shell goes on. */
	w->state.cd_risk |= w->state.cd_new;
	w->state.cd_new = false;
}

/* Walks one of several branches from `before`; merges the end states. */
static void walk_branch(struct ccfc_sh_walk *w, const struct ccfc_sh_node *node,
			const struct ccfc_sh_state *before,
			struct ccfc_sh_state *so_far)
{
	uint32_t start = w->out->all.n;

	w->state = *before;
	walk_command(w, node, CCFC_SH_FLOW_UNKNOWN);
	ccfc_sh_maybe(w, start);
	ccfc_sh_merge(w, so_far);
	*so_far = w->state;
}

static void walk_if(struct ccfc_sh_walk *w, const struct ccfc_sh_node *node)
{
	struct ccfc_sh_state before, so_far;

	walk_condition(w, node->first);
	before = so_far = w->state;
	walk_branch(w, node->second, &before, &so_far);
	if (node->third)
		walk_branch(w, node->third, &before, &so_far);
}

static void walk_words(struct ccfc_sh_walk *w, struct ccfc_sh_fields *to,
		       const struct ccfc_sh_word *words)
{
	for (; words && !w->stopped; words = words->next)
		ccfc_sh_expand(w, to, words);
}

static void walk_case(struct ccfc_sh_walk *w, const struct ccfc_sh_node *node)
{
	struct ccfc_sh_fields ignored = { 0 };
	struct ccfc_sh_state before, so_far;
	const struct ccfc_sh_node *branch;

	walk_words(w, &ignored, node->words);
	before = so_far = w->state;
	for (branch = node->first; branch; branch = branch->next)
		walk_branch(w, branch, &before, &so_far);
}

/* Is another round of a loop the same as the first? */
static bool is_same_state(const struct ccfc_sh_state *a,
			  const struct ccfc_sh_state *b)
{
	if (!ccfc_slice_eq(a->cwd, b->cwd) || a->vars_n != b->vars_n ||
	    a->vars_lost != b->vars_lost || a->stack_n != b->stack_n)
		return false;
	for (int i = 0; i < a->vars_n; i++)
		if (a->vars[i].value.known != b->vars[i].value.known ||
		    !ccfc_slice_eq(a->vars[i].value.text,
				   b->vars[i].value.text))
			return false;
	return true;
}

/* A loop that runs an unknown number of times, or never. */
static void walk_loop(struct ccfc_sh_walk *w, const struct ccfc_sh_node *node)
{
	struct ccfc_sh_state before = w->state, inside;
	uint32_t start = w->out->all.n;

	if (node->kind == CCFC_SH_FOR && !node->is_plain &&
	    ccfc_slice_starts(node->name, "(("))
		ccfc_sh_arithmetic(w, node->name);
	else if (node->kind == CCFC_SH_FOR)
		ccfc_sh_set(w, node->name, NULL);
	else
		walk_condition(w, node->first);
	inside = w->state;
	walk_branch(w, node->second, &inside, &before);
	if (w->out->all.n > start && !is_same_state(&inside, &w->state))
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_TARGET, CCFC_SLICE_NONE);
	w->state.may_break = inside.may_break;
}

static struct ccfc_sh_result walk_for(struct ccfc_sh_walk *w,
				      const struct ccfc_sh_node *node)
{
	struct ccfc_sh_result result = { .out = CCFC_SH_FLOW_NONE };
	bool may_break = w->state.may_break, plain = node->is_plain;
	struct ccfc_sh_state before = w->state;
	struct ccfc_sh_fields items = { 0 };
	uint32_t start = w->out->all.n;

	walk_words(w, &items, node->words);
	for (uint32_t i = 0; i < items.n; i++)
		plain &= ccfc_sh_is_plain(&items.items[i]) &&
			 !items.items[i].home;
	if (!plain || items.n > CCFC_SH_UNROLL_MAX) {
		walk_loop(w, node);
		return unknown_result;
	}
	for (uint32_t i = 0; i < items.n && !w->stopped; i++) {
		ccfc_sh_unchecked(w, start);
		w->state.cd_risk |= w->state.cd_new;
		w->state.cd_new = false;
		ccfc_sh_set(w, node->name, &items.items[i].text);
		result.out = join_flows(
			w, result.out,
			ccfc_sh_walk_list(w, node->second, CCFC_SH_FLOW_UNKNOWN)
				.out);
		if (w->state.may_break)
			result.out = CCFC_SH_FLOW_UNKNOWN;
	}
	if (w->state.may_break != may_break)
		ccfc_sh_merge(w, &before);
	w->state.may_break = may_break;
	return result;
}

static void walk_function(struct ccfc_sh_walk *w,
			  const struct ccfc_sh_node *node)
{
	struct ccfc_sh_state before = w->state;
	uint32_t start = w->out->all.n, unsure = ccfc_shell_unsure(w->out);
	struct ccfc_sh_function *function;

	if (w->functions_n == CCFC_SH_FUNCTIONS_MAX) {
		ccfc_sh_stop(w);
		return;
	}
	function = &w->functions[w->functions_n++];
	*function = (struct ccfc_sh_function){ .name = node->name };
	walk_command(w, node->first, CCFC_SH_FLOW_UNKNOWN);
	ccfc_sh_maybe(w, start);
	function->harmless = w->out->all.n == start &&
			     ccfc_shell_unsure(w->out) == unsure &&
			     is_same_state(&before, &w->state) &&
			     w->state.may_exit == before.may_exit &&
			     w->state.may_leave == before.may_leave;
	w->state = before;
}

static struct ccfc_sh_result walk_compound(struct ccfc_sh_walk *w,
					   const struct ccfc_sh_node *node,
					   struct ccfc_sh_flow in)
{
	struct ccfc_sh_fields ignored = { 0 };

	switch (node->kind) {
	case CCFC_SH_LIST:
		return ccfc_sh_walk_list(w, node, in);
	case CCFC_SH_GROUP:
		return ccfc_sh_walk_list(w, node->first, in);
	case CCFC_SH_SUBSHELL:
		return walk_parens(w, node, in);
	case CCFC_SH_FOR:
		return walk_for(w, node);
	case CCFC_SH_IF:
		walk_if(w, node);
		break;
	case CCFC_SH_LOOP:
		walk_loop(w, node);
		break;
	case CCFC_SH_CASE:
		walk_case(w, node);
		break;
	case CCFC_SH_FUNCTION:
		walk_function(w, node);
		break;
	case CCFC_SH_TEST:
		walk_words(w, &ignored, node->words);
		return (struct ccfc_sh_result){ .out = CCFC_SH_FLOW_NONE };
	case CCFC_SH_ARITH:
		ccfc_sh_arithmetic(w, node->name);
		break;
	default:
		break;
	}
	return unknown_result;
}

static struct ccfc_sh_result walk_command(struct ccfc_sh_walk *w,
					  const struct ccfc_sh_node *node,
					  struct ccfc_sh_flow in)
{
	struct ccfc_sh_outlet outlet;
	struct ccfc_sh_result result;
	uint32_t start = w->out->all.n, middle;
	struct ccfc_sh_state before, after;

	if (node->kind == CCFC_SH_SIMPLE)
		return ccfc_sh_walk_simple(w, node, in);
	if (!node->redirects)
		return walk_compound(w, node, in);
	before = w->state;
	/* The text comes first, although the shell opens the files before. */
	result = walk_compound(w, node, CCFC_SH_FLOW_UNKNOWN);
	after = w->state;
	middle = w->out->all.n;
	w->state = before;
	outlet = ccfc_sh_redirect(w, node->redirects, in);
	w->state = after;
	result.out = ccfc_sh_pour(w, &outlet, result.out);
	ccfc_sh_beside(w, start, middle);
	return result;
}
