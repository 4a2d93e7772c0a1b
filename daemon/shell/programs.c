/*
 * Programs that change the files that their arguments name; each is a row of a
 * table. See shell_walk.h.
 */
#include "base/path.h"
#include "shell/shell_walk.h"

struct program {
	const char *name;
	void (*run)(struct ccfc_sh_walk *w, struct ccfc_sh_call *call,
		    const struct program *self, struct ccfc_sh_options *o);
	enum ccfc_shell_op op;
	struct ccfc_sh_spec spec;
};

static struct ccfc_shell_effect *effect_on(struct ccfc_sh_walk *w,
					   enum ccfc_shell_op op,
					   const struct ccfc_sh_field *path,
					   bool tree)
{
	struct ccfc_shell_effect *effect = ccfc_sh_effect(w, op, path);

	if (effect)
		effect->tree = tree;
	return effect;
}

static void run_delete(struct ccfc_sh_walk *w, struct ccfc_sh_call *call,
		       const struct program *self, struct ccfc_sh_options *o)
{
	call->steady = o->has['f'];
	for (uint32_t i = 0; i < o->operands.n; i++)
		effect_on(w, self->op, &o->operands.items[i],
			  o->has['r'] || o->has['R']);
}

static void run_touch(struct ccfc_sh_walk *w, struct ccfc_sh_call *call,
		      const struct program *self, struct ccfc_sh_options *o)
{
	call->steady = true;
	for (uint32_t i = 0; i < o->operands.n && !o->has['c']; i++)
		effect_on(w, self->op, &o->operands.items[i], false);
}

static void run_tee(struct ccfc_sh_walk *w, struct ccfc_sh_call *call,
		    const struct program *self, struct ccfc_sh_options *o)
{
	for (uint32_t i = 0; i < o->operands.n; i++) {
		struct ccfc_shell_effect *effect = ccfc_sh_effect(
			w, o->has['a'] ? CCFC_SHELL_APPEND : self->op,
			&o->operands.items[i]);

		if (!effect || !call->in.known)
			continue;
		effect->has_content = true;
		effect->content = ccfc_arena_copy(w->arena, call->in.text);
	}
	call->out = call->in;
}

static void run_truncate(struct ccfc_sh_walk *w, struct ccfc_sh_call *call,
			 const struct program *self, struct ccfc_sh_options *o)
{
	bool empties = o->has['s'] && ccfc_sh_is(&o->value['s'], "0");

	(void)call;
	for (uint32_t i = 0; i < o->operands.n; i++) {
		struct ccfc_shell_effect *effect =
			ccfc_sh_effect(w, empties ? CCFC_SHELL_WRITE : self->op,
				       &o->operands.items[i]);

		if (effect)
			effect->has_content = empties;
	}
	if (o->has['c'])
		o->odd = true; /* only existing files */
}

static void run_dd(struct ccfc_sh_walk *w, struct ccfc_sh_call *call,
		   const struct program *self, struct ccfc_sh_options *o)
{
	for (uint32_t i = 0; i < o->operands.n; i++) {
		struct ccfc_sh_field path = o->operands.items[i];

		if (ccfc_slice_starts(path.text, "conv=") ||
		    ccfc_slice_starts(path.text, "oflag=") ||
		    ccfc_slice_starts(path.text, "seek="))
			o->odd = true;
		if (!ccfc_slice_starts(path.text, "of="))
			continue;
		path.text = ccfc_slice_from(path.text, 3);
		ccfc_sh_effect(w, self->op, &path);
	}
	call->out = CCFC_SH_FLOW_UNKNOWN;
}

/* ---- from here to there ---- */

static bool names_directory(struct ccfc_slice text)
{
	return ccfc_slice_ends(text, "/") || ccfc_slice_is(text, ".") ||
	       ccfc_slice_is(text, "..") || ccfc_slice_ends(text, "/.") ||
	       ccfc_slice_ends(text, "/..");
}

/* Moves or copies one file to `to`, or to its name in the directory `to`. */
static void move_or_copy(struct ccfc_sh_walk *w, enum ccfc_shell_op op,
			 bool tree, const struct ccfc_sh_field *from,
			 const struct ccfc_sh_field *to, bool inside)
{
	struct ccfc_slice source = ccfc_sh_path(w, from);
	struct ccfc_sh_field path = *to;
	struct ccfc_shell_effect *effect;

	/* "cp -r dir/. there" copies the files in dir. */
	if (!source.len || !ccfc_sh_is_plain(to) || !to->text.len ||
	    ccfc_slice_is(source, "/") ||
	    (names_directory(from->text) &&
	     !ccfc_slice_ends(from->text, "/"))) {
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_TARGET, CCFC_SLICE_NONE);
		return;
	}
	if (inside)
		path.text = ccfc_sh_join(
			w, ccfc_sh_join(w, to->text, CCFC_SLICE_LIT("/")),
			ccfc_path_basename(source));
	effect = effect_on(w, op, &path, tree);
	if (effect)
		effect->from = source;
}

