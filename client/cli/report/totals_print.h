/* IndexStats as text, as `index` and `status` print them. */
#ifndef CCFC_CLI_REPORT_TOTALS_PRINT_H
#define CCFC_CLI_REPORT_TOTALS_PRINT_H

#include "cli/out/out.h"
#include "wire/obj.h"

#define CCFC_STATS_COLUMN 15 /* the column of the texts */

void ccfc_stats_print(struct ccfc_out *out, struct ccfc_obj stats);

/* "Label:   …" by a format. */
void ccfc_stats_line(struct ccfc_out *out, const char *label, const char *fmt,
		     ...) __attribute__((format(printf, 3, 4)));

#endif
