/*
 * Finds the forgotten lines of a transcript: all lines of a forgotten session,
 * and lines with the content or the name of a forgotten file: its calls, their
 * results, and commands and results that name the file. Such a line is neither
 * indexed nor archived. A snapshot names many files and loses only the
 * forgotten ones. Use one object for each thread.
 *
 * In a result, a file is found by words with a dot or a slash that are its
 * path, absolute or relative to the directory of the line. Messages of a person
 * or the model are not searched.
 */
#ifndef CCFC_FORGET_FORGOTTEN_LINES_H
#define CCFC_FORGET_FORGOTTEN_LINES_H

#include "forget/forgotten.h"
#include "transcript/record.h"

struct ccfc_forgotten_lines;

/* `home` (may be NULL) replaces "~" in paths. List and home outlive `lines`. */
struct ccfc_forgotten_lines *
ccfc_forgotten_lines_new(const struct ccfc_forgotten *list, const char *home);
void ccfc_forgotten_lines_free(struct ccfc_forgotten_lines *lines);

/*
 * Is the line forgotten? Call it for the lines of a transcript in their order.
 * `line` is the text that the record was parsed from.
 */
bool ccfc_forgotten_lines_has(struct ccfc_forgotten_lines *lines,
			      const struct ccfc_record *record,
			      struct ccfc_slice line);
/*
 * Removes forgotten files from a snapshot of this session. The snapshot's list
 * is then valid until the next call. True: there were such files.
 */
bool ccfc_forgotten_lines_thin(struct ccfc_forgotten_lines *lines,
			       struct ccfc_slice session,
			       struct ccfc_record *record);
/*
 * Replaces forgotten files in the snapshot's line by blanks. False: one of them
 * was not found in the line.
 */
bool ccfc_forgotten_lines_blank(struct ccfc_forgotten_lines *lines,
				struct ccfc_slice session,
				const struct ccfc_record *record, char *line,
				size_t len);

#endif
