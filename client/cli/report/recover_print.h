/*
 * Recovering files: one row for each with what came of it, the table that is
 * shown, and the report that is kept with them.
 */
#ifndef CCFC_CLI_REPORT_RECOVER_PRINT_H
#define CCFC_CLI_REPORT_RECOVER_PRINT_H

#include "base/strtab.h"
#include "cli/out/out.h"
#include "cli/write/new_files.h"
#include "wire/obj.h"

#include <ccfc/client.h>

enum ccfc_recovery {
	CCFC_RECOVERED,	      /* written */
	CCFC_RECOVER_EXISTS,  /* a file of that name is there already */
	CCFC_RECOVER_ABSENT,  /* the last change left no file */
	CCFC_RECOVER_UNKNOWN, /* the content is not known, or not all of it */
	CCFC_RECOVER_FAILED,  /* could not be asked for, or not be written */
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
	struct ccfc_new_files keep; /* where it goes; see ccfc_new_files_init */
	struct ccfc_strtab taken;   /* names that were given away */
	struct ccfc_arena arena;    /* texts of rows */
	struct {
		struct ccfc_recover_row *items;
		uint32_t n, cap;
	} rows;
};

void ccfc_recover_init(struct ccfc_recover *r);
void ccfc_recover_release(struct ccfc_recover *r);

/*
 * Asks for the content of one of the rows and writes it. What came of it is in
 * the row, and said on stderr if it is not what was wanted. CCFC_EIO: there is
 * no room for this one nor any other; CCFC_EUNREACHABLE: the daemon went.
 */
int ccfc_recover_row(struct ccfc_recover *r, struct ccfc_recover_row *row,
		     struct ccfc_client *client);

/* Rows with that result. */
uint32_t ccfc_recover_count(const struct ccfc_recover *r,
			    enum ccfc_recovery what);

void ccfc_recover_table(const struct ccfc_recover *r, struct ccfc_out *out);

/* Appends the report as JSON. */
void ccfc_recover_json(const struct ccfc_recover *r, struct ccfc_buf *out);

/*
 * Keeps `json` as REPORT.json; where that is taken, as REPORT-2.json and so
 * on. The name is appended to `name`.
 */
int ccfc_recover_save(struct ccfc_buf *name, struct ccfc_recover *r,
		      const struct ccfc_buf *json, struct ccfc_err *err);

#endif
