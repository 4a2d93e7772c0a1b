/* Reading a command, from the text to the list; see shell.h. */
#include "base/path.h"
#include "shell/shell_walk.h"

static void read_bash(struct ccfc_sh_walk *w, struct ccfc_slice command)
{
	const struct ccfc_sh_node *list = ccfc_sh_parse(command, w->arena);

	if (list)
		ccfc_sh_walk_list(w, list, CCFC_SH_FLOW_UNKNOWN);
	else
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_SYNTAX, CCFC_SLICE_NONE);
}

static bool is_blank(struct ccfc_slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!strchr(" \t\n", text.ptr[i]) || !text.ptr[i])
			return false;
	return true;
}

void ccfc_shell_read(struct ccfc_shell_effects *out, struct ccfc_slice command,
		     const struct ccfc_shell_env *env)
{
	struct ccfc_sh_walk w = { .out = out, .env = env };

	ccfc_arena_clear(&out->arena);
	out->all.n = out->texts.n = out->bulk.n = 0;
	memset(out->why, 0, sizeof(out->why));
	out->first_unsure = CCFC_SLICE_NONE;
	w.arena = &out->arena;
	if (ccfc_path_is_absolute(env->cwd))
		w.state.cwd = ccfc_arena_copy(w.arena, env->cwd);
	if (is_blank(command))
		return;
	if (command.len > CCFC_SHELL_COMMAND_MAX)
		ccfc_sh_stop(&w);
	else if (env->language == CCFC_SHELL_POWERSHELL)
		ccfc_sh_walk_powershell(&w, command);
	else
		read_bash(&w, command);
	if (w.background)
		ccfc_sh_unsure(&w, CCFC_SHELL_WHY_BACKGROUND, CCFC_SLICE_NONE);
	ccfc_sh_finish_marks(&w);
}
