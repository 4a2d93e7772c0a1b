/*
 * Merging the facts of one line into the index.
 *
 * Every rule here gives the same result in whatever order lines of different
 * sources arrive, and when a line is seen again:
 *
 * - A session's start, end, project, branch, model and birth are minima or
 *   maxima over (rank, time, text).
 * - A change is keyed by the tool_use id. Its calls are a set of observations,
 *   one per (session, agent, transcript); of two such the earlier counts.
 *   Which session owns the change is decided over that set, in owner.c.
 * - Of the results of a change the best counts. From best to worst: success
 *   with details, success without, staged, denied, failed, the note of a hook
 *   that runs after success only, interrupted. Of equal ones: a result in the
 *   transcript itself, not one that an agent's parent repeats; then the earlier
 *   one; then the one of the smaller session id. So a copied history whose
 *   result lost its details, or got a made-up error, does not spoil the
 *   original.
 * - Paths: that of the result if the result names one, else that of the call.
 * - Shell commands and their changes: shell_command.c.
 * - Prompts are a set over (session, uuid), each with its least time and the
 *   least of its places (session_prompt.c).
 * - Backups are a set over (session, key, version, name), each with the least
 *   and the greatest recorded time.
 * - Messages and costs: model_message.c, session_source.c, running_cost.c.
 *
 * A result may be read before its call. Only the call shows whether the result
 * is one of another tool, which does not matter here. So all calls are kept
 * (model_message.c), and a result without a call waits as an orphan.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/time.h"
#include "index/index_internal.h"

#include <stdlib.h>
#include <strings.h>

#define ORPHANS_MAX	  65536u
#define UNKNOWN_TYPES_MAX 256u

static struct ccfc_source *source_of_line(const struct ccfc_incoming *line)
{
	return &line->index->sources.items[line->place.source];
}

/* --- calls --- */

bool ccfc_uuid_read(struct ccfc_uuid *out, struct ccfc_slice text)
{
	unsigned char bytes[16];
	size_t n = 0;

	for (size_t i = 0; text.len == 36 && i < text.len; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		char c = text.ptr[i];
		int v = c >= '0' && c <= '9'   ? c - '0'
			: c >= 'a' && c <= 'f' ? c - 'a' + 10
					       : -1;

		if (dash ? c != '-' : v < 0)
			break;
		if (dash)
			continue;
		if (n % 2)
			bytes[n / 2] = (unsigned char)(bytes[n / 2] << 4 | v);
		else
			bytes[n / 2] = (unsigned char)v;
		n++;
	}
	if (n != 32)
		return false;
	memcpy(out->bytes, bytes, sizeof(bytes));
	return true;
}

static void put_uuid(struct ccfc_index *index, struct ccfc_observation *obs,
		     struct ccfc_slice text)
{
	uint32_t id;

	if (ccfc_uuid_read(&obs->uuid, text))
		return;
	id = ccfc_strtab_put(&index->strings, text);
	memcpy(obs->uuid.bytes, &id, sizeof(id));
	obs->uuid_is_text = true;
}

/* Clients up to 1.0.35 took "~" for the name of a directory. */
static bool expands_home(struct ccfc_slice version)
{
	unsigned long part[3];
	char text[32];
	char *at = text;

	if (!version.len || version.len >= sizeof(text))
		return true;
	memcpy(text, version.ptr, version.len);
	text[version.len] = '\0';
	for (int i = 0; i < 3; i++) {
		if (*at < '0' || *at > '9')
			return true;
		part[i] = strtoul(at, &at, 10);
		if (i < 2 && *at++ != '.')
			return true;
	}
	return part[0] > 1 || (part[0] == 1 && (part[1] > 0 || part[2] > 35));
}

bool ccfc_index_path(struct ccfc_buf *out, const struct ccfc_index *index,
		     struct ccfc_slice path, struct ccfc_slice cwd,
		     struct ccfc_slice version)
{
	struct ccfc_slice home = ccfc_slice_str(index->home);
	struct ccfc_buf literal = CCFC_BUF_INIT;
	bool known;

	if (path.len && path.ptr[0] == '~' && !expands_home(version)) {
		ccfc_buf_printf(&literal, "./%.*s", (int)path.len, path.ptr);
		path = ccfc_buf_view(&literal);
	}
	/* "~" is the home of the session's user: the home directory that
	 * contains the session's directory, or ours if that is not known. */
	known = (!ccfc_path_is_below(cwd, home) &&
		 ccfc_path_normalise(out, path, cwd, CCFC_SLICE_NONE)) ||
		ccfc_path_normalise(out, path, cwd, home);
	ccfc_buf_release(&literal);
	return known;
}

