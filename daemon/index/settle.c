/*
 * From facts to what a reader sees: the owner, the file and the state of each
 * change that a batch touched, the lists by file and session, and the events.
 *
 * State: the result's, where there is one. Without one a call is `pending`,
 * until a transcript that has it shows a later turn, or was rewritten without
 * it: then none will come, and it is `interrupted`. No clock is asked. But a
 * compaction right behind a call has swallowed its result: that stays
 * `pending`, the word for "not known", because such calls mostly took effect.
 *
 * An event is due when a change's state becomes known or changes, or when it
 * moves to another owner or file. Each event has its own sequence number, so
 * a clock names a point between two events.
 */
#include "base/alloc.h"
#include "base/time.h"
#include "index/gap_marks.h"
#include "index/index_internal.h"

bool ccfc_index_is_closed(const struct ccfc_index *index,
			  const struct ccfc_observation *obs)
{
	const struct ccfc_source *s = &index->sources.items[obs->place.source];
	int thread = obs->sidechain && !s->is_agent;

	/*
	 * The transcript was read again beyond the line's place, without the
	 * line.
	 */
	if (obs->place.gen != s->gen)
		return s->cursor.offset > obs->place.offset;
	/* turn[] is the offset + 1; 0: none. */
	return s->turn[thread] > obs->place.offset + 1;
}

/* Was the result lost? Then it is never known whether the call took effect. */
static bool is_swallowed(const struct ccfc_index *index,
			 const struct ccfc_change *c)
{
	const struct ccfc_observation *obs = &c->call;

	while (!obs->swallowed && obs->next != CCFC_ID_NONE)
		obs = &index->obs.items[obs->next];
	return obs->swallowed;
}

static enum ccfc_state settled_state_of(const struct ccfc_index *index,
					const struct ccfc_change *c)
{
	const struct ccfc_observation *obs = &c->call;

	if (c->result.known)
		return c->result.state;
	if (ccfc_index_is_witnessed(c))
		return CCFC_STATE_APPLIED;
	if (is_swallowed(index, c))
		return CCFC_STATE_PENDING;
	/* Reading its lines again does not make it pending again. */
	if (c->closed || (c->settled && c->state == CCFC_STATE_INTERRUPTED))
		return CCFC_STATE_INTERRUPTED;
	while (!ccfc_index_is_closed(index, obs)) {
		if (obs->next == CCFC_ID_NONE)
			return CCFC_STATE_PENDING;
		obs = &index->obs.items[obs->next];
	}
	return CCFC_STATE_INTERRUPTED;
}

static uint32_t settled_file_of(const struct ccfc_change *c)
{
	if (c->result.known && c->result.file && !c->several)
		return c->result.file;
	return c->call.known ? c->call.file : c->result.file;
}

static uint32_t session_of_change(const struct ccfc_change *c)
{
	return c->call.known ? c->call.session : c->result.session;
}

void ccfc_index_link(struct ccfc_index *index, uint32_t change)
{
	const struct ccfc_change *c = &index->changes.items[change];

	if (ccfc_index_is_command(c)) {
		ccfc_ids_push(&index->sessions.items[c->session].commands,
			      change);
		return;
	}
	ccfc_ids_push(&index->files.items[c->file], change);
	ccfc_ids_push(&index->sessions.items[c->session].changes, change);
	index->by_state[c->state]++;
}

void ccfc_index_unlink(struct ccfc_index *index, uint32_t change)
{
	const struct ccfc_change *c = &index->changes.items[change];

	if (ccfc_index_is_command(c)) {
		ccfc_ids_remove(&index->sessions.items[c->session].commands,
				change);
		return;
	}
	ccfc_ids_remove(&index->files.items[c->file], change);
	ccfc_ids_remove(&index->sessions.items[c->session].changes, change);
	index->by_state[c->state]--;
}

/* Counts changes by state; commands do not count. */
static void count_state(struct ccfc_index *index, const struct ccfc_change *c,
			bool more)
{
	if (ccfc_index_is_command(c))
		return;
	if (more)
		index->by_state[c->state]++;
	else
		index->by_state[c->state]--;
}

