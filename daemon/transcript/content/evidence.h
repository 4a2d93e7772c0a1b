/*
 * All that the lines of a change say of the file's content, before and after.
 * Read when history is asked for; the index keeps none of it. Pure functions
 * over bytes; replay (history/) puts the evidence together.
 *
 * Texts are as the client writes them: unescaped UTF-8 (lone surrogates
 * become U+FFFD), "\n" for every line ending of a file that was read, U+FEFF
 * for a byte order mark. Hunk lines of structuredPatch show each leading tab as
 * two spaces.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_EVIDENCE_H
#define CCFC_TRANSCRIPT_CONTENT_EVIDENCE_H

#include "transcript/record.h"

/* One replacement. The texts' ptr is NULL where the line has none. */
struct ccfc_replacement {
	struct ccfc_slice old_text;
	struct ccfc_slice new_text;
	bool all; /* replace_all, replaceAll */
};

/* One hunk of structuredPatch. */
struct ccfc_hunk {
	uint32_t old_start, old_lines; /* from 1, as in a unified diff */
	uint32_t new_start, new_lines;
	struct ccfc_slice *lines; /* with their ' ', '-', '+' or '\\' */
	uint32_t nlines;
};

enum ccfc_before {
	CCFC_BEFORE_UNKNOWN,
	CCFC_BEFORE_ABSENT, /* the file was made by this change */
	CCFC_BEFORE_TEXT,   /* `original` is the whole text */
};

enum ccfc_cell_mode { CCFC_CELL_REPLACE, CCFC_CELL_INSERT, CCFC_CELL_DELETE };

/* What a NotebookEdit did, for clients that do not show the whole file. */
struct ccfc_cell {
	enum ccfc_cell_mode mode;
	struct ccfc_slice source; /* the new one */
	struct ccfc_slice type;	  /* "code", "markdown"; ptr NULL: not said */
	struct ccfc_slice id;	  /* ptr NULL: not said */
	int64_t number;		  /* -1: not said */
	/*
	 * What the call alone says: the result puts the new cell's id where the
	 * call has the cell to insert after, and "code" where the call names no
	 * type.
	 */
	bool asked; /* the call was read, and makes sense */
	struct ccfc_slice asked_type;
	struct ccfc_slice asked_id;
	struct ccfc_slice version; /* of the client, either line's; it changed
				    * what it does to cells. ptr NULL: none */
};

struct ccfc_evidence {
	enum ccfc_tool_shape shape; /* never COMMAND: a command is a WRITE, an
				     * EDIT or OPAQUE */
	bool from_result; /* a toolUseResult of a write tool was there; else
			   * all of this is the call's input */
	bool user_modified;
	enum ccfc_before before;
	struct ccfc_slice original; /* originalFile, originalFileContents,
				     * original_file */
	bool has_after;
	struct ccfc_slice after; /* Write's content, updated_file */
	struct ccfc_replacement *edits;
	uint32_t nedits;
	/* Of an empty side the client's start is 1, not 0. */
	bool has_patch; /* structuredPatch is there and has hunks */
	struct ccfc_hunk *hunks;
	uint32_t nhunks;
	bool has_cell;
	struct ccfc_cell cell;
	/*
	 * Of a shell's command (run_evidence.h). Its hunks show tabs as they
	 * are. Without `gone`, `has_after`, `has_added` and a patch, what it
	 * made of the file is not known.
	 */
	bool is_shell;
	bool gone;	/* there is no file after it */
	bool has_added; /* it put `added` behind what was there */
	struct ccfc_slice added;
	/* `after`, `added` and `gone` are from the text of the command, … */
	bool from_text;
	bool went_on; /* which may have changed the file again later. */
	/* It moved or copied another file there, which it had not changed
	 * before; */
	bool taken;
	/* and `after` is what that one was, set by who knows it (history). */
	bool moved;
	/* The text of the command says the same as the lines that were seen. */
	bool confirmed;
	/* The command takes files from git or from other files, and did not
	 * write what it left. */
	bool brings;
	/* Whether the last line of `original` or `after` ends in a newline is
	 * not known. */
	bool open_end;
	/* Lines of the hunks that had a "\r" at their end, which is left out;
	 * and others. */
	bool with_cr, without_cr;
	/* `original`, `after`: the very bytes that were on disk; set by who has
	 * seen them (history). */
	bool seen_before, seen_after;
};

/*
 * Fills `out` from the call line and the result line of the change `id`
 * (either may be empty: gone; both padded as for ccfc_record_parse). The
 * result wins over the call, field by field: what it does not have is taken
 * from the call (so an agent's result without detail leaves the call's input).
 * With several files in one call, `part` says which; a result that does not
 * name that file is then not about it. Everything is copied to `arena`. False
 * when neither line tells of that id (a result without detail does not).
 *
 * An Edit that makes a file and one that fills an empty one leave the same
 * lines; both are BEFORE_TEXT with an empty text.
 *
 * A patch whose numbers make no sense (negative, beyond 2^31, counts that do
 * not fit its lines) counts as not there.
 */
bool ccfc_evidence_read(struct ccfc_parser *parser, struct ccfc_evidence *out,
			struct ccfc_slice id, uint32_t part,
			struct ccfc_slice call_line,
			struct ccfc_slice result_line,
			struct ccfc_arena *arena);

#endif