struct ccfc_slice ccfc_index_directory(struct ccfc_index *index,
				       struct ccfc_slice path)
{
	uint32_t id;

	if (!ccfc_path_has_drive(path))
		return path;
	ccfc_buf_clear(&index->scratch);
	if (!ccfc_path_normalise(&index->scratch, path, CCFC_SLICE_NONE,
				 CCFC_SLICE_NONE))
		return path;
	id = ccfc_strtab_put(&index->strings, ccfc_buf_view(&index->scratch));
	return ccfc_index_str(index, id);
}

/* On Windows a path below `dir` may be spelt with other cases than `dir`. */
static void spell_as(struct ccfc_buf *path, struct ccfc_slice dir)
{
	if (ccfc_path_has_drive(dir) && path->len > dir.len &&
	    path->ptr[dir.len] == '/' &&
	    !strncasecmp(path->ptr, dir.ptr, dir.len))
		memcpy(path->ptr, dir.ptr, dir.len);
}

uint32_t ccfc_index_line_file(const struct ccfc_incoming *line,
			      struct ccfc_slice path)
{
	struct ccfc_index *index = line->index;

	ccfc_buf_clear(&index->scratch);
	if (!ccfc_index_path(&index->scratch, index, path, line->cwd,
			     line->record->version))
		return 0;
	spell_as(&index->scratch, line->cwd);
	return ccfc_index_file(index, ccfc_buf_view(&index->scratch));
}

struct ccfc_observation ccfc_index_observe(const struct ccfc_incoming *line,
					   const struct ccfc_call *call)
{
	const struct ccfc_record *r = line->record;
	struct ccfc_strtab *strings = &line->index->strings;
	struct ccfc_observation obs = { .time = r->time,
					.place = line->place,
					.session = line->session,
					.agent = line->agent,
					.added = call->added,
					.removed = call->removed,
					.next = CCFC_ID_NONE,
					.known = true,
					.sidechain = r->sidechain,
					.relayed = r->relayed };

	obs.model = ccfc_strtab_put(strings, r->model);
	obs.version = ccfc_strtab_put(strings, r->version);
	obs.tool = ccfc_strtab_put(strings, call->tool);
	obs.file = ccfc_index_line_file(line, call->path);
	put_uuid(line->index, &obs, r->uuid);
	return obs;
}

/* --- results --- */

static int rank_of_result(const struct ccfc_outcome *o)
{
	/*
	 * A hook is weaker than a result. But a result "interrupted" is made up
	 * when the client stops, and says nothing about the file.
	 */
	if (o->by == CCFC_OUTCOME_FROM_HOOK)
		return 5;
	switch (o->state) {
	case CCFC_STATE_APPLIED:
		return o->detail ? 0 : 1;
	case CCFC_STATE_STAGED:
		return 2;
	case CCFC_STATE_DENIED:
		return 3;
	case CCFC_STATE_FAILED:
		return 4;
	default:
		return 6;
	}
}

static int compare_outcomes(const struct ccfc_index *index,
			    const struct ccfc_outcome *a,
			    const struct ccfc_outcome *b)
{
	int r = rank_of_result(a) - rank_of_result(b);

	if (!r)
		r = a->by - b->by;
	if (r)
		return r;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	r = ccfc_slice_cmp(ccfc_index_session_id(index, a->session),
			   ccfc_index_session_id(index, b->session));
	if (r)
		return r;
	r = ccfc_slice_cmp(ccfc_index_str(index, a->agent),
			   ccfc_index_str(index, b->agent));
	if (r)
		return r;
	/*
	 * Two results within a millisecond: the order is arbitrary but fixed.
	 */
	r = ccfc_slice_cmp(ccfc_index_file_path(index, a->file),
			   ccfc_index_file_path(index, b->file));
	if (r)
		return r;
	r = ccfc_slice_cmp(ccfc_index_str(index, a->tool),
			   ccfc_index_str(index, b->tool));
	if (r)
		return r;
	if (a->op != b->op || a->detail != b->detail)
		return (b->op * 2 + b->detail) - (a->op * 2 + a->detail);
	r = (a->added > b->added) - (a->added < b->added);
	if (!r)
		r = (a->removed > b->removed) - (a->removed < b->removed);
	if (!r)
		r = a->run - b->run;
	return r ? r
		 : (a->original > b->original) - (a->original < b->original);
}

