/* What git does to the files of the work tree. See shell_walk.h. */
#include "base/alloc.h"
#include "shell/shell_walk.h"

struct command {
	const char *name;
	void (*run)(struct ccfc_sh_walk *w, const struct ccfc_sh_call *call,
		    struct ccfc_sh_options *o);
	struct ccfc_sh_spec spec;
};

/* Is it a pathspec other than a plain path: a quoted glob, ":(top)"? */
static bool is_pathspec(const struct ccfc_sh_field *field)
{
	if (!field->text.len || field->text.ptr[0] == ':')
		return true;
	for (size_t i = 0; i < field->text.len; i++)
		if (strchr("*?[\\", field->text.ptr[i]))
			return true;
	return false;
}

static void on_paths(struct ccfc_sh_walk *w, enum ccfc_shell_op op, bool tree,
		     const struct ccfc_sh_fields *paths, uint32_t first,
		     struct ccfc_slice source)
{
	for (uint32_t i = first; i < paths->n; i++) {
		struct ccfc_sh_field path = paths->items[i];
		struct ccfc_shell_effect *effect;

		path.known &= !is_pathspec(&path);
		effect = ccfc_sh_effect(w, op, &path);
		if (!effect)
			continue;
		effect->tree = tree;
		effect->source = source.len ? ccfc_arena_copy(w->arena, source)
					    : CCFC_SLICE_NONE;
	}
}

static void note_bulk_effect(struct ccfc_sh_walk *w,
			     const struct ccfc_sh_call *call)
{
	struct ccfc_shell_bulk one = {
		.name = ccfc_arena_copy(w->arena, call->name),
		.dir = w->state.cwd,
		.pops = call->n && (ccfc_sh_is(&call->args[0], "pop") ||
				    ccfc_sh_is(&call->args[0], "apply")),
		.unsure_before = ccfc_shell_unsure(w->out),
	};

	if (!w->stopped && w->out->bulk.n < CCFC_SHELL_TEXTS_MAX)
		CCFC_VEC_PUSH(w->out->bulk, one);
	ccfc_sh_unsure(w, CCFC_SHELL_WHY_BULK,
		       ccfc_sh_join(w, CCFC_SLICE_LIT("git "), call->name));
}

/* The number of arguments before "--"; all if there is none. */
static uint32_t before_dashes(const struct ccfc_sh_call *call)
{
	uint32_t i = 0;

	while (i < call->n && !ccfc_sh_is(&call->args[i], "--"))
		i++;
	return i;
}

/*
 * Only with "--" (or ".") the arguments are certainly paths and not a branch.
 */
static void run_checkout(struct ccfc_sh_walk *w,
			 const struct ccfc_sh_call *call,
			 struct ccfc_sh_options *o)
{
	uint32_t dashes = before_dashes(call), revisions = 0;
	struct ccfc_slice source = CCFC_SLICE_NONE;

	if (o->has['b'] && o->operands.n == 0 && !o->odd)
		return; /* a new branch from the present state */
	for (uint32_t i = 0; i < dashes; i++)
		if (!ccfc_slice_starts(call->args[i].text, "-"))
			revisions++;
	if (dashes == call->n) {
		if (o->operands.n == 1 && !o->odd &&
		    (ccfc_sh_is(&o->operands.items[0], ".") ||
		     ccfc_slice_starts(o->operands.items[0].text, "./")))
			revisions = 0;
		else
			revisions = 2;
	}
	if (o->has['b'] || revisions > 1) {
		note_bulk_effect(w, call);
		o->odd = false;
		return;
	}
	if (revisions)
		source = o->operands.items[0].text;
	on_paths(w, CCFC_SHELL_RESTORE, true, &o->operands, revisions, source);
}

static void run_restore(struct ccfc_sh_walk *w, const struct ccfc_sh_call *call,
			struct ccfc_sh_options *o)
{
	struct ccfc_slice source = CCFC_SLICE_NONE;

	(void)call;
	if (o->has['S'] && !o->has['W'])
		return; /* changes only the index */
	if (o->has['s']) {
		source = o->value['s'].text;
		o->odd |= !o->value['s'].known;
	} else if (o->has['S']) {
		source = CCFC_SLICE_LIT("HEAD");
	}
	on_paths(w, CCFC_SHELL_RESTORE, true, &o->operands, 0, source);
}

static void run_rm(struct ccfc_sh_walk *w, const struct ccfc_sh_call *call,
		   struct ccfc_sh_options *o)
{
	(void)call;
	if (!o->has['c'] && !o->has['n'])
		on_paths(w, CCFC_SHELL_DELETE, o->has['r'], &o->operands, 0,
			 CCFC_SLICE_NONE);
}

static void run_mv(struct ccfc_sh_walk *w, const struct ccfc_sh_call *call,
		   struct ccfc_sh_options *o)
{
	struct ccfc_sh_call mv = { .name = CCFC_SLICE_LIT("mv"),
				   .args = o->operands.items,
				   .n = o->operands.n };

	(void)call;
	if (!o->has['n'])
		ccfc_sh_command(w, &mv);
}

static void run_reset(struct ccfc_sh_walk *w, const struct ccfc_sh_call *call,
		      struct ccfc_sh_options *o)
{
	if (o->odd)
		note_bulk_effect(w, call);
	o->odd = false;
}

