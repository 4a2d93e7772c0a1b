/*
 * The files of one `restore` or `revert`, with their old and new states,
 * written to the undo area (undo.h) before any file is changed.
 *
 * Lines of "key value", in this order; a value has no bytes but printable
 * ASCII, others and '%' are %XX:
 *
 *	ccfc-undo 1
 *	time 2026-01-31T10:00:00.000Z
 *	command restore%20src/a.c%20--at=toolu_01
 *	kind restore|change|undo
 *	undoes ID | -
 *	path /home/dev/src/a.c		these five for each file
 *	old SHA256 MODE UID GID | -	-: there was no file
 *	new SHA256 | -			-: there will be none
 *	temp .ccfc-0123456789abcdef
 *	dirs 0				directories that have to be made
 *	end
 */
#ifndef CCFC_CLI_UNDO_MANIFEST_H
#define CCFC_CLI_UNDO_MANIFEST_H

#include "cli/write/replace.h"

#include <stdint.h>

#define CCFC_UNDO_ID_MAX    64
#define CCFC_MANIFEST_FILES 65536 /* at most */

enum ccfc_undo_kind {
	CCFC_UNDO_RESTORE, /* the new content is wholly from the history */
	CCFC_UNDO_CHANGE,
	CCFC_UNDO_UNDO, /* undoes another entry */
};

struct ccfc_undo_file {
	char *path;
	char was[CCFC_SHA256_HEX + 1]; /* "": it did not exist */
	struct ccfc_attr attr;	       /* then */
	char now[CCFC_SHA256_HEX + 1]; /* "": it is removed */
	char temp[CCFC_TEMP_MAX];
	unsigned dirs;
};

struct ccfc_manifest {
	int64_t time;
	char *command;
	enum ccfc_undo_kind kind;
	char undoes[CCFC_UNDO_ID_MAX]; /* that one; "" for none */
	struct {
		struct ccfc_undo_file *items;
		uint32_t n, cap;
	} files;
};

void ccfc_manifest_init(struct ccfc_manifest *m, const char *command);
void ccfc_manifest_release(struct ccfc_manifest *m);

/* One more file; its path is copied. Borrowed until the next one. */
struct ccfc_undo_file *ccfc_manifest_add(struct ccfc_manifest *m,
					 const char *path);

void ccfc_manifest_write(struct ccfc_buf *out, const struct ccfc_manifest *m);

/* Into an initialised manifest. CCFC_ECORRUPT: malformed. */
int ccfc_manifest_read(struct ccfc_manifest *m, struct ccfc_slice text,
		       struct ccfc_err *err);

#endif
