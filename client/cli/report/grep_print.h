/* The matches of `ccfc grep`, as text. */
#ifndef CCFC_CLI_REPORT_GREP_PRINT_H
#define CCFC_CLI_REPORT_GREP_PRINT_H

#include "cli/out/out.h"
#include "wire/obj.h"

/*
 * A reply of text.search: each match with its snippet and the command that
 * shows it, those of one session together; then the totals. `offset` is the
 * requested one.
 */
void ccfc_grep_print(struct ccfc_out *out, struct ccfc_obj root,
		     int64_t offset);

/* Only the sessions, each once, in the order of their first match. */
enum ccfc_grep_form {
	CCFC_GREP_IDS,	  /* ids, each followed by `end` */
	CCFC_GREP_TITLES, /* id and title */
	CCFC_GREP_COUNTS, /* the number of matches, id and title */
};
void ccfc_grep_sessions(struct ccfc_out *out, struct ccfc_obj root,
			enum ccfc_grep_form form, char end);

#endif
