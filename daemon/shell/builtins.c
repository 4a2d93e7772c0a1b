/* Builtins of the shell: directory, variables, echo. See shell_walk.h. */
#include "base/path.h"
#include "shell/shell_walk.h"

typedef void (*builtin_fn)(struct ccfc_sh_walk *w, struct ccfc_sh_call *call);

static void run_harmless(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	(void)w;
	call->out = CCFC_SH_FLOW_NONE;
	call->steady = !ccfc_slice_is(call->name, "false") &&
		       !ccfc_slice_is(call->name, "test") &&
		       !ccfc_slice_is(call->name, "[");
}

/* ---- where we are ---- */

/*
 * Changes the directory; the directories above the first one certainly exist.
 */
static void change_dir(struct ccfc_sh_walk *w, struct ccfc_slice dir)
{
	w->state.old_cwd = w->state.cwd;
	w->state.cwd = dir;
	w->state.cd_new |= !ccfc_path_is_below(w->env->cwd, dir);
}

static void run_cd(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	static const struct ccfc_sh_field home = { .text = { "~", 1 },
						   .known = true,
						   .home = true };
	const struct ccfc_sh_field *to = &home;
	uint32_t i = 0;

	call->out = CCFC_SH_FLOW_NONE;
	call->steady = true;
	while (i < call->n && (ccfc_sh_is(&call->args[i], "-P") ||
			       ccfc_sh_is(&call->args[i], "-L") ||
			       ccfc_sh_is(&call->args[i], "--")))
		i++;
	if (i < call->n)
		to = &call->args[i];
	if (to->home || ccfc_path_is_absolute(to->text))
		w->state.cd_risk = w->state.cd_new = false;
	if (ccfc_sh_is(to, "-")) {
		call->out = CCFC_SH_FLOW_UNKNOWN;
		change_dir(w, w->state.old_cwd);
	} else {
		change_dir(w, i + 1 < call->n ? CCFC_SLICE_NONE
					      : ccfc_sh_path(w, to));
	}
}

static void run_pushd(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	struct ccfc_sh_state *state = &w->state;

	call->steady = true;
	if (call->n != 1 || state->stack_n == CCFC_SH_STACK_MAX ||
	    ccfc_slice_starts(call->args[0].text, "-") ||
	    ccfc_slice_starts(call->args[0].text, "+")) {
		state->stack_n = 0;
		change_dir(w, CCFC_SLICE_NONE);
		return;
	}
	state->stack[state->stack_n++] = state->cwd;
	change_dir(w, ccfc_sh_path(w, &call->args[0]));
}

static void run_popd(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	struct ccfc_sh_state *state = &w->state;
	bool known = !call->n && state->stack_n;

	call->steady = true;
	change_dir(w, known ? state->stack[--state->stack_n] : CCFC_SLICE_NONE);
}

static void run_pwd(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	if (!call->n && w->state.cwd.len && !w->state.cd_risk)
		call->out = (struct ccfc_sh_flow){
			true,
			ccfc_sh_join(w, w->state.cwd, CCFC_SLICE_LIT("\n"))
		};
}

/* ---- how it goes on ---- */

static void run_exit(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	bool fails = call->after_or && !call->n;

	if (call->n == 1 && call->args[0].text.len == 1)
		fails = strchr("123456789", call->args[0].text.ptr[0]) != NULL;
	call->fails_shell = fails;
	if (fails)
		w->state.may_exit = true;
	else
		w->state.may_leave = true;
}

static void run_return(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	(void)call;
	w->state.may_leave = true;
}

static void run_break(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	(void)call;
	w->state.may_break = true;
}

static void set_option(struct ccfc_sh_walk *w, bool on, char letter,
		       struct ccfc_slice name)
{
	struct ccfc_sh_state *state = &w->state;

	if (letter == 'e' || ccfc_slice_is(name, "errexit")) {
		state->errexit = on;
		state->may_exit |= on;
	} else if (ccfc_slice_is(name, "pipefail")) {
		state->pipefail = on;
	} else if (letter == 'u' || ccfc_slice_is(name, "nounset")) {
		state->may_exit |= on;
	} else if (letter != 'x' && letter != 'v' && letter != 'h' &&
		   letter != 'm' && letter != 'H') {
		w->state.may_leave = true;
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_PROGRAM,
			       CCFC_SLICE_LIT("set"));
	}
}

static void run_set(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	call->steady = true;
	for (uint32_t i = 0; i < call->n; i++) {
		struct ccfc_slice text = call->args[i].text;

		if (!call->args[i].known || text.len < 2 ||
		    !strchr("-+", text.ptr[0]))
			continue;
		for (size_t k = 1; k < text.len && text.ptr[1] != '-'; k++) {
			if (text.ptr[k] != 'o')
				set_option(w, text.ptr[0] == '-', text.ptr[k],
					   CCFC_SLICE_NONE);
			else if (i + 1 < call->n)
				set_option(w, text.ptr[0] == '-', 0,
					   call->args[++i].text);
		}
	}
}

/* May have any effect: eval, source, trap. */
static void run_unknown(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	ccfc_sh_unsure(w, CCFC_SHELL_WHY_PROGRAM, call->name);
	ccfc_sh_forget_state(w);
	w->state.may_leave = true;
}