/* The same line read again: its present content counts. */
static bool is_reread(const struct ccfc_outcome *fresh,
		      const struct ccfc_outcome *old)
{
	return ccfc_place_is_reread(&fresh->place, &old->place) &&
	       fresh->time == old->time && fresh->session == old->session &&
	       fresh->agent == old->agent;
}

void ccfc_index_merge_outcome(struct ccfc_index *index,
			      struct ccfc_outcome *old,
			      const struct ccfc_outcome *fresh)
{
	int r;

	if (!old->known || is_reread(fresh, old)) {
		*old = *fresh;
		return;
	}
	r = compare_outcomes(index, fresh, old);
	if (r < 0 || (!r && !ccfc_index_place_present(index, &old->place)))
		*old = *fresh;
}

/* Part n of the call `id` is the change "id#n+1"; part 0 is "id" itself. */
static struct ccfc_slice change_key(struct ccfc_index *index,
				    struct ccfc_slice id, uint32_t part)
{
	if (!part)
		return id;
	ccfc_buf_clear(&index->scratch);
	ccfc_buf_slice(&index->scratch, id);
	ccfc_buf_printf(&index->scratch, "#%u", part + 1);
	return ccfc_buf_view(&index->scratch);
}

static void touch_change(struct ccfc_index *index, uint32_t change)
{
	ccfc_index_mark_change(index, change);
	ccfc_index_touch_change(index, change);
}

void ccfc_index_adopt_orphan(struct ccfc_index *index, uint32_t change,
			     struct ccfc_slice id)
{
	uint32_t orphan = ccfc_index_find_orphan(index, id);

	if (orphan == CCFC_ID_NONE)
		return;
	ccfc_index_merge_outcome(index, &index->changes.items[change].result,
				 &index->orphans.items[orphan].result);
	ccfc_index_take_orphan(index, orphan);
}

static void merge_call(const struct ccfc_incoming *line,
		       const struct ccfc_call *call)
{
	struct ccfc_index *index = line->index;
	struct ccfc_observation obs = ccfc_index_observe(line, call);
	struct ccfc_slice key = change_key(index, call->id, call->part);
	uint32_t id = ccfc_index_find_change(index, key);
	uint32_t first;
	bool is_new;

	if (id == CCFC_ID_NONE)
		id = ccfc_index_add_change(index, key);
	/* An id made to look like that of a command's file. */
	if (index->changes.items[id].command != CCFC_ID_NONE)
		return;
	index->changes.items[id].part = (uint16_t)call->part;
	index->changes.items[id].several |= call->nparts > 1;
	is_new = ccfc_index_merge_obs(index, id, &obs);
	ccfc_index_adopt_orphan(index, id, call->id);
	if (call->part) {
		first = ccfc_index_find_change(index, call->id);
		if (first != CCFC_ID_NONE &&
		    index->changes.items[first].result.known)
			ccfc_index_merge_outcome(
				index, &index->changes.items[id].result,
				&index->changes.items[first].result);
	}
	if (!index->changes.items[id].result.known) {
		/* A change seen there before may be closed. */
		if (is_new)
			ccfc_ids_push(&source_of_line(line)->open, id);
		else
			ccfc_ids_add(&source_of_line(line)->open, id);
	}
	touch_change(index, id);
}

/* The result of another tool's call is not kept. */
static void merge_other(struct ccfc_index *index, struct ccfc_slice id)
{
	uint32_t orphan = ccfc_index_find_orphan(index, id);

	if (orphan != CCFC_ID_NONE)
		ccfc_index_take_orphan(index, orphan);
	ccfc_index_drop_mark(index, id);
}

static void merge_calls(const struct ccfc_incoming *line)
{
	const struct ccfc_record *r = line->record;
	uint32_t say = ccfc_index_merge_message(line);

	for (uint32_t i = 0; i < r->ncalls; i++) {
		bool kept = r->calls[i].writes;

		if (!r->calls[i].id.len)
			continue;
		if (kept)
			merge_call(line, &r->calls[i]);
		else if (r->calls[i].shell)
			kept = ccfc_index_merge_command(line, &r->calls[i]);
		if (!kept)
			merge_other(line->index, r->calls[i].id);
		ccfc_index_merge_call(line, say, &r->calls[i], kept);
	}
}

