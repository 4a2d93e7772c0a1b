/*
 * What the lines of a change say about the file's content, before and after.
 * Read for requests about history; the index does not keep it. Pure functions
 * over bytes; replay (history/) combines the evidence.
 *
 * Texts are as the client writes them: unescaped UTF-8 (lone surrogates become
 * U+FFFD), "\n" for every line ending of a file that was read, U+FEFF for a
 * byte order mark. Hunk lines of structuredPatch show each leading tab as two
 * spaces.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_EVIDENCE_H
#define CCFC_TRANSCRIPT_CONTENT_EVIDENCE_H

#include "transcript/record.h"

/* One replacement. A text that the line lacks has ptr NULL. */
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
	CCFC_BEFORE_ABSENT, /* this change created the file */
	CCFC_BEFORE_TEXT,   /* `original` is the whole text */
};

enum ccfc_cell_mode { CCFC_CELL_REPLACE, CCFC_CELL_INSERT, CCFC_CELL_DELETE };

/* What a NotebookEdit did, for clients that do not show the whole file. */
struct ccfc_cell {
	enum ccfc_cell_mode mode;
	struct ccfc_slice source; /* the new source */
	/* "code", "markdown"; ptr NULL: not recorded */
	struct ccfc_slice type;
	struct ccfc_slice id; /* ptr NULL: not recorded */
	int64_t number;	      /* -1: not recorded */
	/*
	 * What only the call has. In the result, the id is the new cell's
	 * instead of the cell to insert after, and the type is "code" if the
	 * call had none.
	 */
	bool asked; /* the call was read and is well-formed */
	struct ccfc_slice asked_type;
	struct ccfc_slice asked_id;
	/*
	 * of the client, from either line: what it does to cells depends on it.
	 * ptr NULL: none
	 */
	struct ccfc_slice version;
};

struct ccfc_evidence {
	enum ccfc_tool_shape shape; /* never COMMAND: a command is a WRITE, an
				     * EDIT or OPAQUE */
	/*
	 * a write tool's toolUseResult was there; otherwise everything is from
	 * the call's input
	 */
	bool from_result;
	bool user_modified;
	enum ccfc_before before;
	struct ccfc_slice original; /* originalFile, originalFileContents,
				     * original_file */
	bool has_after;
	struct ccfc_slice after; /* Write's content, updated_file */
	struct ccfc_replacement *edits;
	uint32_t nedits;
	/* For an empty side the client gives start 1, not 0. */
	bool has_patch; /* structuredPatch is there and has hunks */
	struct ccfc_hunk *hunks;
	uint32_t nhunks;
	bool has_cell;
	struct ccfc_cell cell;
	/*
	 * A shell command (run_evidence.h). Its hunks show tabs unchanged.
	 * Without `gone`, `has_after`, `has_added` and a patch, its effect on
	 * the file is unknown.
	 */
	bool is_shell;
	bool gone;	/* the command deleted the file */
	bool has_added; /* the command appended `added` */
	struct ccfc_slice added;
	/* `after`, `added` and `gone` are derived from the command's text */
	bool from_text;
	/*
	 * with `from_text`: the command may have changed the file again later
	 */
	bool went_on;
	/*
	 * The command moved or copied another file here, which it had not
	 * changed before.
	 */
	bool taken;
	/* with `taken`: `after` is that file's content, set by history/ */
	bool moved;
	/* The command's text and the recorded lines agree. */
	bool confirmed;
	/*
	 * The command takes files from git or from other files; it did not
	 * write the content itself.
	 */
	bool brings;
	/*
	 * It is unknown whether the last line of `original` or `after` ends in
	 * a newline.
	 */
	bool open_end;
	/*
	 * Some lines of the hunks ended in "\r", which is removed; some did
	 * not.
	 */
	bool with_cr, without_cr;
	/*
	 * `original`, `after` are the bytes that were on disk; set by history/,
	 * which has seen them.
	 */
	bool seen_before, seen_after;
};

/*
 * Fills `out` from the call line and the result line of the change `id`. Either
 * may be empty (gone); both are padded as for ccfc_record_parse. For each field
 * the result wins; fields that it lacks are taken from the call, so an agent's
 * result without detail leaves the call's input. With several files in one
 * call, `part` selects the file, and a result that does not name that file is
 * ignored. Everything is copied to `arena`. False when neither line has
 * evidence for that id; a result without detail has none.
 *
 * An Edit that creates a file and one that fills an empty file leave the same
 * lines; both are BEFORE_TEXT with an empty text. A patch with impossible
 * numbers (negative, beyond 2^31, counts that do not fit its lines) is ignored.
 */
bool ccfc_evidence_read(struct ccfc_parser *parser, struct ccfc_evidence *out,
			struct ccfc_slice id, uint32_t part,
			struct ccfc_slice call_line,
			struct ccfc_slice result_line,
			struct ccfc_arena *arena);

#endif
