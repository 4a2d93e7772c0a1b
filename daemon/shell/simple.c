/*
 * A simple command: assignments, redirections, programs that run another one
 * (sudo, env, timeout), and then the program itself. See shell_walk.h.
 */
#include "base/alloc.h"
#include "base/path.h"
#include "shell/shell_walk.h"

/* The name that an assignment sets; empty: the word is none. */
static struct ccfc_slice assigned_name(const struct ccfc_sh_word *word)
{
	const struct ccfc_sh_part *part = word->parts;
	size_t n;

	if (!part || part->kind != CCFC_SH_TEXT || part->quoted)
		return CCFC_SLICE_NONE;
	n = ccfc_sh_name_length(part->text);
	if (!n || (!ccfc_slice_starts(ccfc_slice_from(part->text, n), "=") &&
		   !ccfc_slice_starts(ccfc_slice_from(part->text, n), "+=") &&
		   !ccfc_slice_starts(ccfc_slice_from(part->text, n), "[")))
		return CCFC_SLICE_NONE;
	return ccfc_slice(part->text.ptr, n);
}

/* Notes variables that change the meaning of words or of programs. */
static void check_assignment(struct ccfc_sh_walk *w, struct ccfc_slice name)
{
	static const char *const telling[] = { "IFS",	   "CDPATH",
					       "BASH_ENV", "LD_PRELOAD",
					       "HOME",	   "PWD" };

	for (size_t i = 0; i < sizeof(telling) / sizeof(*telling); i++)
		if (ccfc_slice_is(name, telling[i])) {
			ccfc_sh_unsure(w, CCFC_SHELL_WHY_PROGRAM, name);
			ccfc_sh_forget_state(w);
		}
	if (ccfc_slice_starts(name, "GIT_"))
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_PROGRAM, name);
}

/* An assignment: one that stays, or one for the command that follows. */
static void assign_variable(struct ccfc_sh_walk *w,
			    const struct ccfc_sh_word *word, bool stays)
{
	struct ccfc_slice name = assigned_name(word);
	struct ccfc_sh_part first = *word->parts;
	struct ccfc_sh_field value;
	bool plain = first.text.len > name.len &&
		     first.text.ptr[name.len] == '=' && !word->is_array;

	check_assignment(w, name);
	first.text = ccfc_slice_from(first.text, name.len + plain);
	value = ccfc_sh_expand_value(w, &first);
	if (stays)
		ccfc_sh_set(w, name,
			    plain && value.known && !value.home ? &value.text
								: NULL);
}

/* ---- programs that run another one ---- */

/* "/usr/bin/rm" is "rm"; "./rm" is any program. */
static struct ccfc_slice program_name(struct ccfc_slice name)
{
	static const char *const dirs[] = { "/bin/", "/usr/bin/",
					    "/usr/local/bin/", "/sbin/",
					    "/usr/sbin/" };
	struct ccfc_slice base;

	if (!name.len || *name.ptr != '/')
		return name;
	base = ccfc_path_basename(name);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		if (name.len - base.len == strlen(dirs[i]) &&
		    ccfc_slice_starts(name, dirs[i]))
			return base;
	return name;
}

static const struct wrapper {
	const char *name;
	const char *flags;  /* letters of options without a value */
	const char *valued; /* of those with one */
	uint32_t operands;  /* before the command */
} wrappers[] = {
	{ "sudo", "EHnbSk", "ugp", 0 }, { "command", "p", "", 0 },
	{ "builtin", "", "", 0 },	{ "env", "i", "u", 0 },
	{ "time", "p", "", 0 },		{ "nohup", "", "", 0 },
	{ "nice", "", "n", 0 },		{ "ionice", "t", "cn", 0 },
	{ "setsid", "w", "", 0 },	{ "stdbuf", "", "ioe", 0 },
	{ "timeout", "v", "ks", 1 },
};

static const struct wrapper *find_wrapper(const struct ccfc_sh_field *name)
{
	struct ccfc_slice program;

	if (!name->known || !name->text.len)
		return NULL;
	program = program_name(name->text);
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++)
		if (ccfc_slice_is(program, wrappers[i].name))
			return &wrappers[i];
	return NULL;
}

/* How many fields the option `args[0]` of a wrapper is; 0: not known. */
static uint32_t option_length(const struct wrapper *wrapper,
			      const struct ccfc_sh_field *args)
{
	struct ccfc_slice text = args[0].text;
	size_t i = 1;

	if (text.ptr[1] == '-')
		return memchr(text.ptr, '=', text.len) ||
		       ccfc_slice_is(text, "--foreground") ||
		       ccfc_slice_is(text, "--preserve-status");
	while (i < text.len && strchr(wrapper->flags, text.ptr[i]))
		i++;
	if (i == text.len)
		return 1;
	if (!strchr(wrapper->valued, text.ptr[i]))
		return 0;
	return i + 1 == text.len ? 2 : 1;
}

static bool is_env_assignment(const struct ccfc_sh_field *field)
{
	size_t n = ccfc_sh_name_length(field->text);

	return field->known && n && n < field->text.len &&
	       field->text.ptr[n] == '=';
}

/* How many fields precede the command of a wrapper; 0: none. */
static uint32_t wrapper_length(const struct ccfc_sh_field *args, uint32_t n)
{
	const struct wrapper *wrapper = n ? find_wrapper(&args[0]) : NULL;
	uint32_t i = 1;

	while (wrapper && i < n && args[i].known && args[i].text.len > 1 &&
	       args[i].text.ptr[0] == '-') {
		uint32_t length = option_length(wrapper, &args[i]);

		if (ccfc_sh_is(&args[i], "--")) {
			i++;
			break;
		}
		if (!length)
			return 0;
		i += length;
	}
	while (wrapper && i < n && !strcmp(wrapper->name, "env") &&
	       is_env_assignment(&args[i]))
		i++;
	i += wrapper ? wrapper->operands : 0;
	return wrapper && i < n ? i : 0;
}