/* The target of a symbolic link is relative to the link. */
static void resolve_links(struct ccfc_sh_walk *w, uint32_t start,
			  const struct ccfc_sh_field *said)
{
	for (uint32_t i = start; i < w->out->all.n; i++) {
		struct ccfc_shell_effect *effect = &w->out->all.items[i];
		struct ccfc_slice name = ccfc_path_basename(effect->path);
		struct ccfc_sh_field from = said[i - start];

		if (from.home || ccfc_path_is_absolute(from.text))
			continue;
		from.text =
			ccfc_sh_join(w,
				     ccfc_slice(effect->path.ptr,
						effect->path.len - name.len),
				     from.text);
		effect->from = ccfc_sh_path(w, &from);
	}
}

/* mv, cp, install, ln: from all operands but the last to the last. */
static void run_move(struct ccfc_sh_walk *w, struct ccfc_sh_call *call,
		     const struct program *self, struct ccfc_sh_options *o)
{
	bool tree = self->op == CCFC_SHELL_RENAME || o->has['r'] ||
		    o->has['R'] || o->has['a'] || o->has['s'];
	const struct ccfc_sh_field *items = o->operands.items, *to;
	const struct ccfc_sh_field here = { .text = { ".", 1 }, .known = true };
	uint32_t n = o->operands.n, start = w->out->all.n;
	bool inside;

	(void)call;
	if (o->has['d'] && ccfc_slice_is(call->name, "install"))
		return; /* makes directories */
	if (o->has['t'])
		to = &o->value['t'];
	else if (n > 1)
		to = &items[--n];
	else if (n == 1 && self->op == CCFC_SHELL_LINK)
		to = &here;
	else
		return;
	inside = !o->has['T'] &&
		 (o->has['t'] || n > 1 || names_directory(to->text));
	for (uint32_t i = 0; i < n; i++)
		move_or_copy(w, self->op, tree, &items[i], to, inside);
	for (uint32_t i = start; i < w->out->all.n; i++)
		w->out->all.items[i].into = !inside && !o->has['T'];
	if (self->op == CCFC_SHELL_LINK && o->has['s'] &&
	    w->out->all.n - start == n)
		resolve_links(w, start, items);
	/* Not over an existing file, or over a newer one. */
	if (o->has['n'] || o->has['u'])
		ccfc_sh_maybe(w, start);
}

/* ---- in place ---- */

/* sed -i.bak: the old content is kept in a second file. */
static void keep_backup(struct ccfc_sh_walk *w, struct ccfc_slice suffix,
			const struct ccfc_sh_field *path)
{
	struct ccfc_sh_field backup = *path;

	if (memchr(suffix.ptr, '*', suffix.len) ||
	    memchr(suffix.ptr, '/', suffix.len)) {
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_TARGET, CCFC_SLICE_NONE);
		return;
	}
	if (!ccfc_sh_is_plain(path))
		return;
	backup.text = ccfc_sh_join(w, path->text, suffix);
	move_or_copy(w, CCFC_SHELL_COPY, false, path, &backup, false);
}

static void edit_files(struct ccfc_sh_walk *w, const struct ccfc_sh_options *o,
		       uint32_t first)
{
	struct ccfc_slice suffix = o->value['i'].text;

	for (uint32_t i = first; i < o->operands.n; i++) {
		if (suffix.len)
			keep_backup(w, suffix, &o->operands.items[i]);
		ccfc_sh_effect(w, CCFC_SHELL_MODIFY, &o->operands.items[i]);
	}
}

/*
 * The number of scripts given by -e of sed or perl; sets *harmless to false if
 * one may do more than edit. Each -e counts, not only the last.
 */
static uint32_t read_scripts(const struct ccfc_sh_call *call,
			     const struct ccfc_sh_options *o,
			     bool (*only_edits)(struct ccfc_slice),
			     bool *harmless)
{
	uint32_t scripts = 0;

	for (uint32_t i = 0; i + 1 < call->n; i++) {
		struct ccfc_slice text = call->args[i].text;

		if (call->args[i].known && text.len > 1 && text.ptr[0] == '-' &&
		    text.ptr[text.len - 1] == 'e' && text.ptr[1] != '-' &&
		    !memchr(text.ptr, 'i', text.len)) {
			scripts++;
			*harmless &= call->args[i + 1].known &&
				     only_edits(call->args[i + 1].text);
		}
	}
	/* A script inside another word: of several, only one is known. */
	if (!scripts && o->has['e']) {
		scripts = 1;
		*harmless &= call->n <= o->operands.n + 1 + o->has['i'] &&
			     only_edits(o->value['e'].text);
	}
	return scripts;
}

