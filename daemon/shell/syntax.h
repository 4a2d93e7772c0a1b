/*
 * A command as a syntax tree, before anything is known about variables and
 * directories. Private to the folder. Everything is in one arena and borrows
 * from the text.
 */
#ifndef CCFC_SHELL_SYNTAX_H
#define CCFC_SHELL_SYNTAX_H

#include "base/arena.h"

struct ccfc_sh_node;

enum ccfc_sh_part_kind {
	CCFC_SH_TEXT,
	CCFC_SH_VAR,	/* $x, ${x} */
	CCFC_SH_RUN,	/* $(…), `…`: `run` is run */
	CCFC_SH_ASIDE,	/* <(…), >(…): it is run beside the command */
	CCFC_SH_OPAQUE, /* another expansion, of which nothing is known */
	CCFC_SH_HIDDEN, /* one that may run commands or set variables, too */
};

struct ccfc_sh_part {
	struct ccfc_sh_part *next;
	enum ccfc_sh_part_kind kind;
	bool quoted;
	struct ccfc_slice text; /* TEXT, HIDDEN; the name of VAR */
	struct ccfc_sh_node *run;
};

struct ccfc_sh_word {
	struct ccfc_sh_word *next;
	struct ccfc_sh_part *parts;
	bool quoted;   /* has quotes, so that it is a word even if empty */
	bool is_array; /* x=(…): `next` of the assignment are not its items */
};

enum ccfc_sh_redirect_op {
	CCFC_SH_IN,    /* < */
	CCFC_SH_OUT,   /* > and >| */
	CCFC_SH_ADD,   /* >> */
	CCFC_SH_BOTH,  /* &> and >& FILE */
	CCFC_SH_INOUT, /* <> */
	CCFC_SH_DUP,   /* >&2, <&3, >&- */
	CCFC_SH_HERE,  /* << and <<<: `word` is the content */
	CCFC_SH_HERE_LINE,
};

struct ccfc_sh_redirect {
	struct ccfc_sh_redirect *next;
	enum ccfc_sh_redirect_op op;
	bool adds; /* &>> */
	int fd;
	struct ccfc_sh_word *word;
	/* HERE: how its end is spelled, while the text is not read yet */
	struct ccfc_slice end;
	bool literal, strips_tabs;
	struct ccfc_sh_redirect *pending;
};

enum ccfc_sh_kind {
	CCFC_SH_SIMPLE,
	CCFC_SH_PIPE,	  /* `first`, with `next` between them */
	CCFC_SH_AND_OR,	  /* `first` …; `joint` of each but the first */
	CCFC_SH_LIST,	  /* `first` …; `joint` is what follows each */
	CCFC_SH_GROUP,	  /* { `first`; } */
	CCFC_SH_SUBSHELL, /* ( `first` ) */
	CCFC_SH_IF,	  /* `first` condition, `second` then, `third` else */
	CCFC_SH_LOOP,	  /* while, until: `first` condition, `second` body */
	CCFC_SH_FOR, /* `words` the list, `second` body; `name`, or "((…))" */
	CCFC_SH_CASE,	  /* `words` the subject, `first` … the branches */
	CCFC_SH_FUNCTION, /* `name`, `first` */
	CCFC_SH_TEST,	  /* [[ `words` ]] */
	CCFC_SH_ARITH,	  /* `name` is "((…))" */
};

enum ccfc_sh_joint {
	CCFC_SH_THEN,	/* ; or a new line */
	CCFC_SH_BESIDE, /* & */
	CCFC_SH_AND,
	CCFC_SH_OR,
};

struct ccfc_sh_node {
	struct ccfc_sh_node *next;
	enum ccfc_sh_kind kind;
	enum ccfc_sh_joint joint;
	bool negated;  /* ! in front of a pipeline */
	bool is_plain; /* FOR: with a list ("in …"), in no arithmetic form */
	struct ccfc_slice name;
	struct ccfc_sh_word *words;
	struct ccfc_sh_redirect *redirects;
	struct ccfc_sh_node *first, *second, *third;
};

/* NULL where the text is not understood, or too deep. */
struct ccfc_sh_node *ccfc_sh_parse(struct ccfc_slice text,
				   struct ccfc_arena *arena);

/* The length of the name that a text begins with; 0: with none. */
size_t ccfc_sh_name_length(struct ccfc_slice text);

#endif
