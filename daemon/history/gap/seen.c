/*
 * States shown by backups. The client backs a file up when the user sends a
 * prompt, and names the backup in each snapshot while the file is unchanged. So
 * each backup is a state of the file at that moment, also after the last
 * change, and a backup that is named again is a state that returned.
 */
#include "history/chain/state.h"

#include "base/hash.h"
#include "base/sha256.h"
#include "base/time.h"

#define PRUNED	 "the backup of that moment is gone"
#define NOT_KEPT "its content at that moment was not kept"

static enum ccfc_origin origin_of_copy(const struct ccfc_copy *copy)
{
	return copy->observed ? CCFC_ORIGIN_OBSERVED : CCFC_ORIGIN_BACKUP;
}

uint32_t ccfc_chain_seen(const struct ccfc_chain *chain, uint32_t i,
			 int64_t until)
{
	for (uint32_t k = chain->copies.n; k-- > 0;) {
		const struct ccfc_copy *copy = &chain->copies.items[k];

		if (copy->file.recorded && copy->at == i && copy->time <= until)
			return k;
	}
	return CCFC_ID_NONE;
}

uint32_t ccfc_chain_seen_before(const struct ccfc_chain *chain, uint32_t k)
{
	const struct ccfc_copy *copy = &chain->copies.items[k];

	while (k-- > 0)
		if (chain->copies.items[k].file.recorded &&
		    chain->copies.items[k].at == copy->at)
			return k;
	return CCFC_ID_NONE;
}

int64_t ccfc_chain_seen_time(const struct ccfc_chain *chain, uint32_t k)
{
	return chain->copies.items[k].time;
}

uint32_t ccfc_chain_seen_session(const struct ccfc_chain *chain, uint32_t k)
{
	return ccfc_own_of(CCFC_HOMES(chain->history, sessions),
			   chain->copies.items[k].file.session);
}

/* The copy as a side of a change; its text goes into `text`. */
static void read_copy_state(struct ccfc_side_state *out, struct ccfc_buf *bytes,
			    struct ccfc_chain *chain, uint32_t k)
{
	const struct ccfc_copy *copy = &chain->copies.items[k];
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_clear(bytes);
	if (!copy->file.path && !copy->file.missing) {
		ccfc_state_set_absent(out, CCFC_HOW_COPY, origin_of_copy(copy));
		return;
	}
	ccfc_state_set_unknown(out, false, copy->observed ? NOT_KEPT : PRUNED);
	if (copy->file.missing || !ccfc_chain_copy_bytes(bytes, chain, k))
		return;
	ccfc_form_decode(&text, &out->form, ccfc_buf_view(bytes));
	ccfc_state_set(out, CCFC_HOW_COPY, origin_of_copy(copy),
		       ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

void ccfc_chain_seen_state(struct ccfc_content_state *out,
			   struct ccfc_chain *chain, uint32_t k,
			   struct ccfc_arena *arena)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	struct ccfc_side_state side;

	read_copy_state(&side, &bytes, chain, k);
	*out = (struct ccfc_content_state){ .fidelity = side.fidelity,
					    .origin = side.origin,
					    .exists = side.exists,
					    .why = side.why };
	if (side.how != CCFC_HOW_NOT && side.exists)
		out->bytes = ccfc_arena_copy(arena, ccfc_buf_view(&bytes));
	ccfc_buf_release(&bytes);
}

static enum ccfc_gap gap_between(const struct ccfc_side_state *a,
				 const struct ccfc_side_state *b)
{
	if (!ccfc_state_is_known(a) || !ccfc_state_is_known(b))
		return CCFC_GAP_UNKNOWN;
	return ccfc_state_same(a, b) ? CCFC_GAP_NONE : CCFC_GAP_OUTSIDE;
}

/*
 * A backup has only the times of its first and its last snapshot. Was another
 * backup, with a first snapshot before and a last one after, named between
 * these two?
 *
 * A rewind to another version and back, between two snapshots of one version,
 * leaves no trace in the index: that would need the time of every snapshot that
 * names a version, a row for each prompt and file. So such a moment is not
 * decided here, and the answer says that it is not certain.
 */
static bool may_hide_other_backup(const struct ccfc_chain *chain, uint32_t k,
				  uint32_t next)
{
	const struct ccfc_copy *a = &chain->copies.items[k];
	const struct ccfc_copy *b = &chain->copies.items[next];

	for (uint32_t i = 0; i < chain->copies.n; i++) {
		const struct ccfc_backup_copy *c = &chain->copies.items[i].file;

		if (c->recorded && c->session == a->file.session &&
		    c->version != a->file.version && c->time < a->time &&
		    c->last > b->time)
			return true;
	}
	return false;
}

enum ccfc_gap ccfc_chain_seen_gap(struct ccfc_chain *chain, uint32_t k)
{
	const struct ccfc_copy *copy = &chain->copies.items[k];
	struct ccfc_side_state now, next;
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	uint32_t later = k + 1;
	enum ccfc_gap gap;