struct ccfc_outcome ccfc_index_outcome(const struct ccfc_incoming *line,
				       const struct ccfc_result *result)
{
	struct ccfc_outcome o = { .time = line->record->time,
				  .place = line->place,
				  .session = line->session,
				  .agent = line->agent,
				  .added = result->added,
				  .removed = result->removed,
				  .original = result->original,
				  .state = (uint8_t)result->state,
				  .op = (uint8_t)result->op,
				  .run = result->run,
				  .by = result->hook ? CCFC_OUTCOME_FROM_HOOK
					: line->record->relayed
						? CCFC_OUTCOME_FROM_PROGRESS
						: CCFC_OUTCOME_FROM_RESULT,
				  .known = true,
				  .detail = result->detail };

	if (result->nfiles) {
		o.tool = ccfc_strtab_put(&line->index->strings,
					 CCFC_SLICE_LIT("Bash"));
		o.detail = true;
	} else if (result->detail) {
		o.tool = ccfc_strtab_put(&line->index->strings, result->tool);
		o.file = ccfc_index_line_file(line, result->path);
	}
	return o;
}

void ccfc_index_keep_orphan(const struct ccfc_incoming *line,
			    const struct ccfc_result *result)
{
	struct ccfc_index *index = line->index;
	struct ccfc_outcome outcome = ccfc_index_outcome(line, result);
	uint32_t orphan = ccfc_index_find_orphan(index, result->id);

	if (orphan == CCFC_ID_NONE) {
		if (index->orphans.n - index->orphans_taken >= ORPHANS_MAX)
			return;
		orphan = ccfc_index_add_orphan(index, result->id);
	}
	ccfc_index_merge_outcome(index, &index->orphans.items[orphan].result,
				 &outcome);
	ccfc_ids_push(&index->orphans.dirty, orphan);
}

/*
 * Only the call shows which tool's result it is, or whether the result belongs
 * to a kept command.
 */
static bool waits_for_call(const struct ccfc_index *index, uint32_t change,
			   const struct ccfc_result *result)
{
	const struct ccfc_change *c;

	if (result->detail || result->nfiles)
		return false;
	if (change == CCFC_ID_NONE)
		return true;
	c = &index->changes.items[change];
	return ccfc_index_is_command(c) && !c->call.known;
}

static void merge_part_result(const struct ccfc_incoming *line, uint32_t id,
			      const struct ccfc_result *result,
			      const struct ccfc_outcome *o)
{
	struct ccfc_index *index = line->index;

	ccfc_index_merge_outcome(index, &index->changes.items[id].result, o);
	touch_change(index, id);
	if (result->nfiles)
		ccfc_index_merge_run(line, id, result);
}

static void merge_result(const struct ccfc_incoming *line,
			 const struct ccfc_result *result)
{
	struct ccfc_index *index = line->index;
	const struct ccfc_tool_call *use;
	struct ccfc_outcome o;
	uint32_t id;

	if (!result->id.len)
		return;
	id = ccfc_index_merge_call_result(line, result);
	use = &index->calls.items[id];
	/* A call of another tool: its result is not kept. */
	if (!result->detail && !result->nfiles && use->other && !use->writes)
		return;
	id = ccfc_index_find_change(index, result->id);
	if (waits_for_call(index, id, result)) {
		ccfc_index_keep_orphan(line, result);
		return;
	}
	if (id == CCFC_ID_NONE) {
		id = ccfc_index_add_change(index, result->id);
		if (!result->nfiles)
			ccfc_index_adopt_orphan(index, id, result->id);
	}
	if (result->nfiles)
		ccfc_index_make_command(index, id);
	o = ccfc_index_outcome(line, result);
	for (uint32_t part = 1; id != CCFC_ID_NONE; part++) {
		merge_part_result(line, id, result, &o);
		if (ccfc_index_is_command(&index->changes.items[id]))
			return;
		id = ccfc_index_find_change(
			index, change_key(index, result->id, part));
	}
}

/* --- the line --- */

/*
 * A turn starts with a prompt, or with a message of the model other than the
 * last one. A call whose transcript has a later turn gets no result any more.
 * Sidechains in a session's own file are a separate thread; it ends with the
 * turn of the session that started it.
 */
static void note_turn(const struct ccfc_incoming *line)
{
	const struct ccfc_record *r = line->record;
	struct ccfc_source *source = source_of_line(line);
	int thread = r->sidechain && !source->is_agent;
	bool turns = r->prompt;
	uint64_t message;

	/* Progress records of several agents are interleaved. */
	if (r->relayed)
		return;
	if (r->kind == CCFC_RECORD_ASSISTANT && r->message_id.len) {
		message = ccfc_index_message_id(r);
		turns |= message != source->message[thread];
		source->message[thread] = message;
	}
	if (!turns)
		return;
	source->turn[thread] = line->place.offset + 1;
	/* Sidechains started before have ended. */
	if (!thread)
		source->turn[1] = source->turn[0];
}

