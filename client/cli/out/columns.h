/*
 * Tables whose columns are data: a title, the field to show, and the kind of
 * the field. The cells of all kinds are made here.
 */
#ifndef CCFC_CLI_OUT_COLUMNS_H
#define CCFC_CLI_OUT_COLUMNS_H

#include "cli/out/table.h"
#include "wire/obj.h"

/* How a cell shows the field `key`. */
enum ccfc_cell_kind {
	CCFC_CELL_TEXT,	    /* a text; "-" if empty */
	CCFC_CELL_OPTIONAL, /* a text; nothing if empty */
	CCFC_CELL_GROUP,    /* a text; "(none)" if empty */
	CCFC_CELL_TITLE,    /* the first line of a session's title */
	CCFC_CELL_MODEL,    /* a model's short name */
	CCFC_CELL_PATH,	    /* a path, with "~" on a terminal */
	CCFC_CELL_BELOW,    /* a path, relative to cells->base */
	CCFC_CELL_PREFIX,   /* the first cells->id_length bytes */
	CCFC_CELL_ID,	    /* the first `cut` bytes on a terminal */
	CCFC_CELL_COUNT,    /* "12345" */
	CCFC_CELL_PAIR,	    /* two counts, `key` and `second`: "3/4" */
	CCFC_CELL_LENGTH,   /* the number of elements of an array */
	CCFC_CELL_TOKENS,   /* a count, or all of a TokenUsage: "12.3k" */
	CCFC_CELL_LINES,    /* linesAdded and linesRemoved: "+3 -1" */
	CCFC_CELL_DURATION, /* of seconds: "1h05m" */
	CCFC_CELL_STATUS,   /* a text, coloured as a session's status */
	CCFC_CELL_MINUTE,   /* a time: "2025-12-31 14:05" */
	CCFC_CELL_SECOND,   /* a time: "2025-12-31 14:05:59"; both on a
			     * terminal as the next, if there is a `now` */
	CCFC_CELL_WHEN,	    /* a time, relative to cells->now */
	CCFC_CELL_JOIN,	    /* an array of texts: "Edit, Write" */
	CCFC_CELL_BAR,	    /* a bar for a number, relative to cells->max */
	CCFC_CELL_OWN,	    /* the text that `put` appends */
};

/* Shared by all cells of a table. */
struct ccfc_cells {
	const struct ccfc_out *out;
	int64_t now;		/* ccfc_time_now's */
	size_t id_length;	/* see ccfc_render_id_length */
	struct ccfc_slice base; /* a directory */
	int64_t max;		/* the value of the longest bar */
	const void *data;	/* of `put` and `note` */
	/* Called after each row; may add notes to it. NULL: none. */
	void (*note)(struct ccfc_table *table, struct ccfc_obj row);
};

struct ccfc_column {
	const char *title;
	const char *key;
	enum ccfc_cell_kind kind;
	unsigned min; /* as in struct ccfc_table_col, … */
	unsigned least;
	unsigned gap; /* … but 0 means 2 */
	int elastic;
	unsigned drop; /* on a narrow terminal 1 is dropped first; 0: never */
	unsigned cut;
	const char *second; /* TEXT and ID: the key to use if `key` is empty */
	/* Appends the text; `kind` then only affects the style. */
	void (*put)(struct ccfc_buf *text, const struct ccfc_cells *cells,
		    struct ccfc_obj row);
	/* The file that an own cell shows; paths lead to themselves. */
	struct ccfc_slice (*link)(const struct ccfc_cells *cells,
				  struct ccfc_obj row);
};

/* The number that a bar shows of a field: its count, or all of its tokens. */
int64_t ccfc_cell_number(struct ccfc_obj row, const char *key);

/*
 * A table of these columns. `columns` is kept. Add rows, then print and release
 * it like any other table.
 */
struct ccfc_columns {
	struct ccfc_table table;
	const struct ccfc_column *columns;
	unsigned n;
	struct ccfc_cells cells;
	struct ccfc_table_col cols[CCFC_TABLE_COLS];
	unsigned drop[CCFC_TABLE_COLS];
};

void ccfc_columns_init(struct ccfc_columns *c,
		       const struct ccfc_column *columns, unsigned n,
		       const struct ccfc_cells *cells);
void ccfc_columns_row(struct ccfc_columns *c, struct ccfc_obj row);
void ccfc_columns_release(struct ccfc_columns *c);

/* All of it, for an array of maps. */
void ccfc_columns_print(struct ccfc_out *out, const struct ccfc_column *columns,
			unsigned n, const struct ccfc_cells *cells,
			struct ccfc_obj rows);

#define CCFC_NCOLUMNS(columns) (sizeof(columns) / sizeof(*(columns)))

#endif