	if (copy->holds)
		return CCFC_GAP_NONE;
	read_copy_state(&now, &bytes, chain, k);
	while (later < chain->copies.n &&
	       !chain->copies.items[later].file.recorded)
		later++;
	if (later < chain->copies.n &&
	    chain->copies.items[later].at == copy->at) {
		read_copy_state(&next, &bytes, chain, later);
		gap = may_hide_other_backup(chain, k, later)
			      ? CCFC_GAP_UNKNOWN
			      : gap_between(&now, &next);
	} else if (copy->at < chain->n) {
		/*
		 * That the file was still the same is what the change
		 * presumably found, not what it certainly found.
		 */
		gap = ccfc_chain_is_assumed(chain, copy->at)
			      ? CCFC_GAP_UNKNOWN
			      : gap_between(&now,
					    &chain->nodes[copy->at].before);
	} else {
		gap = gap_between(&now, &chain->disk_state);
	}
	ccfc_buf_release(&bytes);
	return gap;
}

enum ccfc_gap ccfc_chain_seen_since(struct ccfc_chain *chain, uint32_t k)
{
	uint32_t at = chain->copies.items[k].at;
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	struct ccfc_side_state now;
	struct ccfc_return back;
	enum ccfc_gap gap;

	if (!at)
		return CCFC_GAP_UNKNOWN;
	read_copy_state(&now, &bytes, chain, k);
	ccfc_buf_release(&bytes);
	gap = gap_between(&chain->nodes[at - 1].after, &now);
	if (gap == CCFC_GAP_OUTSIDE && ccfc_chain_seen_return(&back, chain, k))
		return CCFC_GAP_RETURNED;
	return gap;
}

enum ccfc_held ccfc_chain_seen_held(const struct ccfc_chain *chain, uint32_t i,
				    int64_t time,
				    const struct ccfc_content_state *state)
{
	char key[CCFC_SHA256_HEX + 1] = "";
	uint32_t k = 0;

	while (k < chain->copies.n && (!chain->copies.items[k].observed ||
				       chain->copies.items[k].at != i ||
				       chain->copies.items[k].time <= time))
		k++;
	if (k == chain->copies.n || !chain->copies.items[k].before)
		return CCFC_HELD_UNKNOWN;
	if (state->exists)
		ccfc_sha256_hex(key, state->bytes);
	return strcmp(key, chain->copies.items[k].before) ? CCFC_HELD_NO
							  : CCFC_HELD_YES;
}

bool ccfc_chain_seen_on_disk(const struct ccfc_chain *chain, uint32_t k)
{
	return chain->copies.items[k].observed;
}

bool ccfc_chain_may_have_changed(const struct ccfc_chain *chain, uint32_t i,
				 int64_t time)
{
	for (uint32_t k = 0; k < chain->copies.n; k++) {
		const struct ccfc_copy *copy = &chain->copies.items[k];

		if (copy->observed && copy->at == i && copy->time > time &&
		    copy->held <= time)
			return true;
	}
	return false;
}

bool ccfc_chain_seen_return(struct ccfc_return *out, struct ccfc_chain *chain,
			    uint32_t k)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	struct ccfc_side_state now;

	read_copy_state(&now, &bytes, chain, k);
	ccfc_buf_release(&bytes);
	if (!ccfc_state_is_known(&now) || !now.exists || now.empty)
		return false;
	for (uint32_t i = chain->copies.items[k].at; i-- > 0;) {
		const struct ccfc_node *node = &chain->nodes[i];

		*out = (struct ccfc_return){ .i = i };
		if (ccfc_state_is_known(&node->after) &&
		    ccfc_state_same(&node->after, &now))
			return true;
		out->before = true;
		if (ccfc_state_is_known(&node->before) &&
		    ccfc_state_same(&node->before, &now) &&
		    (!i || node->gap != CCFC_GAP_NONE))
			return true;
	}
	return false;
}
