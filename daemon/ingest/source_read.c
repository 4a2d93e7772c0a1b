/*
 * Reading the lines of an open source: each becomes a record, facts in the
 * index and texts in the store, and is passed to the archive.
 */
#include "ingest/ingest_impl.h"

/* A slice reads this much before a waiting client can end it. */
#define STEP_BYTES (64u << 10)
/* Records beyond this size have to wait for their newline. */
#define REST_MAX ((size_t)8 << 20)

/* Is the line forgotten? A forgotten part of a line is cut out. */
static bool is_forgotten(struct ccfc_ingest *in, uint32_t source,
			 struct ccfc_record *record, struct ccfc_slice text)
{
	if (ccfc_forgotten_lines_has(in->lines, record, text))
		return true;
	ccfc_forgotten_lines_thin(
		in->lines,
		ccfc_index_session_id(in->index,
				      ccfc_ingest_at(in, source)->session),
		record);
	return false;
}

/* False if its texts could not be stored. */
static bool apply_record(struct ccfc_ingest *in, uint32_t source,
			 struct ccfc_record *record, struct ccfc_slice text,
			 uint64_t offset)
{
	const size_t len = text.len;

	if (in->lines && is_forgotten(in, source, record, text))
		return true;
	ccfc_index_apply(in->index, source, record, offset, len);
	/* The texts of lines that are read again are stored already. */
	return offset < ccfc_ingest_at(in, source)->texts.offset ||
	       ccfc_store_say(in->store, in->index, source, record, offset,
			      len);
}

static void drop_start(struct ccfc_slice *text, size_t n)
{
	*text = ccfc_slice(text->ptr + n, text->len - n);
}

/*
 * A line that is not one record: takes the whole records at its start, and
 * counts the remainder as one malformed line. In a line that may still grow
 * (`rest`) the remainder may become a record. *used: how much of the line was
 * taken.
 */
static bool apply_glued_records(struct ccfc_ingest *in, uint32_t source,
				struct ccfc_slice line, uint64_t offset,
				bool rest, size_t *used)
{
	struct ccfc_slice left = line;
	struct ccfc_record record;
	bool said = true;
	size_t n;

	while ((n = rest ? ccfc_record_end(left) : ccfc_record_split(left))) {
		ccfc_record_parse(in->parser, &record, ccfc_slice(left.ptr, n));
		if (record.kind == CCFC_RECORD_MALFORMED)
			break;
		said &= apply_record(in, source, &record,
				     ccfc_slice(left.ptr, n),
				     offset + (line.len - left.len));
		drop_start(&left, n);
	}
	*used = line.len - left.len;
	if (rest)
		return said;
	ccfc_record_parse(in->parser, &record, left);
	return apply_record(in, source, &record, left, offset + *used) && said;
}

/* Applies one line; false if its texts could not be stored. */
static bool apply_line(struct ccfc_ingest *in, uint32_t source,
		       const struct ccfc_line *line)
{
	struct ccfc_slice text = ccfc_slice(line->ptr, line->len);
	struct ccfc_record record;
	size_t used;

	if (line->too_long) {
		ccfc_index_too_long(in->index, source);
		return true;
	}
	/*
	 * Cuts the white space, as if the line had been read before its end was
	 * written.
	 */
	while (text.len && memchr(" \t\r", text.ptr[text.len - 1], 3))
		text.len--;
	ccfc_record_parse(in->parser, &record, text);
	if (record.kind == CCFC_RECORD_MALFORMED)
		return apply_glued_records(in, source, text, line->offset,
					   false, &used);
	return apply_record(in, source, &record, text, line->offset);
}

/*
 * The bytes after the last newline. A prefix of an object is never an object
 * itself, so a whole object is a complete record: its newline will follow, or
 * is lost.
 */
static bool apply_unfinished_line(struct ccfc_ingest *in, uint32_t source,
				  struct ccfc_cursor *cursor)
{
	struct ccfc_line line;
	struct ccfc_err err;
	bool said;
	size_t used;

	if (ccfc_tail_rest(in->tail, cursor, &line, REST_MAX, &err) <= 0)
		return true;
	/* Settling needs the position up to which the source was read. */
	ccfc_ingest_at(in, source)->cursor.offset = cursor->offset + line.len;
	said = apply_glued_records(in, source, ccfc_slice(line.ptr, line.len),
				   line.offset, true, &used);
	if (used) {
		line.len = used;
		ccfc_ingest_stage(in, source, &line, false);
		ccfc_tail_take(in->tail, cursor, used);
	}
	ccfc_ingest_at(in, source)->cursor.offset = cursor->offset;
	return said;
}

/* Within a slice: is a client waiting for the core? */
static bool has_to_yield(struct ccfc_ingest *in, size_t bytes)
{
	if (!in->waits || !in->slicing || in->old_version)
		return false;
	in->read += bytes;
	if (in->read < STEP_BYTES)
		return false;
	in->read = 0;
	in->yield = in->waits(in->ctx);
	return in->yield;
}

int ccfc_ingest_read_lines(struct ccfc_ingest *in, uint32_t source,
			   uint64_t *budget)
{
	struct ccfc_cursor cursor = ccfc_ingest_at(in, source)->cursor;
	bool said = ccfc_ingest_at(in, source)->texts.offset >= cursor.offset;
	struct ccfc_line line;
	struct ccfc_err err;
	int r = 1;

	while (*budget &&
	       (r = ccfc_tail_next(in->tail, &cursor, &line, &err)) > 0) {
		*budget -= *budget > line.len ? line.len + 1 : *budget;
		/*
		 * Settling needs the position up to which the source was read.
		 */
		ccfc_ingest_at(in, source)->cursor.offset = cursor.offset;
		said = apply_line(in, source, &line) && said;
		ccfc_ingest_stage(in, source, &line, true);
		if (has_to_yield(in, line.len))
			break;
	}
	if (!r)
		said = apply_unfinished_line(in, source, &cursor) && said;
	if (r < 0)
		ccfc_ingest_read_failed(in, source, &err);
	else
		ccfc_ingest_fine(in, ccfc_ingest_path(in, source));
	ccfc_tail_close(in->tail, &cursor);
	ccfc_ingest_at(in, source)->cursor = cursor;
	/* A missing text is restored by reading the source again. */
	if (said && ccfc_ingest_at(in, source)->texts.offset <= cursor.offset)
		ccfc_ingest_at(in, source)->texts = cursor;
	return r;
}