/* sed and perl: -i changes the files, and the script may do more. */
static void run_edit(struct ccfc_sh_walk *w, struct ccfc_sh_call *call,
		     const struct program *self, struct ccfc_sh_options *o)
{
	bool perl = ccfc_slice_is(call->name, "perl");
	bool (*only_edits)(struct ccfc_slice) =
		perl ? ccfc_sh_perl_only_edits : ccfc_sh_sed_only_edits;
	bool harmless = !o->has['f'] && !o->odd;
	uint32_t scripts = read_scripts(call, o, only_edits, &harmless);
	uint32_t first = 0;

	(void)self;
	/* BSD's sed has a suffix after -i, usually an empty one. */
	if (!perl && o->has['i'] && o->operands.n &&
	    ccfc_sh_is(&o->operands.items[0], ""))
		first = 1;
	if (!scripts && !perl && first < o->operands.n) {
		scripts = 1;
		harmless &= o->operands.items[first].known &&
			    only_edits(o->operands.items[first].text);
		first++;
	}
	if (o->has['i'])
		edit_files(w, o, first);
	call->out = CCFC_SH_FLOW_UNKNOWN;
	if (!scripts || !harmless || (perl && !o->has['p']))
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_PROGRAM, call->name);
	/* An unknown script does not make the list of files uncertain. */
	o->odd = false;
	for (uint32_t i = first; i < o->operands.n; i++)
		o->odd |= o->operands.items[i].loose;
}

static const struct program programs[] = {
	{ "rm",
	  run_delete,
	  CCFC_SHELL_DELETE,
	  { "rRfvd", "", "", "recursive:r force:f verbose:v dir:d" } },
	{ "unlink", run_delete, CCFC_SHELL_DELETE, { "", "", "", "" } },
	{ "touch",
	  run_touch,
	  CCFC_SHELL_TOUCH,
	  { "acmfh", "dtr", "", "no-create:c date=d reference=r time=t" } },
	{ "tee",
	  run_tee,
	  CCFC_SHELL_WRITE,
	  { "aip", "", "", "append:a ignore-interrupts:i" } },
	{ "truncate",
	  run_truncate,
	  CCFC_SHELL_MODIFY,
	  { "c", "sr", "", "size=s reference=r no-create:c" } },
	{ "dd", run_dd, CCFC_SHELL_WRITE, { "", "", "", "" } },
	{ "mv",
	  run_move,
	  CCFC_SHELL_RENAME,
	  { "fvTnu", "t", "",
	    "force:f verbose:v no-clobber:n no-target-directory:T "
	    "target-directory=t update:u" } },
	{ "cp",
	  run_move,
	  CCFC_SHELL_COPY,
	  { "rRafvpTLPHdxnu", "t", "",
	    "recursive:r archive:a force:f verbose:v preserve?p "
	    "no-clobber:n no-target-directory:T target-directory=t "
	    "update:u dereference:L no-dereference:P" } },
	{ "install",
	  run_move,
	  CCFC_SHELL_COPY,
	  { "vpDdcT", "mogt", "",
	    "mode=m owner=o group=g directory:d target-directory=t "
	    "verbose:v preserve-timestamps:p" } },
	{ "ln",
	  run_move,
	  CCFC_SHELL_LINK,
	  { "sfnvrT", "t", "",
	    "symbolic:s force:f no-dereference:T verbose:v relative:r" } },
	{ "sed",
	  run_edit,
	  CCFC_SHELL_MODIFY,
	  { "nrEszu", "efl", "i",
	    "in-place?i expression=e file=f quiet:n silent:n "
	    "regexp-extended:E separate:s null-data:z" } },
	{ "perl", run_edit, CCFC_SHELL_MODIFY, { "pnwla", "e", "i0", "" } },
};

bool ccfc_sh_program(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	const size_t n = sizeof(programs) / sizeof(*programs);
	uint32_t start = w->out->all.n, unsure = ccfc_shell_unsure(w->out);
	struct ccfc_sh_options o;
	size_t i = 0;

	while (i < n && !ccfc_slice_is(call->name, programs[i].name))
		i++;
	if (i == n)
		return false;
	ccfc_sh_options(w, &o, &programs[i].spec, call);
	call->out = CCFC_SH_FLOW_NONE;
	programs[i].run(w, call, &programs[i], &o);
	if (o.has['v'])
		call->out = CCFC_SH_FLOW_UNKNOWN;
	if (o.odd && ccfc_shell_unsure(w->out) == unsure)
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_TARGET, call->name);
	if (o.odd)
		ccfc_sh_maybe(w, start);
	return true;
}
