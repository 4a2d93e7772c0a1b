/*
 * The places of a change's texts: in the input of its call, or in the detail
 * (toolUseResult) of its result. Both have one form here; record.c counts lines
 * from it, content/ reads texts.
 */
#ifndef CCFC_TRANSCRIPT_EDIT_TEXTS_H
#define CCFC_TRANSCRIPT_EDIT_TEXTS_H

#include "transcript/record_internal.h"

struct ccfc_edit_texts {
	enum ccfc_tool_shape shape;
	uint32_t path;
	uint32_t old_text;
	uint32_t new_text;
	uint32_t edits; /* array, in a MultiEdit */
	uint32_t mode;	/* a notebook's edit_mode, an editor's command */
	bool many;	/* replace_all: the number of places is unknown */
};

/* One element of `edits`. */
enum ccfc_edit_field {
	CCFC_EDIT_OLD,
	CCFC_EDIT_OLD_TEXT, /* the other spelling */
	CCFC_EDIT_NEW,
	CCFC_EDIT_NEW_TEXT,
	CCFC_EDIT_ALL,
	CCFC_EDIT_PATH,
	CCFC_EDIT_PATH_ALIAS,
	CCFC_EDIT_COUNT
};

/* Reads one element; `path` is set only if each edit names its file. */
struct ccfc_edit_texts ccfc_edit_texts_edit(const struct ccfc_parser *parser,
					    uint32_t edit);

/* Reads the input of a call. False if this call of the tool writes nothing. */
bool ccfc_edit_texts_input(struct ccfc_edit_texts *out,
			   const struct ccfc_parser *parser,
			   const struct ccfc_tool *tool, uint32_t input);

/* Lines added and removed; CCFC_LINES_UNKNOWN if the texts do not show it. */
void ccfc_edit_texts_count(struct ccfc_parser *parser,
			   const struct ccfc_edit_texts *texts, int32_t *added,
			   int32_t *removed);

/* a += b; either may be unknown. */
void ccfc_edit_texts_add(int32_t *a, int32_t b);

/*
 * The files of a call that edits several, in the order of their first edit; at
 * most CCFC_PARTS_MAX.
 */
#define CCFC_PARTS_MAX 256u

struct ccfc_parts {
	struct ccfc_slice *paths;
	uint32_t n;
};

/* The part of the edit `texts`, added if it is new; CCFC_PARTS_MAX: no room. */
uint32_t ccfc_parts_put(struct ccfc_parts *parts, struct ccfc_parser *parser,
			const struct ccfc_edit_texts *texts);

/*
 * Iterates over the edits of a MultiEdit; if each edit names its file, over
 * those of one part.
 */
struct ccfc_edits {
	struct ccfc_parser *parser;
	struct ccfc_parts parts; /* all parts; empty: the edits name no file */
	uint32_t part;
	uint32_t at;
	uint32_t n; /* of all parts */
};

void ccfc_edits_init(struct ccfc_edits *edits, struct ccfc_parser *parser,
		     const struct ccfc_edit_texts *texts, uint32_t part);
bool ccfc_edits_next(struct ccfc_edits *edits, struct ccfc_edit_texts *out);

/*
 * A copy in `arena` of the string `tok`; ptr NULL if it is not a string. *bad
 * (may be NULL) as for ccfc_unescape.
 */
struct ccfc_slice ccfc_edit_texts_copy(const struct ccfc_parser *parser,
				       uint32_t tok, struct ccfc_arena *arena,
				       bool *bad);

/* Fields of toolUseResult. */
enum ccfc_detail_field {
	CCFC_DETAIL_PATH,
	CCFC_DETAIL_TYPE,
	CCFC_DETAIL_OLD,
	CCFC_DETAIL_NEW,
	CCFC_DETAIL_CONTENT,
	CCFC_DETAIL_EDITS,
	CCFC_DETAIL_PATCH,
	CCFC_DETAIL_ORIGINAL,
	CCFC_DETAIL_ALL,
	CCFC_DETAIL_STAGED,
	CCFC_DETAIL_ERROR,
	CCFC_DETAIL_NEW_SOURCE,
	CCFC_DETAIL_OLD_SOURCE,
	CCFC_DETAIL_CELL_TYPE,
	CCFC_DETAIL_EDIT_MODE,
	CCFC_DETAIL_NOTEBOOK,
	CCFC_DETAIL_SHELL_DIFF,
	CCFC_DETAIL_BACKGROUND,
	CCFC_DETAIL_INTERRUPTED,
	CCFC_DETAIL_COUNT
};

/* result_detail.c: what toolUseResult says about a write or a command. */
struct ccfc_detail {
	const char *tool;  /* NULL: it does not have the shape of a write */
	uint32_t run_diff; /* bashEditDiff; if set, it is a command's */
	bool background;
	bool interrupted;
	struct ccfc_edit_texts texts;
	uint32_t patch;	   /* structuredPatch */
	uint32_t original; /* originalFile */
	bool created;
	bool staged;
	bool error; /* of a notebook */
};

void ccfc_detail_read(struct ccfc_detail *out, const struct ccfc_parser *parser,
		      uint32_t tok);
void ccfc_detail_count(struct ccfc_parser *parser,
		       const struct ccfc_detail *detail, int32_t *added,
		       int32_t *removed);
/* Counts the marked lines in an array of hunks. */
void ccfc_detail_count_hunks(const struct ccfc_json *json, uint32_t hunks,
			     int32_t *added, int32_t *removed);

/*
 * read_tools.c: appends the calls of a tool that reads files, one for each
 * file, or the call of an editor tool with the command "view". False if it is
 * neither.
 */
bool ccfc_read_tool_call(struct ccfc_parser *parser, struct ccfc_call *call,
			 uint32_t input);
bool ccfc_look_view(struct ccfc_parser *parser, struct ccfc_call *call,
		    const struct ccfc_edit_texts *texts);

#endif
