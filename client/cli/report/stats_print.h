/* Totals of changes, calls and tokens, as `ccfc stats` prints them. */
#ifndef CCFC_CLI_REPORT_STATS_PRINT_H
#define CCFC_CLI_REPORT_STATS_PRINT_H

#include "cli/out/out.h"
#include "wire/obj.h"

/* The totals of a reply of stats.get. */
void ccfc_stats_print_totals(struct ccfc_out *out, struct ccfc_obj root);

/*
 * Its rows, with bars on a terminal, under a title if it is not NULL; nothing
 * if there are none.
 */
void ccfc_stats_print_rows(struct ccfc_out *out, struct ccfc_obj root,
			   const char *title);

/* The last days as two lines of bars; only on a terminal. */
void ccfc_stats_print_days(struct ccfc_out *out, struct ccfc_obj days);

/* The tools used most, and the files changed most. */
void ccfc_stats_print_tools(struct ccfc_out *out, struct ccfc_obj tools);
void ccfc_stats_print_files(struct ccfc_out *out, struct ccfc_obj root);

#endif
