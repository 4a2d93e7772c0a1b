/*
 * Sources that the archive knows and the index does not: the store was lost, or
 * the archive came from another machine. A transcript that was rewritten is
 * read in each of its archived versions, and then from its file, so that the
 * index has the same lines in the same generations as before.
 */
#include "ingest/ingest_impl.h"

#include "os/log.h"

/* It is tried again later: false. */
static bool fail_for_now(struct ccfc_ingest *in, uint32_t source,
			 const struct ccfc_err *err)
{
	ccfc_ingest_read_failed(in, source, err);
	return false;
}

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
	if (status == CCFC_TAIL_ERROR)
		return fail_for_now(in, source, &err);
	if (status != CCFC_TAIL_OPEN)
		return true;
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

/* With the attic in use; false: it cannot be read now. */
static bool read_open_version(struct ccfc_ingest *in, uint32_t source)
{
	struct ccfc_source *s = ccfc_ingest_at(in, source);
	uint64_t budget = UINT64_MAX;
	struct ccfc_err err;
	enum ccfc_tail_status status =
		ccfc_tail_open_gen(in->tail, ccfc_ingest_path(in, source),
				   s->gen, &s->cursor, &err);
	int r;

	if (status == CCFC_TAIL_ERROR)
		return fail_for_now(in, source, &err);
	/* What is not there, or damaged, is lost. */
	if (status != CCFC_TAIL_OPEN)
		return true;
	in->old_version = true;
	r = ccfc_ingest_read_lines(in, source, &budget);
	in->old_version = false;
	return r >= 0;
}

/*
 * Reads all of it at once: a restart in between would not know that the
 * archive has more versions.
 */
static bool read_version(struct ccfc_ingest *in, uint32_t source)
{
	bool done;

	ccfc_log(CCFC_LOG_INFO, "%s: reading version %u from the archive",
		 ccfc_ingest_path(in, source), ccfc_ingest_at(in, source)->gen);
	ccfc_tail_use(in->tail, ccfc_archive_attic(in->archive));
	done = read_open_version(in, source);
	ccfc_tail_use(in->tail, NULL);
	ccfc_index_source_reset(in->index, source);
	return done;
}

/* The generation after `gen`; false: it is not known now. */
static bool find_next(struct ccfc_ingest *in, uint32_t source,
		      const struct ccfc_archive_kept *kept, uint32_t *gen)
{
	struct ccfc_err err;
	int r = ccfc_archive_next_version(
		in->archive, ccfc_ingest_path(in, source), *gen, gen, &err);

	/* Then it is the file's. */
	if (r == CCFC_ENOTFOUND)
		*gen = kept->since + 1;
	return !r || r == CCFC_ENOTFOUND || fail_for_now(in, source, &err);
}

/* Reads versions from the first on; false: one cannot be read now. */
static bool read_old_versions(struct ccfc_ingest *in, uint32_t source,
			      const struct ccfc_archive_kept *kept, bool fits)
{
	uint32_t gen = kept->first;

	start_version(in, source, gen);
	while (gen < kept->since || (gen == kept->since && !fits)) {
		if (!read_version(in, source) ||
		    !find_next(in, source, kept, &gen))
			return false;
		start_version(in, source, gen);
	}
	return true;
}

bool ccfc_ingest_read_versions(struct ccfc_ingest *in, uint32_t source)
{
	struct ccfc_archive_kept kept;
	struct ccfc_err err;
	bool fits;
	int r;

	if (!in->archive || !ccfc_source_is_unread(ccfc_ingest_at(in, source)))
		return true;
	r = ccfc_archive_look(in->archive, ccfc_ingest_path(in, source), &kept,
			      &err);
	if (r == CCFC_ENOTFOUND)
		return true;
	if (r)
		return fail_for_now(in, source, &err);
	if (!compare_file(in, source, &kept, &fits))
		return false;
	ccfc_ingest_note_kept(in, source, &kept);
	if (read_old_versions(in, source, &kept, fits))
		return true;
	/* The next time begins with the first one again. */
	start_version(in, source, 0);
	return false;
}
