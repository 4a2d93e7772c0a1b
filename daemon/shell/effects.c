/* The effects of a command on files, as a list; see shell.h. */
#include "shell/shell.h"

#include <stdlib.h>

void ccfc_shell_effects_init(struct ccfc_shell_effects *effects)
{
	*effects = (struct ccfc_shell_effects){ .arena = CCFC_ARENA_INIT };
}

void ccfc_shell_effects_release(struct ccfc_shell_effects *effects)
{
	free(effects->all.items);
	free(effects->texts.items);
	free(effects->bulk.items);
	ccfc_arena_release(&effects->arena);
	ccfc_shell_effects_init(effects);
}

uint32_t ccfc_shell_unsure(const struct ccfc_shell_effects *effects)
{
	uint32_t n = 0;

	for (size_t i = 0; i < CCFC_SHELL_WHYS; i++)
		n += effects->why[i];
	return n;
}

bool ccfc_shell_writes_nothing(const struct ccfc_shell_effects *effects)
{
	return !effects->all.n && !ccfc_shell_unsure(effects);
}

bool ccfc_shell_ran(const struct ccfc_shell_effect *effect, bool ok)
{
	return effect->reach == CCFC_SHELL_ALWAYS ||
	       (ok && effect->reach == CCFC_SHELL_IF_OK);
}

bool ccfc_shell_happened(const struct ccfc_shell_effect *effect, bool ok)
{
	return ok && effect->checked && ccfc_shell_ran(effect, ok);
}

const char *ccfc_shell_op_name(enum ccfc_shell_op op)
{
	static const char *const names[CCFC_SHELL_OPS] = {
		[CCFC_SHELL_WRITE] = "write",
		[CCFC_SHELL_APPEND] = "append",
		[CCFC_SHELL_MODIFY] = "modify",
		[CCFC_SHELL_DELETE] = "delete",
		[CCFC_SHELL_RENAME] = "rename",
		[CCFC_SHELL_COPY] = "copy",
		[CCFC_SHELL_LINK] = "link",
		[CCFC_SHELL_RESTORE] = "restore",
		[CCFC_SHELL_TOUCH] = "touch",
	};

	return names[op];
}

const char *ccfc_shell_why_name(enum ccfc_shell_why why)
{
	static const char *const names[CCFC_SHELL_WHYS] = {
		[CCFC_SHELL_WHY_PROGRAM] = "program",
		[CCFC_SHELL_WHY_TARGET] = "target",
		[CCFC_SHELL_WHY_BULK] = "bulk",
		[CCFC_SHELL_WHY_HOOK] = "hook",
		[CCFC_SHELL_WHY_BACKGROUND] = "background",
		[CCFC_SHELL_WHY_LIMIT] = "limit",
		[CCFC_SHELL_WHY_SYNTAX] = "syntax",
	};

	return names[why];
}
