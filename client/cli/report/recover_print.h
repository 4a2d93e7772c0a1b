/*
 * Recovering files: one row with the result for each, the printed table, and
 * the report that is kept with them.
 */
#ifndef CCFC_CLI_REPORT_RECOVER_PRINT_H
#define CCFC_CLI_REPORT_RECOVER_PRINT_H

#include "base/strtab.h"
#include "cli/out/out.h"
#include "cli/write/claude_dirs.h"
#include "cli/write/new_files.h"
#include "cli/write/outside.h"
#include "wire/obj.h"

#include <ccfc/client.h>

enum ccfc_recovery {
	CCFC_RECOVERED,	      /* written */
	CCFC_RECOVER_EXISTS,  /* a file of that name exists */
	CCFC_RECOVER_ABSENT,  /* the last change left no file */
	CCFC_RECOVER_UNKNOWN, /* the content is not known, or only in part */
	CCFC_RECOVER_REFUSED, /* needs --outside=PATH */
	CCFC_RECOVER_FAILED,  /* could not be fetched or written */
	CCFC_RECOVER_LEFT,    /* not tried: something ended the run */
};

struct ccfc_recover_row {
	struct ccfc_obj file; /* of session.recover; borrowed */
	const char *name;     /* below the directory; NULL: none */
	enum ccfc_recovery what;
	struct ccfc_slice fidelity, source, why, sha256;
	size_t size;
};

struct ccfc_recover {
	/* the target directory; see ccfc_new_files_init */
	struct ccfc_new_files keep;
	struct ccfc_outside outside; /* what may be written there */
	struct ccfc_roots roots;     /* directories that are never written */
	struct ccfc_strtab taken;    /* names in use */
	struct ccfc_strtab dirs;     /* and their directories */
	struct ccfc_arena arena;     /* texts of rows */
	struct {
		struct ccfc_recover_row *items;
		uint32_t n, cap;
	} rows;
	struct ccfc_buf packed; /* the report, as a reply would be */
	struct ccfc_doc *report;
};

void ccfc_recover_init(struct ccfc_recover *r);
void ccfc_recover_release(struct ccfc_recover *r);

/* Gives every row a unique name, before anything is written. */
void ccfc_recover_names(struct ccfc_recover *r);

/*
 * Asks for the content of one of the rows and writes it. The result is in the
 * row; problems are also printed to stderr. CCFC_EIO: no space for this file or
 * any other; CCFC_EUNREACHABLE: the daemon is gone.
 */
int ccfc_recover_row(struct ccfc_recover *r, struct ccfc_recover_row *row,
		     struct ccfc_client *client);

/* Rows with that result. */
uint32_t ccfc_recover_count(const struct ccfc_recover *r,
			    enum ccfc_recovery what);

/* The report on all rows; call it once. It lives as long as `r`. */
struct ccfc_obj ccfc_recover_report(struct ccfc_recover *r);

/* The report's files as a table. */
void ccfc_recover_table(struct ccfc_out *out, struct ccfc_obj report);

/* The files as a table, before anything is written. */
void ccfc_recover_list(struct ccfc_out *out, const struct ccfc_recover *r);

/*
 * Writes `json` to REPORT.json; if that exists, to REPORT-2.json and so on. The
 * name is appended to `name`.
 */
int ccfc_recover_save(struct ccfc_buf *name, struct ccfc_recover *r,
		      const struct ccfc_buf *json, struct ccfc_err *err);

#endif
