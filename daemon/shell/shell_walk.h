/*
 * Walks the tree of a command with the known state at each place: directory,
 * variables, whether the place is certainly reached. Private to the folder.
 */
#ifndef CCFC_SHELL_SHELL_WALK_H
#define CCFC_SHELL_SHELL_WALK_H

#include "shell/shell.h"
#include "shell/syntax.h"

#define CCFC_SH_VARS_MAX      32
#define CCFC_SH_STACK_MAX     8
#define CCFC_SH_FUNCTIONS_MAX 16
#define CCFC_SH_STEPS_MAX     4096u	 /* simple commands, loops unrolled */
#define CCFC_SH_TEXT_MAX      (1u << 20) /* bytes of expanded words */
#define CCFC_SH_PATH_MAX      4095u	 /* bytes of a path, as in Linux */
#define CCFC_SH_FIELDS_MAX    1024u	 /* of a command */
#define CCFC_SH_UNROLL_MAX    64u	 /* items of a loop */

/* What a command reads or prints. */
struct ccfc_sh_flow {
	bool known;
	struct ccfc_slice text;
};

#define CCFC_SH_FLOW_UNKNOWN ((struct ccfc_sh_flow){ false, { NULL, 0 } })
#define CCFC_SH_FLOW_NONE    ((struct ccfc_sh_flow){ true, { NULL, 0 } })

/* A word after expansion. */
struct ccfc_sh_field {
	struct ccfc_slice text;
	bool known; /* else `text` is meaningless */
	bool glob;  /* would name the files that match */
	bool home;  /* begins with "~", the home directory */
	bool loose; /* not known, and may be no word or several */
};

struct ccfc_sh_fields {
	struct ccfc_sh_field *items;
	uint32_t n, cap;
};

struct ccfc_sh_var {
	struct ccfc_slice name;
	struct ccfc_sh_flow value;
};

/* The state that a subshell copies. */
struct ccfc_sh_state {
	struct ccfc_slice cwd, old_cwd;		    /* empty: not known */
	struct ccfc_slice stack[CCFC_SH_STACK_MAX]; /* pushd */
	int stack_n;
	bool cd_new;  /* the last command was a cd that may have failed */
	bool cd_risk; /* an earlier cd may have failed, without a check */
	struct ccfc_sh_var vars[CCFC_SH_VARS_MAX];
	int vars_n;
	bool vars_lost; /* what is not in `vars` may have any value */
	/* Why the next command may not be reached. */
	bool may_exit;	/* only if the shell ended with an error */
	bool may_leave; /* the shell may have ended well */
	bool may_break; /* the loop may have been left */
	bool errexit, pipefail;
};

/* The certainty of an effect; becomes `reach` and `checked`. */
struct ccfc_sh_mark {
	bool maybe;
	bool chained; /* if the list that it is in has succeeded */
	bool exits;   /* if the shell that it is in has succeeded */
	bool checked, checked_by_exit;
};

struct ccfc_sh_function {
	struct ccfc_slice name;
	bool harmless; /* it changes no file and no state of the shell */
};

struct ccfc_sh_walk {
	struct ccfc_shell_effects *out;
	const struct ccfc_shell_env *env;
	struct ccfc_arena *arena;
	struct ccfc_sh_state state;
	struct ccfc_sh_mark marks[CCFC_SHELL_EFFECTS_MAX];
	struct ccfc_sh_function functions[CCFC_SH_FUNCTIONS_MAX];
	int functions_n;
	uint32_t steps;
	size_t text;
	int depth;	  /* of commands read within commands */
	int in_condition; /* there errexit is off */
	bool after_or;	  /* the next simple command is "|| …" */
	bool background;  /* something that may change files runs on */
	bool stopped;	  /* over a limit: nothing more is looked at */
};

/* ---- effects: mark.c ---- */

/* Counts a part that may have changed files; `name` may be empty. */
void ccfc_sh_unsure(struct ccfc_sh_walk *w, enum ccfc_shell_why why,
		    struct ccfc_slice name);
/* Counts it and stops the walk. */
void ccfc_sh_stop(struct ccfc_sh_walk *w);

/*
 * The effect `op` on a path. NULL: there is none (a device), or it was counted
 * as unsure. Valid until the next effect.
 */
struct ccfc_shell_effect *ccfc_sh_effect(struct ccfc_sh_walk *w,
					 enum ccfc_shell_op op,
					 const struct ccfc_sh_field *path);
/* The normal path of a field, empty if that is not known. */
struct ccfc_slice ccfc_sh_path(struct ccfc_sh_walk *w,
			       const struct ccfc_sh_field *field);

/* The effects from `start` on: their success does not show any more, … */
void ccfc_sh_unchecked(struct ccfc_sh_walk *w, uint32_t start);
/* … ends the shell otherwise, … */
void ccfc_sh_checked_by_exit(struct ccfc_sh_walk *w, uint32_t start);
/* … they come after &&, … */
void ccfc_sh_chained(struct ccfc_sh_walk *w, uint32_t start);
/* … they may not have happened, … */
void ccfc_sh_maybe(struct ccfc_sh_walk *w, uint32_t start);
/* … they were made in a subshell. */
void ccfc_sh_left_subshell(struct ccfc_sh_walk *w, uint32_t start, bool exits);
/* The effects from `start` to `middle` ran beside those after `middle`. */
void ccfc_sh_beside(struct ccfc_sh_walk *w, uint32_t start, uint32_t middle);
/* Turns the marks into `reach` and `checked`. */
void ccfc_sh_finish_marks(struct ccfc_sh_walk *w);

/* ---- words: expand.c ---- */