/* bin/activate changes no directory. */
static void run_source(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	if (call->n != 1 || !call->args[0].known ||
	    !ccfc_slice_ends(call->args[0].text, "bin/activate"))
		run_unknown(w, call);
}

static void run_exec(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	if (call->n)
		run_unknown(w, call);
}

/* ---- variables ---- */

/* export, local, declare: names, some with a value. */
static void run_declare(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	call->steady = true;
	call->out = CCFC_SH_FLOW_NONE;
	for (uint32_t i = 0; i < call->n; i++) {
		const struct ccfc_sh_field *arg = &call->args[i];
		size_t n = ccfc_sh_name_length(arg->text);
		struct ccfc_slice name, value;

		if (!n && (arg->known || arg->text.len))
			continue;
		name = ccfc_slice(arg->text.ptr, n);
		if (!n) {
			ccfc_sh_forget_variables(w);
		} else if (n < arg->text.len && arg->text.ptr[n] == '=') {
			value = ccfc_slice_from(arg->text, n + 1);
			if (ccfc_slice_is(name, "IFS"))
				run_unknown(w, call);
			ccfc_sh_set(w, name,
				    arg->known && !ccfc_slice_starts(value, "~")
					    ? &value
					    : NULL);
		} else if (!ccfc_slice_is(call->name, "export")) {
			ccfc_sh_set(w, name, NULL);
		}
	}
}

/* read, unset, mapfile: the named variables may have any value. */
static void forget_named_variables(struct ccfc_sh_walk *w,
				   struct ccfc_sh_call *call)
{
	for (uint32_t i = 0; i < call->n; i++) {
		const struct ccfc_sh_field *arg = &call->args[i];

		if (!arg->known)
			ccfc_sh_forget_variables(w);
		else if (ccfc_sh_name_length(arg->text))
			ccfc_sh_set(w, arg->text, NULL);
	}
	if (ccfc_slice_is(call->name, "let"))
		ccfc_sh_forget_variables(w);
}

/* ---- commands within commands ---- */

#define SHELLS_MAX 3 /* sh -c "sh -c …" */

/* Does every "sh" understand the text as bash does? */
static bool is_for_every_shell(struct ccfc_slice text)
{
	static const char *const own[] = { "{",	    "$'",      "[[", "&>",
					   "<<<",   "<(",      ">(", "((",
					   "+=",    "\\",      ">&", "echo -",
					   "pushd", "function" };

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (ccfc_slice_contains(text, own[i]))
			return false;
	return true;
}

/* sh -c TEXT: read as a separate command without variables. */
static void run_shell(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	const struct ccfc_sh_node *list = NULL;
	struct ccfc_sh_state before = w->state;
	uint32_t start = w->out->all.n;

	if (call->n && ccfc_sh_is(&call->args[0], "-n"))
		return;
	if (call->n >= 2 && w->depth < SHELLS_MAX &&
	    (ccfc_sh_is(&call->args[0], "-c") ||
	     ccfc_sh_is(&call->args[0], "-lc")) &&
	    call->args[1].known &&
	    (!ccfc_slice_is(call->name, "sh") ||
	     is_for_every_shell(call->args[1].text)))
		list = ccfc_sh_parse(call->args[1].text, w->arena);
	if (!list) {
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_PROGRAM, call->name);
		return;
	}
	w->depth++;
	ccfc_sh_forget_variables(w);
	w->state.errexit = w->state.pipefail = w->state.may_exit = false;
	call->out = ccfc_sh_walk_list(w, list, call->in).out;
	ccfc_sh_left_subshell(w, start, before.may_exit);
	w->depth--;
	w->state = before;
}

static const struct {
	const char *name;
	builtin_fn run;
} builtins[] = {
	{ ":", run_harmless },
	{ "true", run_harmless },
	{ "false", run_harmless },
	{ "test", run_harmless },
	{ "[", run_harmless },
	{ "cd", run_cd },
	{ "pushd", run_pushd },
	{ "popd", run_popd },
	{ "pwd", run_pwd },
	{ "exit", run_exit },
	{ "return", run_return },
	{ "break", run_break },
	{ "continue", run_break },
	{ "set", run_set },
	{ "eval", run_unknown },
	{ "trap", run_unknown },
	{ "alias", run_unknown },
	{ "shopt", run_unknown },
	{ "enable", run_unknown },
	{ "source", run_source },
	{ ".", run_source },
	{ "exec", run_exec },
	{ "export", run_declare },
	{ "local", run_declare },
	{ "declare", run_declare },
	{ "typeset", run_declare },
	{ "readonly", run_declare },
	{ "read", forget_named_variables },
	{ "unset", forget_named_variables },
	{ "mapfile", forget_named_variables },
	{ "readarray", forget_named_variables },
	{ "getopts", forget_named_variables },
	{ "let", forget_named_variables },
	{ "echo", ccfc_sh_print },
	{ "printf", ccfc_sh_print },
	{ "bash", run_shell },
	{ "sh", run_shell },
};

bool ccfc_sh_builtin(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (ccfc_slice_is(call->name, builtins[i].name)) {
			builtins[i].run(w, call);
			return true;
		}
	return false;
}
