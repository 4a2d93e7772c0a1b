/*
 * The steps of `ccfc setup`: a list is made and shown, then the steps are done
 * one by one and recorded in the state directory. `--remove` makes its steps
 * from the record. A file belongs to setup as long as its content is what setup
 * wrote: otherwise somebody changed it, and it stays.
 */
#ifndef CCFC_CLI_SETUP_SETUP_H
#define CCFC_CLI_SETUP_SETUP_H

#include "base/sha256.h"
#include "cli/frame/cli.h"
#include "cli/frame/cwd.h"
#include "cli/write/replace.h"

/* ---- setup_record.c ---- */

struct ccfc_setup_file {
	char *path;
	char sha256[CCFC_SHA256_HEX + 1];
	unsigned dirs; /* directories that were made for it */
	/* While it is being written; "" else. */
	char was[CCFC_SHA256_HEX + 1];
	char temp[CCFC_TEMP_MAX];
};

/* Done to the service. */
enum {
	CCFC_SETUP_ENABLED = 1, /* systemd: it starts with the session */
	CCFC_SETUP_STARTED = 2, /* systemd: it was not running before */
	CCFC_SETUP_LOADED = 4,	/* launchd: both */
};

struct ccfc_setup_record {
	char *path;			/* of the record itself */
	char seen[CCFC_SHA256_HEX + 1]; /* of its text when it was read */
	int lock;			/* -1: not held */
	unsigned service;
	struct {
		struct ccfc_setup_file *items;
		uint32_t n, cap;
	} files;
};

/*
 * Reads the record; a missing record is empty. CCFC_ECORRUPT. Release it also
 * after an error.
 */
int ccfc_setup_record_init(struct ccfc_setup_record *record,
			   struct ccfc_err *err);
void ccfc_setup_record_release(struct ccfc_setup_record *record);

/*
 * Keeps other setups out until release. CCFC_EBUSY: another one has the lock;
 * CCFC_EAGAIN: another one changed the record since it was read.
 */
int ccfc_setup_record_lock(struct ccfc_setup_record *record,
			   struct ccfc_err *err);

/* Writes the record; an empty record is removed. */
int ccfc_setup_record_save(const struct ccfc_setup_record *record,
			   struct ccfc_err *err);

/* The row of that file, or NULL. Borrowed until the next put or drop. */
struct ccfc_setup_file *
ccfc_setup_record_find(const struct ccfc_setup_record *record,
		       const char *path);

/* Is the content what setup wrote, or was about to replace? */
bool ccfc_setup_file_is(const struct ccfc_setup_file *file,
			const struct ccfc_target *found);

/* Adds a row, or updates an existing one; borrowed as above. */
struct ccfc_setup_file *ccfc_setup_record_put(struct ccfc_setup_record *record,
					      const char *path,
					      const char *sha256,
					      unsigned dirs);
void ccfc_setup_record_drop(struct ccfc_setup_record *record, const char *path);

/* ---- setup.c ---- */

enum ccfc_setup_step_kind {
	CCFC_SETUP_STEP_WRITE,
	CCFC_SETUP_STEP_REMOVE,
	CCFC_SETUP_STEP_FORGET, /* leave a file as it is, and drop its row */
	CCFC_SETUP_STEP_RUN,
	CCFC_SETUP_STEP_STOP, /* the running daemon */
	CCFC_SETUP_STEP_NOTE, /* for the user to read; does nothing */
};

#define CCFC_SETUP_STEP_WORDS 6

struct ccfc_setup_step {
	enum ccfc_setup_step_kind kind;
	char *text;    /* a path; the text of a note */
	char *content; /* of a file to be written */
	char *what;    /* what the step is, or why it is needed; may be NULL */
	char *words[CCFC_SETUP_STEP_WORDS +
		    1];	     /* to be run, a NULL at the end */
	unsigned set, clear; /* in the record, of its `service` */
};

struct ccfc_setup {
	struct ccfc_cli *cli;
	struct ccfc_cwd where;
	struct ccfc_setup_record record;
	struct {
		struct ccfc_setup_step *items;
		uint32_t n, cap;
	} steps;
	/*
	 * A step that is not possible; the others are done anyway. code 0:
	 * none.
	 */
	struct ccfc_err trouble;
};

int ccfc_setup_init(struct ccfc_setup *s, struct ccfc_cli *cli,
		    struct ccfc_err *err);
void ccfc_setup_release(struct ccfc_setup *s);

/* One more step. Texts are copied; borrowed until the next one. */
struct ccfc_setup_step *ccfc_setup_add(struct ccfc_setup *s,
				       enum ccfc_setup_step_kind kind,
				       const char *text, const char *what);
struct ccfc_setup_step *ccfc_setup_add_run(struct ccfc_setup *s,
					   const char *const *words);

/*
 * The file `path` as a target. Directories on the way may be links: a home
 * directory's are the user's own. Released by the caller, also on failure.
 */
int ccfc_setup_target(struct ccfc_target *out, const struct ccfc_setup *s,
		      const char *path, struct ccfc_err *err);

/*
 * Makes a file have that content, or removes it if NULL: adds the necessary
 * step, if any. A file that is not setup's own stays, with a note. 1: there
 * will be a change; 0: none.
 */
int ccfc_setup_want(struct ccfc_setup *s, const char *path, const char *content,
		    const char *what, struct ccfc_err *err);

/* Are there steps other than notes? */
bool ccfc_setup_has_steps(const struct ccfc_setup *s);

/* Appends the list of steps. */
void ccfc_setup_print(const struct ccfc_setup *s);

/* ---- setup_do.c ---- */

/* Does all steps and prints them, up to the first that fails. */
int ccfc_setup_do(struct ccfc_setup *s, struct ccfc_err *err);

/*
 * ---- setup_shells.c, setup_editors.c, setup_service.c, setup_remove.c: the
 * plans ----
 */

int ccfc_setup_plan_shells(struct ccfc_setup *s, struct ccfc_err *err);

int ccfc_setup_plan_editors(struct ccfc_setup *s, struct ccfc_err *err);

/* A manager that does not answer is reported in s->trouble. */
int ccfc_setup_plan_service(struct ccfc_setup *s, struct ccfc_err *err);

int ccfc_setup_plan_remove(struct ccfc_setup *s, struct ccfc_err *err);

#endif
