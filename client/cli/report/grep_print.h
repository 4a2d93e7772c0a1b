/* The matches of `ccfc grep`, as text. */
#ifndef CCFC_CLI_REPORT_GREP_PRINT_H
#define CCFC_CLI_REPORT_GREP_PRINT_H

#include "cli/out/out.h"
#include "wire/obj.h"

/*
 * A reply of text.search: each match with its snippet and the command that
 * shows it, then the totals. `offset` is the requested one.
 */
void ccfc_grep_print(struct ccfc_out *out, struct ccfc_obj root,
		     int64_t offset);

#endif