/* A change of the state alone does not affect the lists. */
static void relink_change(struct ccfc_index *index, uint32_t change,
			  uint32_t file, uint32_t session,
			  enum ccfc_state state)
{
	struct ccfc_change *c = &index->changes.items[change];
	bool stays = c->settled && c->file == file && c->session == session;

	if (stays)
		count_state(index, c, false);
	else if (c->settled)
		ccfc_index_unlink(index, change);
	c->file = file;
	c->session = session;
	c->state = (uint8_t)state;
	c->settled = true;
	if (stays)
		count_state(index, c, true);
	else
		ccfc_index_link(index, change);
}

uint64_t ccfc_index_raise(struct ccfc_index *index, uint32_t change,
			  uint32_t previous)
{
	struct ccfc_event event = { ++index->seq, change, previous };

	CCFC_VEC_PUSH(index->events, event);
	CCFC_VEC_PUSH(index->log, event);
	return event.seq;
}

/* Sets what readers see of a change; raises an event if that differs. */
static void show_change(struct ccfc_index *index, uint32_t change,
			uint32_t file, uint32_t session, enum ccfc_state state)
{
	struct ccfc_change *c = &index->changes.items[change];
	uint32_t previous = 0;

	if (c->settled && c->file == file && c->session == session &&
	    c->state == state)
		return;
	if (c->settled && c->session != session)
		previous = c->session;
	relink_change(index, change, file, session, state);
	ccfc_index_mark_change(index, change);
	/* Subscribers that were sent "interrupted" are sent "not known". */
	if ((state != CCFC_STATE_PENDING || c->seq) &&
	    !ccfc_index_is_command(c))
		c->seq = ccfc_index_raise(index, change, previous);
}

/* Removes a change that readers saw but that turned out not to be one. */
static void hide_change(struct ccfc_index *index, uint32_t change)
{
	struct ccfc_change *c = &index->changes.items[change];

	if (c->settled) {
		ccfc_index_unlink(index, change);
		c->settled = false;
		if (c->seq)
			c->seq = ccfc_index_raise(index, change, 0);
	}
	c->shell |= CCFC_SHELL_NOBODYS;
}

/* The changes of a command have its owner and its state. */
void ccfc_index_settle_files(struct ccfc_index *index, uint32_t command)
{
	const struct ccfc_change *of = &index->changes.items[command];
	uint32_t id = of->next_file;

	for (; id != CCFC_ID_NONE; id = index->changes.items[id].next_file) {
		struct ccfc_change *c = &index->changes.items[id];

		ccfc_index_mark_change(index, id);
		ccfc_contest_leave(index, id);
		ccfc_doubt_touch(index, c->call.file);
		if (ccfc_index_copy_command(index, id)) {
			c->shell &= (uint8_t)~CCFC_SHELL_NOBODYS;
			/*
			 * An observed change has happened, whatever the
			 * command's result.
			 */
			show_change(index, id, c->call.file, of->session,
				    c->shell & CCFC_SHELL_OBSERVED
					    ? CCFC_STATE_APPLIED
					    : of->state);
			ccfc_contest_enter(index, id);
			continue;
		}
		hide_change(index, id);
	}
}

void ccfc_index_withdraw(struct ccfc_index *index, uint32_t change)
{
	ccfc_index_mark_change(index, change);
	ccfc_gap_marks_touch(index, change);
	ccfc_contest_leave(index, change);
	hide_change(index, change);
}

void ccfc_index_settle_change(struct ccfc_index *index, uint32_t change)
{
	struct ccfc_change *c = &index->changes.items[change];
	bool is_command = ccfc_index_is_command(c);

	ccfc_gap_marks_touch(index, change);
	ccfc_contest_leave(index, change);
	ccfc_index_pick_owner(index, change);
	show_change(index, change, is_command ? 0 : settled_file_of(c),
		    session_of_change(c), settled_state_of(index, c));
	if (is_command)
		ccfc_index_settle_files(index, change);
	else
		ccfc_contest_enter(index, change);
	ccfc_gap_marks_touch(index, change);
}

