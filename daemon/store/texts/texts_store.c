/*
 * The store's texts: opening them with the rows that count them, and the texts
 * of a record. See texts.h.
 *
 * If texts are missing, all sources are marked in the same transaction that
 * names the new file: if the daemon ends before they were read again, the next
 * start still knows.
 */
#include "base/time.h"
#include "index/index_internal.h"
#include "os/log.h"
#include "store/db.h"
#include "store/store.h"
#include "store/texts/texts_compact.h"
#include "store/texts/texts_format.h"

static void tell_texts_store(const struct ccfc_store *store,
			     enum ccfc_texts_found found, uint64_t id)
{
	if (found == CCFC_TEXTS_NONE && id)
		ccfc_log(CCFC_LOG_ERROR,
			 "%s/texts is missing; it is written again from the "
			 "transcripts",
			 store->dir);
	if (found == CCFC_TEXTS_ALIEN)
		ccfc_log(CCFC_LOG_ERROR,
			 "%s/texts did not fit the store; it was moved aside "
			 "and is written again from the transcripts",
			 store->dir);
	if (found == CCFC_TEXTS_SHORT)
		ccfc_log(CCFC_LOG_ERROR,
			 "%s/texts has lost its last texts; they are read "
			 "again from the transcripts",
			 store->dir);
}

static bool any_gone(const struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->sources.n; i++)
		if (index->sources.items[i].gone)
			return true;
	return false;
}

/*
 * Texts of existing transcripts are read again. Texts of deleted ones are lost;
 * a foreign file counts as a loss in any case. The number of lost texts is not
 * known: the loss counts as one.
 */
static void note_loss(struct ccfc_store *store, const struct ccfc_index *index,
		      enum ccfc_texts_found found, uint64_t id)
{
	bool lost = found == CCFC_TEXTS_ALIEN;

	if (found == CCFC_TEXTS_SHORT || (found == CCFC_TEXTS_NONE && id))
		lost = any_gone(index);
	if (!lost)
		return;
	store->past.damaged_at = ccfc_time_now();
	store->past.lost_texts++;
}

/* Marks all sources as sources without texts. */
static int forget_texts_store(struct ccfc_store *store,
			      struct ccfc_index *index, struct ccfc_err *err)
{
	for (uint32_t i = 0; i < index->sources.n; i++) {
		struct ccfc_source *s = &index->sources.items[i];

		s->texts = (struct ccfc_cursor){ 0 };
		s->texts_gen = s->gen;
	}
	return ccfc_store_commit_texts(store, index, err);
}

int ccfc_store_open_texts(struct ccfc_store *store, struct ccfc_index *index,
			  uint64_t id, uint64_t length, bool *anew,
			  struct ccfc_err *err)
{
	enum ccfc_texts_found found;
	int r = ccfc_texts_compaction_finish(store->dir, id, err);

	if (!r)
		r = ccfc_texts_file_new(&store->texts, store->dir, id, length,
					&found, err);
	if (r)
		return r;
	tell_texts_store(store, found, id);
	note_loss(store, index, found, id);
	store->texts_length = ccfc_texts_file_length(store->texts);
	*anew = found != CCFC_TEXTS_FIT;
	if (*anew)
		store->texts_dead = 0;
	return *anew ? forget_texts_store(store, index, err) : 0;
}

static uint32_t flags_of(const struct ccfc_record *r,
			 const struct ccfc_source *source)
{
	return (r->meta ? CCFC_TEXT_META : 0) |
	       (r->summary ? CCFC_TEXT_SUMMARY : 0) |
	       (r->sidechain || source->is_agent ? CCFC_TEXT_SIDECHAIN : 0);
}

static uint8_t kind_of(enum ccfc_message_text_kind kind)
{
	switch (kind) {
	case CCFC_MESSAGE_TEXT_THINKING:
		return CCFC_TEXT_THINKING;
	case CCFC_MESSAGE_TEXT_TASKS:
		return CCFC_TEXT_TASKS;
	default:
		return CCFC_TEXT_TEXT;
	}
}

