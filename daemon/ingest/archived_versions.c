/*
 * Sources that the archive knows and the index does not: the store was lost, or
 * the archive came from another machine. A transcript that was rewritten is
 * read in each of its archived versions, and then from its file, so that the
 * index has the same lines in the same generations as before.
 */
#include "ingest/ingest_impl.h"

#include "os/log.h"

/*
 * Does the file go on from the archived bytes? *fits is true for a deleted file
 * as well: nothing replaced them. False: the file cannot be read now.
 */
static bool compare_file(struct ccfc_ingest *in, uint32_t source,
			 const struct ccfc_archive_kept *kept, bool *fits)
{
	struct ccfc_cursor start = { 0 };
	struct ccfc_err err;
	enum ccfc_tail_status status = ccfc_tail_open(
		in->tail, ccfc_ingest_path(in, source), &start, &err);

	*fits = true;
	if (status != CCFC_TAIL_OPEN)
		return status != CCFC_TAIL_ERROR;
	*fits = ccfc_tail_matches(in->tail, kept->end, kept->marker,
				  kept->marker_len);
	ccfc_tail_close(in->tail, &start);
	return true;
}

/* Nothing of the source's generation `gen` has been read. */
static void start_version(struct ccfc_ingest *in, uint32_t source, uint32_t gen)
{
	struct ccfc_source *s = ccfc_ingest_at(in, source);

	s->gen = s->texts_gen = gen;
	s->texts = (struct ccfc_cursor){ 0 };
}

/*
 * Reads all of it at once: a restart in between would not know that the
 * archive has more versions.
 */
static void read_version(struct ccfc_ingest *in, uint32_t source)
{
	struct ccfc_source *s = ccfc_ingest_at(in, source);
	uint64_t budget = UINT64_MAX;
	struct ccfc_err err;

	ccfc_log(CCFC_LOG_INFO, "%s: reading version %u from the archive",
		 ccfc_ingest_path(in, source), s->gen);
	ccfc_tail_use(in->tail, ccfc_archive_attic(in->archive));
	if (ccfc_tail_open_gen(in->tail, ccfc_ingest_path(in, source), s->gen,
			       &s->cursor, &err) == CCFC_TAIL_OPEN) {
		in->old_version = true;
		(void)ccfc_ingest_read_lines(in, source, &budget);
		in->old_version = false;
	}
	ccfc_tail_use(in->tail, NULL);
}

void ccfc_ingest_read_versions(struct ccfc_ingest *in, uint32_t source)
{
	struct ccfc_archive_kept kept;
	uint32_t gen, next;
	bool fits;

	if (!in->archive ||
	    !ccfc_source_is_unread(ccfc_ingest_at(in, source)) ||
	    !ccfc_archive_look(in->archive, ccfc_ingest_path(in, source),
			       &kept) ||
	    !compare_file(in, source, &kept, &fits))
		return;
	ccfc_ingest_note_kept(in, source, &kept);
	gen = kept.first;
	start_version(in, source, gen);
	while (gen < kept.since || (gen == kept.since && !fits)) {
		read_version(in, source);
		next = kept.since + 1;
		(void)ccfc_archive_next_version(
			in->archive, ccfc_ingest_path(in, source), gen, &next);
		gen = next;
		ccfc_index_source_reset(in->index, source);
		start_version(in, source, gen);
	}
}
