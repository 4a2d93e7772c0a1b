/* The possible effects of a command; see command_fit.h. */
#include "history/gap/command_fit.h"

#include "base/path.h"
#include "history/chain/lines.h"

bool ccfc_command_reader_take(struct ccfc_command_reader *r,
			      const struct ccfc_change *c)
{
	const struct ccfc_history_env *env = &r->chain->history->env;
	struct ccfc_shell_env where = { .language = CCFC_SHELL_BASH };
	struct ccfc_slice call;

	ccfc_arena_clear(&r->arena);
	call = ccfc_history_call_line(env, c, &r->arena);
	if (!ccfc_run_call_read(env->parser, &r->call, ccfc_index_call_id(c),
				call, &r->arena) ||
	    r->call.foreign)
		return false;
	where.cwd = r->call.cwd;
	ccfc_shell_read(&r->effects, r->call.command, &where);
	return true;
}

bool ccfc_command_is_plain(const struct ccfc_command_reader *r)
{
	return !r->call.cut && !r->effects.why[CCFC_SHELL_WHY_SYNTAX] &&
	       !r->effects.why[CCFC_SHELL_WHY_LIMIT];
}

static bool is_line_in_command(const struct ccfc_command_reader *r,
			       struct ccfc_slice line)
{
	for (uint32_t i = 0; i < r->effects.texts.n; i++)
		if (ccfc_text_has(r->effects.texts.items[i], line))
			return true;
	/* A command that is not understood can only raise doubt. */
	return !ccfc_command_is_plain(r) &&
	       ccfc_text_has(r->call.command, line);
}

bool ccfc_command_has_lines(const struct ccfc_command_reader *r,
			    const struct ccfc_added_lines *added)
{
	for (uint32_t i = 0; i < added->n; i++)
		if (!is_line_in_command(r, added->lines[i]))
			return false;
	return added->n;
}

static bool restores_path(const struct ccfc_shell_bulk *b,
			  struct ccfc_slice path)
{
	static const char *const names[] = { "checkout", "restore", "reset",
					     "stash", "switch" };

	if (!b->dir.len || !ccfc_path_is_below(path, b->dir))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (ccfc_slice_is(b->name, names[i]))
			return true;
	return false;
}

/* "git stash; make; git stash pop" leaves everything unchanged. */
static bool is_stash_and_pop(const struct ccfc_command_reader *r)
{
	bool away = false, back = false;

	for (uint32_t i = 0; i < r->effects.bulk.n; i++) {
		const struct ccfc_shell_bulk *b = &r->effects.bulk.items[i];

		away |= ccfc_slice_is(b->name, "stash") && !b->pops;
		back |= ccfc_slice_is(b->name, "stash") && b->pops;
	}
	return away && back;
}

bool ccfc_command_brings_back(const struct ccfc_command_reader *r,
			      struct ccfc_slice path)
{
	bool may = false;

	for (uint32_t i = 0; i < r->effects.all.n; i++) {
		const struct ccfc_shell_effect *e = &r->effects.all.items[i];

		may |= e->op == CCFC_SHELL_RESTORE &&
		       (e->tree ? ccfc_path_is_below(path, e->path)
				: ccfc_slice_eq(path, e->path));
	}
	for (uint32_t i = 0; i < r->effects.bulk.n; i++)
		may |= restores_path(&r->effects.bulk.items[i], path);
	return may && !is_stash_and_pop(r);
}

void ccfc_command_reader_init(struct ccfc_command_reader *r,
			      struct ccfc_chain *chain)
{
	*r = (struct ccfc_command_reader){ .chain = chain,
					   .arena = CCFC_ARENA_INIT };
	ccfc_shell_effects_init(&r->effects);
}

void ccfc_command_reader_release(struct ccfc_command_reader *r)
{
	ccfc_shell_effects_release(&r->effects);
	ccfc_arena_release(&r->arena);
}
