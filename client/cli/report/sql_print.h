/*
 * Answers of `sql`: columns and rows, whose names and values the user chose.
 * Objects are borrowed for the call.
 */
#ifndef CCFC_CLI_REPORT_SQL_PRINT_H
#define CCFC_CLI_REPORT_SQL_PRINT_H

#include "cli/out/out.h"
#include "wire/obj.h"

/* A reply of sql.query. NULL is an empty cell. */
void ccfc_sql_table(struct ccfc_out *out, struct ccfc_obj reply);
/* RFC 4180: a line of names first; NULL is nothing, an empty text is "". */
void ccfc_sql_csv(struct ccfc_out *out, struct ccfc_obj reply);
/* A map for each row; a repeated name gets a number. */
void ccfc_sql_jsonl(struct ccfc_out *out, struct ccfc_obj reply);

/* A reply of sql.schema. */
void ccfc_sql_views(struct ccfc_out *out, struct ccfc_obj reply);

#endif
