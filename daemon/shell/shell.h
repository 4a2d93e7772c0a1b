/*
 * The target files of a shell command, read from its text alone. The reader
 * touches no file system and runs nothing. Uncertain parts are counted as
 * unsure and never guessed.
 *
 * Assumed, since no text can tell: programs are what their names say (no
 * aliases, no other program of that name in PATH), a path is not a symbolic
 * link, and a "cd" whose failure is ignored has worked (`checked` is then false
 * for later effects).
 *
 * Not reported: directories that are made or removed empty, modes and owners
 * of files, devices such as /dev/null, and what git keeps below .git.
 */
#ifndef CCFC_SHELL_SHELL_H
#define CCFC_SHELL_SHELL_H

#include "base/arena.h"

#include <stdint.h>

#define CCFC_SHELL_COMMAND_MAX (64u << 10) /* bytes of a command */
#define CCFC_SHELL_EFFECTS_MAX 256u
#define CCFC_SHELL_TEXTS_MAX   256u /* texts and bulk commands that are kept */

enum ccfc_shell_op {
	CCFC_SHELL_WRITE,   /* the whole content: >, tee, a here-document */
	CCFC_SHELL_APPEND,  /* >>, tee -a */
	CCFC_SHELL_MODIFY,  /* in place: sed -i, perl -i, dd conv=notrunc */
	CCFC_SHELL_DELETE,  /* rm, git rm */
	CCFC_SHELL_RENAME,  /* mv, git mv: `from` is gone */
	CCFC_SHELL_COPY,    /* cp, install; `from` is as it was */
	CCFC_SHELL_LINK,    /* ln: `path` is a link to `from` */
	CCFC_SHELL_RESTORE, /* git checkout -- PATH, git restore PATH */
	CCFC_SHELL_TOUCH,   /* created if it did not exist, else unchanged */
	CCFC_SHELL_OPS
};

/* Was the command with this effect run at all? */
enum ccfc_shell_reach {
	CCFC_SHELL_ALWAYS,
	CCFC_SHELL_IF_OK, /* yes, if the whole command's exit status is 0 */
	CCFC_SHELL_MAYBE, /* an if, a loop, after ||, in the background … */
};

/* Slices end in a NUL that does not count. */
struct ccfc_shell_effect {
	enum ccfc_shell_op op;
	enum ccfc_shell_reach reach;
	/*
	 * An exit status of 0 of the whole command proves that this part
	 * succeeded. False for example in "mv a b; true", which ends with 0
	 * even if there is no a.
	 */
	bool checked;
	/*
	 * `path` (and `from`) may be a directory: then the effect is on
	 * everything below it.
	 */
	bool tree;
	/*
	 * `path` may be an existing directory: then the target is the name of
	 * `from` in it ("cp a b"). Never set if the text is clear ("cp a b/",
	 * "cp a b dir", "mv -t dir a").
	 */
	bool into;
	/* WRITE: the content; APPEND: the added text. */
	bool has_content;
	struct ccfc_slice content;
	struct ccfc_slice path;	  /* normal, see base/path.h */
	struct ccfc_slice from;	  /* RENAME, COPY, LINK; normal */
	struct ccfc_slice source; /* RESTORE: git's revision; empty: index */
	/*
	 * The number of unsure parts before it. If there are more in all
	 * (ccfc_shell_unsure), the file may have been changed again.
	 */
	uint32_t unsure_before;
};

/* Why files without a listed effect may have changed. */
enum ccfc_shell_why {
	CCFC_SHELL_WHY_PROGRAM, /* an unknown program: make, python, ./x */
	CCFC_SHELL_WHY_TARGET,	/* a target that cannot be resolved: > "$x", rm
				 * *.o */
	CCFC_SHELL_WHY_BULK, /* git stash, reset --hard, checkout BRANCH … */
	CCFC_SHELL_WHY_HOOK, /* git commit, push: only the repository's hooks */
	CCFC_SHELL_WHY_BACKGROUND, /* a background command */
	CCFC_SHELL_WHY_LIMIT,	   /* too long, too deep, too many */
	CCFC_SHELL_WHY_SYNTAX,	   /* unknown syntax: no effects are listed */
	CCFC_SHELL_WHYS
};

/* A git command that may change files without naming them. */
struct ccfc_shell_bulk {
	struct ccfc_slice name; /* "stash", "checkout" … */
	struct ccfc_slice dir;	/* where it was run; empty: not known */
	bool pops;		/* "stash pop": restores what was stashed */
	uint32_t unsure_before; /* as of an effect */
};

struct ccfc_shell_effects {
	struct {
		struct ccfc_shell_effect *items;
		uint32_t n, cap;
	} all; /* in the order of the command */
	/*
	 * Texts that unsure parts may have written to some file: input of an
	 * interpreter or an editor, and text for a target that is not plain. As
	 * the shell passes them, without quotes; they borrow from the command.
	 */
	struct {
		struct ccfc_slice *items;
		uint32_t n, cap;
	} texts;
	struct {
		struct ccfc_shell_bulk *items;
		uint32_t n, cap;
	} bulk;
	uint32_t why[CCFC_SHELL_WHYS];
	struct ccfc_slice first_unsure; /* the program, if it has a name */
	struct ccfc_arena arena;
};

enum ccfc_shell_language {
	CCFC_SHELL_BASH,
	CCFC_SHELL_POWERSHELL,
};

/* Where the command ran. Both may be empty: not known. */
struct ccfc_shell_env {
	struct ccfc_slice cwd;
	struct ccfc_slice home;
	enum ccfc_shell_language language;
};

void ccfc_shell_effects_init(struct ccfc_shell_effects *effects);
void ccfc_shell_effects_release(struct ccfc_shell_effects *effects);

/*
 * Reads a command. Clears `out` first; its slices are valid until the next call
 * or the release. Any bytes are a command: there are no errors, only unsure
 * parts. Any thread, one at a time for each `out`.
 */
void ccfc_shell_read(struct ccfc_shell_effects *out, struct ccfc_slice command,
		     const struct ccfc_shell_env *env);

/* How many parts of the command may have changed unlisted files. */
uint32_t ccfc_shell_unsure(const struct ccfc_shell_effects *effects);

/* Certainly no file was changed. */
bool ccfc_shell_writes_nothing(const struct ccfc_shell_effects *effects);

/*
 * Was the command certainly run; has the effect certainly happened? `ok`: the
 * whole command's exit status is known to be 0.
 */
bool ccfc_shell_ran(const struct ccfc_shell_effect *effect, bool ok);
bool ccfc_shell_happened(const struct ccfc_shell_effect *effect, bool ok);

/* "write", "delete" …; "program", "target" … */
const char *ccfc_shell_op_name(enum ccfc_shell_op op);
const char *ccfc_shell_why_name(enum ccfc_shell_why why);

#endif
