/*
 * Opening a source to read on.
 *
 * What happened to a file is decided here, from the result of ccfc_tail_open,
 * never from the watcher's event: grown, truncated or replaced (read again,
 * earlier facts stay), gone, or back.
 */
#include "ingest/ingest_impl.h"

#include "os/log.h"

#include <errno.h>

/* The file has other bytes now: their texts are not stored. */
static void forget_texts(struct ccfc_ingest *in, uint32_t source)
{
	struct ccfc_source *s = ccfc_ingest_at(in, source);

	s->texts = (struct ccfc_cursor){ 0 };
	s->texts_gen = s->gen;
}

/*
 * Opens the file at `cursor`. The stored texts may reach beyond the cursor, but
 * belong to bytes that were replaced since; the open file shows which.
 */
static enum ccfc_tail_status open_tail_at(struct ccfc_ingest *in,
					  uint32_t source,
					  struct ccfc_cursor *cursor,
					  struct ccfc_err *err)
{
	const struct ccfc_source *s = ccfc_ingest_at(in, source);
	enum ccfc_tail_status status = ccfc_tail_open(
		in->tail, ccfc_ingest_path(in, source), cursor, err);

	if (status == CCFC_TAIL_OPEN && s->texts.offset > cursor->offset &&
	    !ccfc_tail_holds(in->tail, &s->texts))
		forget_texts(in, source);
	return status;
}

/*
 * Is stored text missing for lines already read (lost, or the disk was full)?
 */
static bool lacks_texts(struct ccfc_ingest *in, uint32_t source)
{
	const struct ccfc_source *s = ccfc_ingest_at(in, source);

	return s->texts.offset < s->cursor.offset && ccfc_store_says(in->store);
}

static bool is_gone(const char *path)
{
	struct stat st;

	return stat(path, &st) && ccfc_tail_means_gone(errno);
}

static enum ccfc_tail_status open_source(struct ccfc_ingest *in,
					 uint32_t source)
{
	struct ccfc_cursor cursor = ccfc_ingest_at(in, source)->cursor;
	struct ccfc_err err;
	enum ccfc_tail_status status = open_tail_at(in, source, &cursor, &err);
	bool off = status == CCFC_TAIL_OPEN && lacks_texts(in, source);

	if (status == CCFC_TAIL_RESET || off) {
		ccfc_tail_close(in->tail, &cursor);
		ccfc_log(CCFC_LOG_INFO, "%s: %s, reading it from its start",
			 ccfc_ingest_path(in, source),
			 off ? "lacks texts" : "was rewritten");
		ccfc_index_source_reset(in->index, source);
		if (status == CCFC_TAIL_RESET ||
		    !ccfc_ingest_at(in, source)->texts.offset)
			forget_texts(in, source);
		cursor = ccfc_ingest_at(in, source)->cursor;
		status = open_tail_at(in, source, &cursor, &err);
	}
	/* Without a free descriptor, stat() shows whether it exists. */
	if (status == CCFC_TAIL_ERROR && is_gone(ccfc_ingest_path(in, source)))
		status = CCFC_TAIL_GONE;
	if (status == CCFC_TAIL_ERROR)
		ccfc_ingest_read_failed(in, source, &err);
	if (status == CCFC_TAIL_OPEN)
		ccfc_ingest_at(in, source)->cursor = cursor;
	return status;
}

/* Opens the source's copy in the archive. */
static enum ccfc_tail_status open_kept(struct ccfc_ingest *in, uint32_t source)
{
	struct ccfc_cursor start = { 0 };
	enum ccfc_tail_status status;
	struct ccfc_err err;

	if (!(*ccfc_ingest_mark(in, source) & CCFC_MARK_OVER))
		return open_source(in, source);
	status = open_tail_at(in, source, &start, &err);
	if (status != CCFC_TAIL_OPEN)
		return status;
	*ccfc_ingest_mark(in, source) &= (unsigned char)~CCFC_MARK_OVER;
	ccfc_index_source_reset(in->index, source);
	ccfc_ingest_at(in, source)->cursor = start;
	return status;
}

bool ccfc_ingest_open(struct ccfc_ingest *in, uint32_t source)
{
	enum ccfc_tail_status status = CCFC_TAIL_GONE;

	if (!ccfc_ingest_read_versions(in, source))
		return false;
	if (!ccfc_ingest_lost(in, source))
		status = open_source(in, source);
	if (status == CCFC_TAIL_GONE) {
		ccfc_ingest_fine(in, ccfc_ingest_path(in, source));
		if (!ccfc_ingest_at(in, source)->gone)
			ccfc_ingest_vanished(in, source);
	}
	if (status == CCFC_TAIL_GONE || status == CCFC_TAIL_OPEN)
		ccfc_index_source_gone(in->index, source,
				       status == CCFC_TAIL_GONE);
	if (status == CCFC_TAIL_GONE &&
	    (*ccfc_ingest_mark(in, source) & CCFC_MARK_KEPT)) {
		ccfc_tail_use(in->tail, ccfc_archive_attic(in->archive));
		status = open_kept(in, source);
		ccfc_tail_use(in->tail, NULL);
	}
	return status == CCFC_TAIL_OPEN;
}