/* Sightings of the file may now belong to another change. */
static void touch_seen(struct ccfc_index *index, uint32_t file)
{
	ccfc_witness_touch(index, file);
	ccfc_doubt_touch(index, file);
}

static void settle_touched(struct ccfc_index *index, uint32_t change)
{
	struct ccfc_change *c = &index->changes.items[change];

	c->touched = false;
	if (c->settled)
		touch_seen(index, c->file);
	ccfc_index_settle_change(index, change);
	touch_seen(index, index->changes.items[change].file);
}

static bool is_open_here(const struct ccfc_index *index,
			 const struct ccfc_change *c, uint32_t source)
{
	const struct ccfc_observation *obs = &c->call;

	while (obs->place.source != source ||
	       ccfc_index_is_closed(index, obs)) {
		if (obs->next == CCFC_ID_NONE)
			return false;
		obs = &index->obs.items[obs->next];
	}
	return true;
}

/*
 * Checks the calls of a source without a result: for some, none will follow
 * now.
 */
static void settle_source(struct ccfc_index *index, uint32_t source)
{
	struct ccfc_source *s = &index->sources.items[source];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->open.n; i++) {
		uint32_t id = s->open.items[i];
		const struct ccfc_change *c = &index->changes.items[id];

		if (c->result.known)
			continue;
		if (settled_state_of(index, c) != CCFC_STATE_PENDING)
			ccfc_index_touch_change(index, id);
		/*
		 * Whatever other sources show, its result may still follow
		 * here.
		 */
		if (is_open_here(index, c, source))
			s->open.items[kept++] = id;
	}
	s->open.n = kept;
	s->touched = false;
}

/*
 * Assigns sightings to commands, when all commands of a batch are settled: the
 * answer depends on all of them.
 */
static void settle_seen(struct ccfc_index *index)
{
	struct ccfc_ids news = { 0 };

	for (uint32_t i = 0; i < index->touched_changes.n; i++)
		ccfc_index_join_command(index, index->touched_changes.items[i],
					&news);
	for (uint32_t i = 0; i < news.n; i++) {
		ccfc_index_settle_files(index, news.items[i]);
		ccfc_gap_marks_touch(index, news.items[i]);
	}
	free(news.items);
}

void ccfc_index_settle(struct ccfc_index *index)
{
	index->revision += index->touched_sources.n || index->touched_changes.n;
	for (uint32_t i = 0; i < index->touched_sources.n; i++)
		settle_source(index, index->touched_sources.items[i]);
	index->touched_sources.n = 0;
	ccfc_index_settle_ties(index);
	for (uint32_t i = 0; i < index->touched_changes.n; i++)
		settle_touched(index, index->touched_changes.items[i]);
	settle_seen(index);
	index->touched_changes.n = 0;
	ccfc_witness_settle(index);
	ccfc_doubt_settle(index);
	ccfc_index_settle_conflicts(index);
	ccfc_index_settle_messages(index);
}

void ccfc_index_published(struct ccfc_index *index)
{
	index->events.n = 0;
}

/* --- what a reader sees of one change --- */

struct ccfc_slice ccfc_index_tool(const struct ccfc_index *index,
				  const struct ccfc_change *change)
{
	return ccfc_index_str(index, change->call.known ? change->call.tool
							: change->result.tool);
}

struct ccfc_slice ccfc_index_call_id(const struct ccfc_change *change)
{
	struct ccfc_slice id = ccfc_slice(change->id, change->id_len);
	size_t n = id.len;

	/*
	 * Further files of a call are "id#2", files of a command "id#1a2b3c4d".
	 */
	if (!change->part && change->command == CCFC_ID_NONE)
		return id;
	while (n && id.ptr[n - 1] != '#')
		n--;
	return n ? ccfc_slice(id.ptr, n - 1) : id;
}

int64_t ccfc_index_time(const struct ccfc_change *change)
{
	return change->call.known ? change->call.time : change->result.time;
}

uint32_t ccfc_index_agent(const struct ccfc_change *change)
{
	return change->call.known ? change->call.agent : change->result.agent;
}