void ccfc_sh_push_field(struct ccfc_sh_walk *w, struct ccfc_sh_fields *to,
			struct ccfc_sh_field field);
/* The fields that a word becomes. */
void ccfc_sh_expand(struct ccfc_sh_walk *w, struct ccfc_sh_fields *to,
		    const struct ccfc_sh_word *word);
/* The one field that it becomes without braces: a value, a here-document. */
struct ccfc_sh_field ccfc_sh_expand_value(struct ccfc_sh_walk *w,
					  const struct ccfc_sh_part *parts);
/* Arithmetic may also set variables and run commands. */
void ccfc_sh_arithmetic(struct ccfc_sh_walk *w, struct ccfc_slice text);
struct ccfc_slice ccfc_sh_join(struct ccfc_sh_walk *w, struct ccfc_slice a,
			       struct ccfc_slice b);

/* shell_variables.c: variables and directory; `value` NULL: not known any more.
 */
struct ccfc_sh_flow ccfc_sh_variable(const struct ccfc_sh_walk *w,
				     struct ccfc_slice name);
void ccfc_sh_set(struct ccfc_sh_walk *w, struct ccfc_slice name,
		 const struct ccfc_slice *value);
void ccfc_sh_forget_variables(struct ccfc_sh_walk *w);
/* After a command that may have been any builtin. */
void ccfc_sh_forget_state(struct ccfc_sh_walk *w);
/* The state is now either this one or `other`. */
void ccfc_sh_merge(struct ccfc_sh_walk *w, const struct ccfc_sh_state *other);

/* ---- commands ---- */

struct ccfc_sh_result {
	struct ccfc_sh_flow out;
	bool fails_shell; /* surely ends this shell with an error */
	bool steady;	  /* fails only where something is wrong: cd, mkdir */
};

/* shell_walk.c */
struct ccfc_sh_result ccfc_sh_walk_list(struct ccfc_sh_walk *w,
					const struct ccfc_sh_node *list,
					struct ccfc_sh_flow in);
struct ccfc_sh_flow ccfc_sh_walk_subshell(struct ccfc_sh_walk *w,
					  const struct ccfc_sh_node *list,
					  struct ccfc_sh_flow in);

/* simple.c */
struct ccfc_sh_result ccfc_sh_walk_simple(struct ccfc_sh_walk *w,
					  const struct ccfc_sh_node *node,
					  struct ccfc_sh_flow in);

/* redirect.c: where the output of a command goes. */
struct ccfc_sh_outlet {
	uint32_t effect; /* + 1; 0: to no file that is known */
	bool away, lost; /* not to our own output; we cannot tell where */
	bool has_text;	 /* a here-document */
	struct ccfc_sh_flow in;
};

struct ccfc_sh_outlet ccfc_sh_redirect(struct ccfc_sh_walk *w,
				       const struct ccfc_sh_redirect *list,
				       struct ccfc_sh_flow in);
/* The rest of the output `out` that goes to our own. */
struct ccfc_sh_flow ccfc_sh_pour(struct ccfc_sh_walk *w,
				 const struct ccfc_sh_outlet *outlet,
				 struct ccfc_sh_flow out);

/* A command with its name and words, as far as known. */
struct ccfc_sh_call {
	struct ccfc_slice name;
	const struct ccfc_sh_field *args; /* behind the name */
	uint32_t n;
	struct ccfc_sh_flow in, out;
	bool fails_shell, steady;
	bool after_or; /* "… || exit" */
};

/* builtins.c: false: it is not a builtin. */
bool ccfc_sh_builtin(struct ccfc_sh_walk *w, struct ccfc_sh_call *call);
/* echo_printf.c: echo and printf. */
void ccfc_sh_print(struct ccfc_sh_walk *w, struct ccfc_sh_call *call);
/* programs.c: false: it is not a program that changes its arguments. */
bool ccfc_sh_program(struct ccfc_sh_walk *w, struct ccfc_sh_call *call);
/* harmless_programs.c: everything except builtins. */
void ccfc_sh_command(struct ccfc_sh_walk *w, struct ccfc_sh_call *call);
/* Certainly changes no file, with these arguments. */
bool ccfc_sh_only_reads(const struct ccfc_sh_call *call);
/* Is the name in a list with blanks between? */
bool ccfc_sh_is_listed(const char *list, struct ccfc_slice name);
/* git_effects.c */
void ccfc_sh_git(struct ccfc_sh_walk *w, struct ccfc_sh_call *call);

/* program_options.c */
struct ccfc_sh_spec {
	const char *flags;  /* letters of options without a value */
	const char *valued; /* of those with one */
	const char *suffix; /* of those with one that may follow at once */
	/* "long:l valued=v suffix?s": what each letter is called. */
	const char *longs;
};

struct ccfc_sh_options {
	bool has[128];
	struct ccfc_sh_field value[128];
	struct ccfc_sh_fields operands;
	bool odd; /* has one that is not known */
};

void ccfc_sh_options(struct ccfc_sh_walk *w, struct ccfc_sh_options *out,
		     const struct ccfc_sh_spec *spec,
		     const struct ccfc_sh_call *call);

/* sed_script.c: does a script only change the text that it is given? */
bool ccfc_sh_sed_only_edits(struct ccfc_slice script);
bool ccfc_sh_perl_only_edits(struct ccfc_slice script);

/* powershell.c */
void ccfc_sh_walk_powershell(struct ccfc_sh_walk *w, struct ccfc_slice text);

static inline bool ccfc_sh_is_plain(const struct ccfc_sh_field *field)
{
	return field->known && !field->glob;
}

static inline bool ccfc_sh_is(const struct ccfc_sh_field *field, const char *s)
{
	return field->known && ccfc_slice_is(field->text, s);
}

#endif
