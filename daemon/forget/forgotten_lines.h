/*
 * Which lines of a transcript are forgotten: those of a forgotten session, and
 * those that hold the content of a forgotten file: its calls, their results,
 * and commands that name it. Such a line is not read, and not archived. One
 * thread; another one has its own.
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

/* Is it one? The lines of a transcript are asked of in their order. */
bool ccfc_forgotten_lines_has(struct ccfc_forgotten_lines *lines,
			      const struct ccfc_record *record);

#endif