void ccfc_index_lines(const struct ccfc_change *change, int32_t *added,
		      int32_t *removed)
{
	switch (change->state) {
	case CCFC_STATE_APPLIED:
	case CCFC_STATE_STAGED:
		if (change->result.detail && !change->several) {
			*added = change->result.added;
			*removed = change->result.removed;
			return;
		}
		*added = change->call.added;
		*removed = change->call.removed;
		/* A created file had no lines to remove. */
		if (change->result.op == CCFC_OP_CREATED)
			*removed = 0;
		return;
	case CCFC_STATE_FAILED:
		/* A command that failed may have had effects before. */
		if (change->shell)
			break;
		/* fallthrough */
	case CCFC_STATE_DENIED:
		*added = *removed = 0;
		return;
	default:
		break;
	}
	*added = *removed = CCFC_LINES_UNKNOWN;
}

struct ccfc_slice ccfc_index_uuid(const struct ccfc_index *index,
				  const struct ccfc_observation *obs, char *out)
{
	static const char hex[] = "0123456789abcdef";
	uint32_t id;
	size_t n = 0;

	if (!obs->known)
		return CCFC_SLICE_NONE;
	if (obs->uuid_is_text) {
		memcpy(&id, obs->uuid.bytes, sizeof(id));
		return ccfc_index_str(index, id);
	}
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out[n++] = '-';
		out[n++] = hex[obs->uuid.bytes[i] >> 4];
		out[n++] = hex[obs->uuid.bytes[i] & 15];
	}
	return ccfc_slice(out, n);
}

bool ccfc_index_place_present(const struct ccfc_index *index,
			      const struct ccfc_place *place)
{
	const struct ccfc_source *s;

	if (place->source >= index->sources.n)
		return false;
	s = &index->sources.items[place->source];
	return !s->gone && s->gen == place->gen;
}

/* --- what can be read again --- */

/* Does the archive have these bytes of the source's present generation? */
static bool is_kept(const struct ccfc_source *s, uint64_t end)
{
	return s->kept_end && s->kept_since == s->texts_gen &&
	       end <= s->kept_end;
}

enum ccfc_where ccfc_source_where(const struct ccfc_source *s)
{
	if (!s->gone)
		return CCFC_WHERE_PRESENT;
	return is_kept(s, s->cursor.offset) ? CCFC_WHERE_ARCHIVED
					    : CCFC_WHERE_GONE;
}

enum ccfc_where ccfc_index_place_where(const struct ccfc_index *index,
				       const struct ccfc_place *place)
{
	const struct ccfc_source *s;
	bool kept;

	if (place->source >= index->sources.n)
		return CCFC_WHERE_GONE;
	if (ccfc_index_place_present(index, place))
		return CCFC_WHERE_PRESENT;
	s = &index->sources.items[place->source];
	kept = s->gen == place->gen
		       ? is_kept(s, place->offset + place->len)
		       : s->kept_end && s->kept_first <= place->gen;
	return kept ? CCFC_WHERE_ARCHIVED : CCFC_WHERE_GONE;
}

uint32_t ccfc_index_place_gen(const struct ccfc_index *index,
			      const struct ccfc_place *place)
{
	return index->sources.items[place->source].gen == place->gen
		       ? CCFC_ATTIC_LAST
		       : place->gen;
}

enum ccfc_where ccfc_index_text_where(const struct ccfc_index *index,
				      uint32_t source, uint32_t gen)
{
	const struct ccfc_source *s;

	if (source >= index->sources.n)
		return CCFC_WHERE_GONE;
	s = &index->sources.items[source];
	if (gen >= s->texts_gen && gen <= s->gen)
		return ccfc_source_where(s);
	return s->kept_end && s->kept_first <= gen ? CCFC_WHERE_ARCHIVED
						   : CCFC_WHERE_GONE;
}

enum ccfc_where ccfc_index_session_where(const struct ccfc_index *index,
					 uint32_t session)
{
	const struct ccfc_ids *sources =
		&index->sessions.items[session].sources;
	enum ccfc_where best = CCFC_WHERE_GONE;

	for (uint32_t i = 0; i < sources->n; i++) {
		enum ccfc_where where = ccfc_source_where(
			&index->sources.items[sources->items[i]]);

		if (where > best)
			best = where;
	}
	return best;
}
