/*
 * Which lines of a transcript are forgotten: those of a forgotten session, and
 * those that hold the content or the name of a forgotten file: its calls, their
 * results, commands that name it, and results that name it. Such a line is not
 * read, and not archived. A snapshot names many files: it loses those that are
 * forgotten. One thread; another one has its own.
 *
 * In results a file is found by words with a dot or a slash that are its path,
 * absolute or from the directory of the line. What a person or the model says
 * is no such line.
 */
#ifndef CCFC_FORGET_FORGOTTEN_LINES_H
#define CCFC_FORGET_FORGOTTEN_LINES_H

#include "forget/forgotten.h"
#include "transcript/record.h"

struct ccfc_forgotten_lines;

/* `home` (may be NULL) is for "~" in paths; both outlive it. */
struct ccfc_forgotten_lines *
ccfc_forgotten_lines_new(const struct ccfc_forgotten *list, const char *home);
void ccfc_forgotten_lines_free(struct ccfc_forgotten_lines *lines);

/*
 * Is the line forgotten? Call it for the lines of a transcript in their order.
 * `line` is what was parsed.
 */
bool ccfc_forgotten_lines_has(struct ccfc_forgotten_lines *lines,
			      const struct ccfc_record *record,
			      struct ccfc_slice line);
/*
 * Takes forgotten files out of a snapshot of this session; its list is then
 * valid until the next call. True: there were some.
 */
bool ccfc_forgotten_lines_thin(struct ccfc_forgotten_lines *lines,
			       struct ccfc_slice session,
			       struct ccfc_record *record);
/*
 * The same in the line itself, with blanks. False: they could not be found
 * there.
 */
bool ccfc_forgotten_lines_blank(struct ccfc_forgotten_lines *lines,
				struct ccfc_slice session,
				const struct ccfc_record *record, char *line,
				size_t len);

#endif
