/*
 * The undo area: the changes of `restore` and `revert`, with the old bytes, so
 * that they can be undone; and the journal that changes several files all or
 * none, whatever happens meanwhile.
 *
 *	<state directory>/undo/lock		held while anything is done
 *	<state directory>/undo/<id>/begun	a manifest (manifest.h), and its
 *				    done	state by its name
 *				    undone
 *	<state directory>/undo/<id>/0, 1, …	bytes of file 0, 1, … before
 *
 * The old bytes and the manifest are on disk before a file is touched. An entry
 * in state "begun" without a lock belongs to a killed process: the next command
 * that opens the area rolls it back.
 */
#ifndef CCFC_CLI_UNDO_UNDO_H
#define CCFC_CLI_UNDO_UNDO_H

#include "cli/undo/manifest.h"

/* Entries younger than this are kept, and this many whatever their age. */
#define CCFC_UNDO_DAYS 30
#define CCFC_UNDO_KEEP 100

enum ccfc_undo_state {
	CCFC_UNDO_BEGUN,
	CCFC_UNDO_DONE,
	CCFC_UNDO_UNDONE,
};

struct ccfc_undo_entry {
	char id[CCFC_UNDO_ID_MAX]; /* sorts by time */
	enum ccfc_undo_state state;
	struct ccfc_manifest manifest;
};

struct ccfc_undo {
	char *path;
	int dir; /* -1: there is no area */
	int lock;
	struct {
		struct ccfc_undo_entry *items; /* oldest first */
		uint32_t n, cap;
	} entries;
};

/*
 * Opens and locks the area, waiting for another process if need be; rolls back
 * entries of killed processes, with notes on stderr; drops old entries. If
 * there is no area, it is made if `make`, else there are no entries. Close it
 * also after an error.
 */
int ccfc_undo_open(struct ccfc_undo *u, bool make, struct ccfc_err *err);
void ccfc_undo_close(struct ccfc_undo *u);

/*
 * The entry whose id starts with `id`; for NULL the newest change that was
 * not undone. Borrowed. CCFC_ENOTFOUND, CCFC_EAMBIGUOUS.
 */
struct ccfc_undo_entry *ccfc_undo_find(struct ccfc_undo *u, const char *id,
				       struct ccfc_err *err);

/*
 * Is this content from the last restore of the file, with no later entry? Then
 * it is wholly in the history and contains nobody's own work.
 */
bool ccfc_undo_restored(const struct ccfc_undo *u, const char *path,
			const char *sha256);

/* Appends the old content of file `i`; checked. CCFC_ECORRUPT, CCFC_EIO. */
int ccfc_undo_blob(struct ccfc_buf *out, const struct ccfc_undo *u,
		   const struct ccfc_undo_entry *entry, uint32_t i,
		   struct ccfc_err *err);

/* Marks the entry as undone. */
int ccfc_undo_mark(const struct ccfc_undo *u, struct ccfc_undo_entry *entry,
		   enum ccfc_undo_state state, struct ccfc_err *err);

/* ---- changing files ---- */

/* The change of one file. All borrowed. */
struct ccfc_file_edit {
	const char *path;	      /* absolute */
	const char *expect;	      /* hash of the present content; "": no
				       * file */
	bool exists;		      /* afterwards */
	struct ccfc_slice content;    /* then */
	const struct ccfc_attr *attr; /* of a new file; may be NULL */
};

struct ccfc_file_edits {
	const char *command; /* for the list */
	enum ccfc_undo_kind kind;
	const char *undoes; /* id, or NULL */
	bool force;	    /* also files with several names */
	const struct ccfc_file_edit *items;
	uint32_t n;
};

/*
 * Does all changes, or none: after a failure all files are restored. `id` gets
 * the name of the new entry. Signals that would end the process are blocked
 * meanwhile.
 */
int ccfc_undo_apply(char id[CCFC_UNDO_ID_MAX], struct ccfc_undo *u,
		    const struct ccfc_file_edits *edits, struct ccfc_err *err);

/* ---- between undo.c and journal.c ---- */

/* Opens the directory of an entry; -1 and errno. */
int ccfc_undo_entry_dir(const struct ccfc_undo *u, const char *id);

/* Deletes an entry, its manifest first. */
void ccfc_undo_drop(const struct ccfc_undo *u, const char *id);

/* The result of a rollback. */
struct ccfc_undo_report {
	uint32_t restored; /* had been changed, and are as before */
	uint32_t left;	   /* changed by somebody else: left alone */
	uint32_t failed;   /* could not be restored; err has the reason */
};

/*
 * Restores all files of the entry that are still as it left them, removes its
 * temporary files, and deletes the entry if nothing remains to do.
 */
void ccfc_undo_roll_back(struct ccfc_undo_report *report,
			 const struct ccfc_undo *u,
			 struct ccfc_undo_entry *entry, struct ccfc_err *err);

#endif
