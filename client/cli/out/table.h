/*
 * A table of text: rows of cells under titles, indented by two, each column as
 * wide as its widest cell. On a terminal, elastic columns are cut so that a row
 * fits on a line. Cells are made safe when they are added.
 */
#ifndef CCFC_CLI_OUT_TABLE_H
#define CCFC_CLI_OUT_TABLE_H

#include "cli/out/out.h"

#include <stdint.h>

#define CCFC_TABLE_COLS 128

struct ccfc_table_col {
	const char *title;
	unsigned min; /* at least that wide if there is room */
	unsigned gap; /* blanks after it */
	/* May be cut: not at all (false), in its middle (true), at its end. */
	int elastic;
};

#define CCFC_TABLE_PROSE 2

struct ccfc_table {
	const struct ccfc_table_col *cols; /* borrowed */
	unsigned ncols;
	unsigned shown;	      /* columns that fit the width */
	const unsigned *drop; /* borrowed; see ccfc_table_drop */
	unsigned ndrop;
	bool hidden[CCFC_TABLE_COLS];
	struct ccfc_buf text; /* of all cells, one after another */
	struct {
		struct {
			size_t at, len, width;
			size_t link_len; /* length of its link, which follows */
		} * items;
		uint32_t n, cap;
	} cells;
	struct {
		struct {
			uint32_t cell; /* the first cell after its row */
			size_t at, len;
		} * items;
		uint32_t n, cap;
	} notes;
	size_t widths[CCFC_TABLE_COLS];
	int styles[CCFC_TABLE_COLS]; /* of cells; see ccfc_table_style */
	/*
	 * elastic columns are not cut below this width; instead, columns are
	 * dropped
	 */
	size_t least[CCFC_TABLE_COLS];
};

void ccfc_table_init(struct ccfc_table *table,
		     const struct ccfc_table_col *cols, unsigned ncols);
void ccfc_table_release(struct ccfc_table *table);

/*
 * Columns that may be dropped, the least important first. They are dropped one
 * after another while the terminal is too narrow for the others, even with
 * elastic columns cut to their `min`. `cols` is kept.
 */
void ccfc_table_drop(struct ccfc_table *table, const unsigned *cols,
		     unsigned ncols);

/*
 * Cells of a column get that style; CCFC_TABLE_BY_STATUS: one that their text
 * asks for, as a session's status.
 */
#define CCFC_TABLE_BY_STATUS (-1)
void ccfc_table_style(struct ccfc_table *table, unsigned col, int style);

/* The next cell, from left to right and row by row. */
void ccfc_table_cell(struct ccfc_table *table, struct ccfc_slice s);
void ccfc_table_printf(struct ccfc_table *table, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The cell that was added last is a link to this file. */
void ccfc_table_link(struct ccfc_table *table, struct ccfc_slice path);

/* A line under the row that was filled last. */
void ccfc_table_note(struct ccfc_table *table, struct ccfc_slice s);

void ccfc_table_print(struct ccfc_table *table, struct ccfc_out *out);

#endif