static void run_stash(struct ccfc_sh_walk *w, const struct ccfc_sh_call *call,
		      struct ccfc_sh_options *o)
{
	if (!call->n || (!ccfc_sh_is(&call->args[0], "list") &&
			 !ccfc_sh_is(&call->args[0], "show") &&
			 !ccfc_sh_is(&call->args[0], "drop")))
		note_bulk_effect(w, call);
	o->odd = false;
}

/* switch -c: a new branch from the present state changes no file. */
static void run_switch(struct ccfc_sh_walk *w, const struct ccfc_sh_call *call,
		       struct ccfc_sh_options *o)
{
	if (o->odd || !o->has['c'] || o->operands.n)
		note_bulk_effect(w, call);
	o->odd = false;
}

static void run_config(struct ccfc_sh_walk *w, const struct ccfc_sh_call *call,
		       struct ccfc_sh_options *o)
{
	(void)o;
	o->odd = false;
	for (uint32_t i = 0; i < call->n; i++)
		if (!call->args[i].known ||
		    ccfc_slice_starts(call->args[i].text, "--get") ||
		    ccfc_sh_is(&call->args[i], "-l") ||
		    ccfc_sh_is(&call->args[i], "--list"))
			return;
	for (uint32_t i = 0; i < call->n; i++)
		if (ccfc_sh_is(&call->args[i], "--global") ||
		    ccfc_slice_starts(call->args[i].text, "-f") ||
		    ccfc_slice_starts(call->args[i].text, "--file")) {
			note_bulk_effect(w, call);
			return;
		}
}

static void run_hooked(struct ccfc_sh_walk *w, const struct ccfc_sh_call *call,
		       struct ccfc_sh_options *o)
{
	o->odd = false;
	ccfc_sh_unsure(w, CCFC_SHELL_WHY_HOOK,
		       ccfc_sh_join(w, CCFC_SLICE_LIT("git "), call->name));
}

/* "--output" and an external diff may write. */
static void run_read(struct ccfc_sh_walk *w, const struct ccfc_sh_call *call)
{
	bool lists = call->n && ccfc_sh_is(&call->args[0], "list");

	if (ccfc_slice_is(call->name, "worktree") && !lists)
		note_bulk_effect(w, call);
	for (uint32_t i = 0; i < call->n; i++)
		if (call->args[i].loose ||
		    ccfc_slice_starts(call->args[i].text, "--output") ||
		    ccfc_slice_starts(call->args[i].text, "--ext-diff")) {
			note_bulk_effect(w, call);
			return;
		}
}

#define ANY                                                                    \
	{                                                                      \
		"", "", "", ""                                                 \
	}

/* Commands that print something, or write only below .git. */
static const char readers[] =
	"status log diff show add branch tag fetch remote "
	"rev-parse rev-list ls-files ls-tree ls-remote cat-file "
	"merge-base blame grep shortlog describe reflog "
	"check-ignore symbolic-ref show-ref for-each-ref name-rev "
	"diff-tree hash-object worktree init --version version";

static const struct command commands[] = {
	{ "checkout",
	  run_checkout,
	  { "qf", "bB", "", "quiet:q force:f no-progress:q" } },
	{ "restore",
	  run_restore,
	  { "SWq", "s", "", "staged:S worktree:W source=s quiet:q" } },
	{ "rm",
	  run_rm,
	  { "rfqn", "", "", "cached:c quiet:q force:f dry-run:n" } },
	{ "mv", run_mv, { "fvn", "", "", "force:f verbose:v dry-run:n" } },
	{ "reset", run_reset, { "q", "", "", "soft:s mixed:m quiet:q" } },
	{ "switch", run_switch, { "q", "c", "", "create=c quiet:q" } },
	{ "stash", run_stash, ANY },
	{ "config", run_config, ANY },
	{ "commit", run_hooked, ANY },
	{ "push", run_hooked, ANY },
};

static void run_command(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	uint32_t start = w->out->all.n;
	struct ccfc_sh_options o;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (!ccfc_slice_is(call->name, commands[i].name))
			continue;
		ccfc_sh_options(w, &o, &commands[i].spec, call);
		commands[i].run(w, call, &o);
		if (o.odd) {
			note_bulk_effect(w, call);
			ccfc_sh_maybe(w, start);
		}
		return;
	}
	if (ccfc_sh_is_listed(readers, call->name))
		run_read(w, call);
	else
		note_bulk_effect(w, call);
}

/* Skips git's own options; -C sets the directory of this call. */
void ccfc_sh_git(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	struct ccfc_slice cwd = w->state.cwd;
	struct ccfc_sh_call inner = *call;

	while (inner.n && inner.args[0].known) {
		const struct ccfc_sh_field *option = &inner.args[0];
		uint32_t length = 0;

		if (ccfc_sh_is(option, "-C") && inner.n > 1) {
			w->state.cwd = ccfc_sh_path(w, &inner.args[1]);
			length = 2;
		} else if (ccfc_sh_is(option, "-c") && inner.n > 1) {
			length = 2;
		} else if (ccfc_sh_is(option, "--no-pager") ||
			   ccfc_sh_is(option, "-P") ||
			   ccfc_sh_is(option, "--no-optional-locks")) {
			length = 1;
		}
		if (!length)
			break;
		inner.args += length;
		inner.n -= length;
	}
	if (inner.n && ccfc_sh_is_plain(&inner.args[0])) {
		inner.name = inner.args[0].text;
		inner.args++;
		inner.n--;
		run_command(w, &inner);
	} else if (inner.n) {
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_BULK, call->name);
	}
	w->state.cwd = cwd;
}