/* ---- the command ---- */

/* A function of this command; its effects are already listed as "maybe". */
static bool call_function(struct ccfc_sh_walk *w, struct ccfc_slice name)
{
	for (int i = w->functions_n - 1; i >= 0; i--) {
		if (!ccfc_slice_eq(w->functions[i].name, name))
			continue;
		if (!w->functions[i].harmless) {
			ccfc_sh_unsure(w, CCFC_SHELL_WHY_PROGRAM, name);
			ccfc_sh_forget_state(w);
			w->state.may_leave = true;
		}
		return true;
	}
	return false;
}

static void call_program(struct ccfc_sh_walk *w, struct ccfc_sh_call *call,
			 const struct ccfc_sh_fields *fields, uint32_t first)
{
	const struct ccfc_sh_field *name = &fields->items[first];

	if (!ccfc_sh_is_plain(name) || !name->text.len) {
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_PROGRAM, CCFC_SLICE_NONE);
		ccfc_sh_forget_state(w);
		return;
	}
	call->args = name + 1;
	call->n = fields->n - first - 1;
	if (!first && call_function(w, name->text))
		return;
	call->name = program_name(name->text);
	if (!ccfc_sh_builtin(w, call))
		ccfc_sh_command(w, call);
}

/* Expands the words; the assignments in front are done. */
static struct ccfc_sh_fields expand_words(struct ccfc_sh_walk *w,
					  const struct ccfc_sh_word *word)
{
	const struct ccfc_sh_word *first = word;
	struct ccfc_sh_fields fields = { 0 };

	while (word && assigned_name(word).len)
		word = word->next;
	for (; first != word && !w->stopped; first = first->next)
		assign_variable(w, first, !word);
	for (; word && !w->stopped; word = word->next)
		ccfc_sh_expand(w, &fields, word);
	return fields;
}

/* ---- texts that it may have written somewhere ---- */

/* Programs that may write their arguments or input to a file. */
static const char writers[] =
	"python python2 python3 node nodejs deno bun tsx ts-node npx uv poetry "
	"pipenv perl ruby php lua Rscript osascript awk gawk mawk sed gsed ed "
	"ex vi vim nvim emacs tee sponge patch dd cat echo printf sh bash zsh "
	"ksh dash fish pwsh git";

static bool is_writer(struct ccfc_slice name)
{
	return ccfc_slice_starts(name, "python3.") ||
	       ccfc_sh_is_listed(writers, name);
}

static void add_writable_text(struct ccfc_sh_walk *w, struct ccfc_slice text)
{
	if (text.len && w->out->texts.n < CCFC_SHELL_TEXTS_MAX)
		CCFC_VEC_PUSH(w->out->texts, text);
}

/* The counts of unsure parts that may have written their input. */
struct doubts {
	uint32_t programs, targets;
};

static struct doubts doubts_now(const struct ccfc_sh_walk *w)
{
	const uint32_t *why = w->out->why;

	return (struct doubts){
		.programs =
			why[CCFC_SHELL_WHY_PROGRAM] + why[CCFC_SHELL_WHY_BULK],
		.targets = why[CCFC_SHELL_WHY_TARGET],
	};
}

static void add_writable_texts(struct ccfc_sh_walk *w,
			       const struct doubts *before,
			       const struct ccfc_sh_call *call)
{
	struct doubts now = doubts_now(w);

	if (now.targets == before->targets &&
	    (now.programs == before->programs || !is_writer(call->name)))
		return;
	if (call->in.known)
		add_writable_text(w, call->in.text);
	for (uint32_t i = 0; i < call->n; i++)
		if (call->args[i].known)
			add_writable_text(w, call->args[i].text);
}

struct ccfc_sh_result ccfc_sh_walk_simple(struct ccfc_sh_walk *w,
					  const struct ccfc_sh_node *node,
					  struct ccfc_sh_flow in)
{
	struct ccfc_sh_call call = { .after_or = w->after_or };
	uint32_t start = w->out->all.n, middle, first = 0, more;
	struct ccfc_sh_fields fields;
	struct doubts before = doubts_now(w);
	struct ccfc_sh_outlet outlet;

	w->after_or = false;
	if (w->steps++ == CCFC_SH_STEPS_MAX)
		ccfc_sh_stop(w);
	if (w->stopped)
		return (struct ccfc_sh_result){ 0 };
	fields = expand_words(w, node->words);
	outlet = ccfc_sh_redirect(w, node->redirects, in);
	middle = w->out->all.n;
	call.in = outlet.in;
	while (first < fields.n &&
	       (more = wrapper_length(&fields.items[first], fields.n - first)))
		first += more;
	if (fields.n && !w->stopped) {
		call_program(w, &call, &fields, first);
	} else {
		call.out = CCFC_SH_FLOW_NONE;
		call.steady = true;
	}
	call.out = ccfc_sh_pour(w, &outlet, call.out);
	add_writable_texts(w, &before, &call);
	if (middle > start)
		ccfc_sh_beside(w, start, middle);
	return (struct ccfc_sh_result){ .out = call.out,
					.fails_shell = call.fails_shell,
					.steady = call.steady };
}