static bool say_text(struct ccfc_store *store, struct ccfc_text_head *head,
		     const struct ccfc_message_text *spoken)
{
	bool tasks = spoken->kind == CCFC_MESSAGE_TEXT_TASKS;
	uint32_t flags = head->flags;
	bool fine;

	/* A list in JSON that was cut is of no use. */
	if (tasks && spoken->raw.len > CCFC_TEXT_MAX)
		return true;
	head->block = spoken->block < UINT16_MAX ? (uint16_t)spoken->block
						 : UINT16_MAX;
	head->kind = kind_of(spoken->kind);
	head->flags |= spoken->result ? CCFC_TEXT_RESULT : 0;
	fine = ccfc_texts_file_add(store->texts, head, spoken->raw, !tasks);
	/* Counts new texts, too: only a compaction can tell them apart. */
	if (fine && head->gen)
		store->texts_dead += ccfc_texts_room(spoken->raw.len);
	head->flags = flags;
	return fine;
}

bool ccfc_store_say(struct ccfc_store *store, struct ccfc_index *index,
		    uint32_t source, const struct ccfc_record *record,
		    uint64_t offset, size_t len)
{
	const struct ccfc_source *s = &index->sources.items[source];
	struct ccfc_text_head head = {
		.time = record->time,
		.offset = offset,
		.source = source,
		.gen = s->gen,
		.role = record->kind == CCFC_RECORD_USER ? CCFC_ROLE_USER
							 : CCFC_ROLE_ASSISTANT,
		.flags = flags_of(record, s),
		.line_len = (uint32_t)len,
	};
	struct ccfc_uuid uuid = { 0 };
	bool fine = true;

	if (!record->nspoken || !store->texts)
		return true;
	if (ccfc_uuid_read(&uuid, record->uuid))
		memcpy(head.uuid, uuid.bytes, sizeof(head.uuid));
	head.session = record->session.len
			       ? ccfc_index_session(index, record->session)
			       : s->session;
	for (uint32_t i = 0; i < record->nspoken && fine; i++)
		fine = say_text(store, &head, &record->spoken[i]);
	return fine;
}

bool ccfc_store_says(const struct ccfc_store *store)
{
	return store->texts && ccfc_texts_file_takes(store->texts);
}

void ccfc_store_texts(const struct ccfc_store *store,
		      struct ccfc_texts_view *out)
{
	*out = (struct ccfc_texts_view){ .fd = -1 };
	if (store->texts)
		ccfc_texts_file_view(store->texts, out);
	out->dead = store->texts_dead;
}

/* --- texts that were written again --- */

struct ccfc_texts_compaction *
ccfc_store_compact_begin(const struct ccfc_store *store)
{
	if (!store->texts || store->texts_damaged ||
	    store->texts_dead < CCFC_TEXTS_DEAD_MIN ||
	    store->texts_dead * CCFC_TEXTS_DEAD_SHARE <
		    ccfc_texts_file_length(store->texts))
		return NULL;
	return ccfc_texts_compaction_new(store->dir, store->texts);
}

static int take_copy(struct ccfc_store *store, const struct ccfc_index *index,
		     struct ccfc_texts_compaction *compaction,
		     struct ccfc_err *err)
{
	struct ccfc_texts_file *old = store->texts, *copy;
	uint64_t was = ccfc_texts_file_length(old);
	int r;

	if (ccfc_texts_file_is_there(old) != 1 ||
	    ccfc_texts_file_flush(old, err))
		return CCFC_EIO;
	copy = ccfc_texts_compaction_take(compaction, old, err);
	if (!copy)
		return CCFC_EIO;
	store->texts = copy;
	r = ccfc_store_commit_compact(store, index, err);
	if (r) {
		store->texts = old;
		ccfc_texts_file_free(copy);
		ccfc_texts_compaction_finish(store->dir, 0, NULL);
		return r;
	}
	ccfc_texts_file_free(old);
	ccfc_log(CCFC_LOG_INFO, "texts: %llu bytes, %llu before",
		 (unsigned long long)ccfc_texts_file_length(copy),
		 (unsigned long long)was);
	return ccfc_texts_file_settle(copy, store->dir, err);
}

void ccfc_store_compact_end(struct ccfc_store *store,
			    const struct ccfc_index *index,
			    struct ccfc_texts_compaction *compaction,
			    int result)
{
	struct ccfc_err err = { 0 };

	if (!result)
		result = take_copy(store, index, compaction, &err);
	if (result)
		ccfc_log(CCFC_LOG_WARN, "texts are not compacted: %s",
			 err.what);
	/* No text is known to be dead; a failure is not tried again at once. */
	store->texts_dead = 0;
	ccfc_texts_compaction_free(compaction);
}