/*
 * A compaction right after a call has swallowed its result. Whether the call
 * took effect is unknown, and later lines do not close it.
 */
static void note_boundary(const struct ccfc_incoming *line)
{
	struct ccfc_index *index = line->index;
	const struct ccfc_ids *open = &source_of_line(line)->open;

	if (line->record->sidechain && !source_of_line(line)->is_agent)
		return;
	for (uint32_t i = 0; i < open->n; i++) {
		uint32_t id = open->items[i];

		if (!index->changes.items[id].result.known &&
		    ccfc_index_note_compaction(index, id, line->place.source))
			touch_change(index, id);
	}
}

static void count_unknown(struct ccfc_index *index, struct ccfc_slice type)
{
	uint32_t id;

	if (!type.len)
		type = CCFC_SLICE_LIT("(none)");
	if (type.len > 64)
		type.len = 64;
	id = ccfc_strtab_put(&index->strings, type);
	index->unknown_types_dirty = true;
	for (uint32_t i = 0; i < index->unknown_types.n; i++) {
		if (index->unknown_types.items[i].type == id) {
			index->unknown_types.items[i].n++;
			return;
		}
	}
	if (index->unknown_types.n < UNKNOWN_TYPES_MAX)
		CCFC_VEC_PUSH(index->unknown_types,
			      ((struct ccfc_unknown_type){ id, 1 }));
}

/* The record's own session; messages and backups may go by the file's name. */
static uint32_t session_of_record(struct ccfc_index *index,
				  const struct ccfc_source *source,
				  const struct ccfc_record *r)
{
	/* A line without a type may belong to any session. */
	if (r->kind == CCFC_RECORD_UNKNOWN && !r->type.len)
		return 0;
	if (r->session.len)
		return ccfc_index_session(index, r->session);
	if (r->kind == CCFC_RECORD_OTHER || r->kind == CCFC_RECORD_UNKNOWN)
		return 0;
	return source->session;
}

static void apply_facts(struct ccfc_incoming *line)
{
	const struct ccfc_record *r = line->record;

	if (r->kind == CCFC_RECORD_SNAPSHOT) {
		for (uint32_t i = 0; line->session && i < r->nbackups; i++)
			ccfc_index_merge_backup(line, &r->backups[i]);
		return;
	}
	ccfc_index_merge_session(line);
	if (r->naming)
		ccfc_index_merge_naming(line);
	if (r->kind == CCFC_RECORD_USER || r->kind == CCFC_RECORD_ASSISTANT)
		ccfc_index_merge_session_source(line);
	merge_calls(line);
	note_turn(line);
	if (r->boundary)
		note_boundary(line);
	for (uint32_t i = 0; i < r->nresults; i++)
		merge_result(line, &r->results[i]);
	if (r->ended.len)
		ccfc_index_merge_ended(line);
	if (r->shown.len)
		ccfc_index_merge_shown(line);
	if (r->ncosts)
		ccfc_index_merge_costs(line);
}

void ccfc_index_apply(struct ccfc_index *index, uint32_t source,
		      const struct ccfc_record *record, uint64_t offset,
		      size_t len)
{
	struct ccfc_source *s = &index->sources.items[source];
	struct ccfc_incoming line = { .index = index,
				      .record = record,
				      .session_source = CCFC_ID_NONE,
				      .aside = s->is_agent || record->sidechain,
				      .place = { .offset = offset,
						 .source = source,
						 .len = (uint32_t)len,
						 .gen = s->gen } };

	ccfc_index_source_touch(index, source);
	s->lines[record->relayed ? CCFC_RECORD_OTHER : record->kind]++;
	/* A damaged line is merged as far as it is readable, and counted. */
	if (record->damaged)
		s->damaged++;
	if (record->kind == CCFC_RECORD_BLANK ||
	    record->kind == CCFC_RECORD_MALFORMED)
		return;
	if (record->kind == CCFC_RECORD_UNKNOWN)
		count_unknown(index, record->type);
	line.cwd = ccfc_index_directory(index, record->cwd);
	line.session = session_of_record(index, s, record);
	line.agent = record->agent.len
			     ? ccfc_strtab_put(&index->strings, record->agent)
			     : s->agent;
	apply_facts(&line);
}

void ccfc_index_too_long(struct ccfc_index *index, uint32_t source)
{
	ccfc_index_source_touch(index, source);
	index->sources.items[source].too_long++;
}
