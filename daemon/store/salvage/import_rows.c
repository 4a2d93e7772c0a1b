/* Copies sources, sessions, files and changes; see import.h. */
#include "base/alloc.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "store/row_columns.h"
#include "store/salvage/import.h"
#include "store/salvage/sieve.h"

#include <stdlib.h>
#include <sys/stat.h>

/* The most consecutive rows that may be lost before an id counts as invalid. */
#define GAP_MAX 1000000

/* --- sources --- */

static bool is_path_there(struct ccfc_slice path)
{
	struct stat st;
	char *name = ccfc_strndup(path.len ? path.ptr : "", path.len);
	bool there = !stat(name, &st) && S_ISREG(st.st_mode);

	free(name);
	return there;
}

static bool is_wanted_source(const struct ccfc_import *im,
			     struct ccfc_slice path)
{
	return !im->only_gone ||
	       (ccfc_index_source_find(im->index, path) == CCFC_ID_NONE &&
		!is_path_there(path));
}

/* The classified name of a transcript. */
static struct ccfc_name name_of(struct ccfc_slice path)
{
	static const char dir[] = "/projects/";
	const size_t n = sizeof(dir) - 1;

	for (size_t at = path.len; at-- > n;)
		if (!memcmp(path.ptr + at - n, dir, n))
			return ccfc_name_classify(
				ccfc_slice(path.ptr + at, path.len - at));
	return (struct ccfc_name){ 0 };
}

/* The source keeps that store's id of its session until fix_sources. */
static bool take_source(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_index *index = im->index;
	struct ccfc_name none = { 0 };
	int64_t id = ccfc_row_int(row);
	struct ccfc_slice path = ccfc_row_str(row);
	struct ccfc_source *s;
	uint32_t to;

	if (!path.len || path.ptr[0] != '/')
		return false;
	if (!is_wanted_source(im, path) ||
	    ccfc_sieve_source(im->sieve, path, name_of(path).session)) {
		ccfc_import_put(&im->skipped, id, 1);
		return true;
	}
	/* Two rows of one path cannot be distinguished. */
	if (ccfc_index_source_find(index, path) != CCFC_ID_NONE)
		return false;
	to = ccfc_index_source(index, path, &none);
	s = &index->sources.items[to];
	/* A number that is not one of its kind is read as 0. */
	ccfc_row_get_source(row, index, s);
	if (s->cursor.marker_len > CCFC_TAIL_MARKER_MAX)
		s->cursor = (struct ccfc_cursor){ 0 };
	s->gone |= im->only_gone;
	ccfc_import_put(&im->sources, id, to);
	return true;
}

/* The name of the source gives the session if the session's row is lost. */
static uint32_t session_by_name(struct ccfc_import *im, uint32_t source,
				uint32_t there)
{
	struct ccfc_index *index = im->index;
	struct ccfc_slice path =
		ccfc_index_str(index, index->sources.items[source].path);
	uint32_t session = ccfc_index_session(index, name_of(path).session);

	if (session) {
		index->sessions.items[session].seen = true;
		ccfc_ids_add(&index->sessions.items[session].sources, source);
		ccfc_import_put(&im->sessions, there, session);
	}
	return session;
}

static void fix_sources(struct ccfc_import *im)
{
	struct ccfc_index *index = im->index;

	for (uint32_t i = 0; i < im->sources.n; i++) {
		uint32_t id = im->sources.items[i], there, session;

		if (id == CCFC_ID_NONE)
			continue;
		there = index->sources.items[id].session;
		session = ccfc_import_get(&im->sessions, there);
		if (session == CCFC_ID_NONE)
			session = session_by_name(im, id, there);
		index->sources.items[id].session = session;
	}
}

/* --- sessions and files --- */

static bool has_source(const struct ccfc_import *im,
		       const struct ccfc_session *row)
{
	for (uint32_t i = 0; i < row->sources.n; i++)
		if (ccfc_import_get(&im->sources, row->sources.items[i]) !=
		    CCFC_ID_NONE)
			return true;
	return false;
}

static void add_names(struct ccfc_index *index, struct ccfc_ids *to,
		      const struct ccfc_ids *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		ccfc_index_add_name(index, to,
				    ccfc_index_str(index, names->items[i]));
}

static void adopt_session(struct ccfc_import *im, uint32_t id,
			  const struct ccfc_session *row)
{
	struct ccfc_index *index = im->index;
	struct ccfc_session *s = &index->sessions.items[id];

	ccfc_index_adopt_session(index, id, row);
	add_names(index, &s->branches, &row->branches);
	add_names(index, &s->models, &row->models);
	add_names(index, &s->pull_requests, &row->pull_requests);
	add_names(index, &s->tags, &row->tags);
	if (!s->name)
		s->name = row->name;
	add_names(index, &s->roots, &row->roots);
	for (uint32_t i = 0; i < row->sources.n; i++) {
		uint32_t to =
			ccfc_import_get(&im->sources, row->sources.items[i]);

		if (to != CCFC_ID_NONE)
			ccfc_ids_add(&s->sources, to);
	}
}

static void release_session(struct ccfc_session *s)
{
	free(s->branches.items);
	free(s->models.items);
	free(s->pull_requests.items);
	free(s->tags.items);
	free(s->roots.items);
	free(s->sources.items);
}

/* Is the session only wanted with one of its transcripts? */
static bool wants_source(const struct ccfc_import *im,
			 const struct ccfc_session *row)
{
	return im->only_gone || (im->sieve && row->sources.n);
}

static bool take_session(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_session s = { 0 };
	int64_t id = ccfc_row_int(row);
	uint32_t name = ccfc_strtab_put(&im->index->strings, ccfc_row_str(row));
	struct ccfc_slice uuid = ccfc_index_str(im->index, name);
	uint32_t to;

	ccfc_row_get_session(row, im->index, &s);
	if (ccfc_sieve_session(im, id, uuid, &s)) {
		release_session(&s);
		return true;
	}
	if (!wants_source(im, &s) || has_source(im, &s)) {
		to = ccfc_index_session(im->index, uuid);
		if (to)
			adopt_session(im, to, &s);
	} else {
		/* Other rows may have made the session known. */
		to = ccfc_strtab_find(&im->index->session_ids, uuid);
	}
	if (to)
		ccfc_import_put(&im->sessions, id, to);
	release_session(&s);
	return to != 0;
}

static bool take_file(struct ccfc_import *im, struct ccfc_row *row)
{
	int64_t id = ccfc_row_int(row);
	struct ccfc_slice path = ccfc_row_str(row);

	if (!path.len)
		return false;
	if (im->sieve)
		ccfc_sieve_file(im->sieve, id, path);
	else
		ccfc_import_put(&im->files, id,
				ccfc_index_file(im->index, path));
	return true;
}

/* --- changes --- */

/* The ids of an observation here; false when one is lost. */
static bool map_place(struct ccfc_import *im, struct ccfc_place *place,
		      uint32_t *session, uint32_t *file)
{
	uint32_t source = ccfc_import_get(&im->sources, place->source);
	uint32_t whose = ccfc_import_get(&im->sessions, *session);
	uint32_t what;

	if (source == CCFC_ID_NONE || whose == CCFC_ID_NONE)
		return false;
	what = *file ? ccfc_import_file(im, *file) : 0;
	if (what == CCFC_ID_NONE)
		return false;
	place->source = source;
	*session = whose;
	*file = what;
	return true;
}

/* Is the place in a source that is not wanted? */
static bool is_skipped(const struct ccfc_import *im,
		       const struct ccfc_place *place)
{
	return ccfc_import_get(&im->skipped, place->source) == 1;
}

static bool take_copy(struct ccfc_import *im, struct ccfc_row *row)
{
	int64_t id = ccfc_row_int(row);
	struct ccfc_observation obs = { 0 };
	bool skipped;

	if (!ccfc_row_get_observation(row, im->index, &obs))
		return false;
	skipped = is_skipped(im, &obs.place) ||
		  ccfc_sieve_look(im->sieve, obs.file, obs.time);
	obs.known = obs.known && !skipped &&
		    map_place(im, &obs.place, &obs.session, &obs.file);
	if (id < 0 || id > (int64_t)im->copies.n + GAP_MAX)
		return false;
	while (im->copies.n <= id)
		CCFC_VEC_PUSH(im->copies, ((struct ccfc_observation){
						  .next = CCFC_ID_NONE }));
	im->copies.items[id] = obs;
	return obs.known || skipped;
}

static void take_call(struct ccfc_import *im, uint32_t change,
		      struct ccfc_observation obs)
{
	struct ccfc_index *index = im->index;
	uint32_t source = obs.place.source;
	bool is_new;

	obs.next = CCFC_ID_NONE;
	is_new = ccfc_index_merge_obs(index, change, &obs);
	if (is_new && !index->changes.items[change].result.known)
		ccfc_ids_push(&index->sources.items[source].open, change);
}

/* The observations of a change that were found. */
struct found {
	struct {
		struct ccfc_observation *items;
		uint32_t n, cap;
	} calls;
	bool lost;
};

static void find_calls(struct ccfc_import *im, struct ccfc_observation obs,
		       struct found *out)
{
	uint32_t steps = 0;

	if (obs.known) {
		bool skipped = is_skipped(im, &obs.place);

		if (map_place(im, &obs.place, &obs.session, &obs.file))
			CCFC_VEC_PUSH(out->calls, obs);
		else
			out->lost |= !skipped;
	}
	for (uint32_t next = obs.next;
	     next != CCFC_ID_NONE && steps++ <= im->copies.n;) {
		if (next >= im->copies.n) {
			out->lost = true;
			return;
		}
		if (im->copies.items[next].known)
			CCFC_VEC_PUSH(out->calls, im->copies.items[next]);
		next = im->copies.items[next].next;
	}
}

/* Without its command, whose row came before, a shell change is dropped. */
static bool take_shell_change(struct ccfc_import *im, struct ccfc_slice key,
			      struct ccfc_change *row)
{
	struct ccfc_index *index = im->index;
	struct ccfc_outcome *o = &row->result;
	uint32_t file, other = 0, command;
	bool skipped = o->known && is_skipped(im, &o->place);
	bool has_result =
		o->known && map_place(im, &o->place, &o->session, &o->file);

	while (key.len && key.ptr[key.len - 1] != '#')
		key.len--;
	command = key.len ? ccfc_index_find_change(
				    index, ccfc_slice(key.ptr, key.len - 1))
			  : CCFC_ID_NONE;
	if (command == CCFC_ID_NONE ||
	    !ccfc_index_is_command(&index->changes.items[command]))
		return skipped;
	file = ccfc_import_file(im, row->call.file);
	if (row->other_file)
		other = ccfc_import_file(im, row->other_file);
	if (!row->call.file || file == CCFC_ID_NONE || other == CCFC_ID_NONE ||
	    row->target_op > CCFC_OP_RENAMED)
		return false;
	row->other_file = other;
	ccfc_index_adopt_file(index, command, file, row, has_result);
	return has_result || skipped || !o->known;
}

static bool see_change(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_change read = { 0 };

	row->at += 2; /* its id, and its call's */
	if (ccfc_row_get_change(row, im->index, &read))
		ccfc_sieve_see_change(im->sieve, &read);
	return true;
}

/* A change of the index for what was found of the row; `key` is its key. */
static void put_change(struct ccfc_import *im, struct ccfc_slice key,
		       const struct ccfc_change *read,
		       const struct found *found, bool has_result)
{
	struct ccfc_index *index = im->index;
	uint32_t id = ccfc_index_find_change(index, key);

	if (id == CCFC_ID_NONE)
		id = ccfc_index_add_change(index, key);
	index->changes.items[id].part = read->part;
	index->changes.items[id].several |= read->several;
	if (has_result)
		ccfc_index_merge_outcome(
			index, &index->changes.items[id].result, &read->result);
	for (uint32_t i = 0; i < found->calls.n; i++)
		take_call(im, id, found->calls.items[i]);
	if (ccfc_index_is_command(read))
		ccfc_index_adopt_command(index, id, read);
	if (read->state == CCFC_STATE_INTERRUPTED)
		index->changes.items[id].closed = true;
	ccfc_index_touch_change(index, id);
}

static bool take_change(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_change read = { 0 };
	struct ccfc_outcome *result = &read.result;
	struct found found = { 0 };
	struct ccfc_slice key;
	int64_t there;
	bool skipped, has_result;

	there = ccfc_row_int(row);
	key = ccfc_row_str(row);
	/* seq, file and session follow from the rest. */
	if (!ccfc_row_get_change(row, im->index, &read) || !key.len ||
	    key.len > UINT16_MAX || read.state >= CCFC_STATE_COUNT ||
	    result->state >= CCFC_STATE_COUNT)
		return false;
	if (ccfc_sieve_change(im, there, &read))
		return true;
	/* A change known from the disk alone comes with its event. */
	if (ccfc_index_is_witnessed(&read)) {
		if (!read.call.known && !result->known)
			return true;
		read.shell = 0;
	}
	if (read.shell & ~(unsigned)CCFC_SHELL_IS_COMMAND &&
	    !ccfc_index_is_command(&read))
		return take_shell_change(im, key, &read);
	find_calls(im, read.call, &found);
	skipped = result->known && is_skipped(im, &result->place);
	has_result =
		result->known &&
		map_place(im, &result->place, &result->session, &result->file);
	found.lost |= result->known && !has_result && !skipped;
	/* The key is the row's until the next string is read. */
	if (found.calls.n ||
	    (has_result && (result->file || ccfc_index_is_command(&read))))
		put_change(im, key, &read, &found, has_result);
	free(found.calls.items);
	return !found.lost;
}

static bool take_orphan(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_slice key = ccfc_row_str(row);
	struct ccfc_orphan read = { 0 };
	struct ccfc_outcome *o = &read.result;
	uint32_t id;

	if (!ccfc_row_get_orphan(row, im->index, &read))
		return false;
	if (is_skipped(im, &o->place) ||
	    ccfc_sieve_look(im->sieve, o->file, o->time))
		return true;
	if (!key.len || o->state >= CCFC_STATE_COUNT ||
	    !map_place(im, &o->place, &o->session, &o->file))
		return false;
	id = ccfc_index_find_orphan(im->index, key);
	if (id == CCFC_ID_NONE)
		id = ccfc_index_add_orphan(im->index, key);
	ccfc_index_merge_outcome(im->index,
				 &im->index->orphans.items[id].result, o);
	return true;
}

/* Only stores have marks: they are copied from any store. */
static bool take_mark(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_index *index = im->index;
	struct ccfc_mark read = { 0 };
	struct ccfc_slice call, session;

	if (!ccfc_row_get_mark(row, index, &read) || !read.call)
		return false;
	call = ccfc_index_str(index, read.call);
	session = ccfc_index_str(index, read.session);
	if (!ccfc_sieve_source(im->sieve, CCFC_SLICE_NONE, session))
		ccfc_index_mark(index, session, call, read.began, read.ended);
	return true;
}

/* --- prompts and backups --- */

static bool take_prompt(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_index *index = im->index;
	struct ccfc_prompt read = { 0 }, *prompt;
	struct ccfc_place place;
	uint32_t id;

	if (!ccfc_row_get_prompt(row, index, &read))
		return false;
	place = read.place;
	read.place = (struct ccfc_place){ .source = CCFC_ID_NONE };
	read.session = ccfc_import_get(&im->sessions, read.session);
	if (read.session == CCFC_ID_NONE)
		return im->only_gone;
	id = ccfc_index_find_prompt(index, read.session, read.uuid);
	if (id == CCFC_ID_NONE)
		id = ccfc_index_add_prompt(index, &read);
	prompt = &index->prompts.items[id];
	ccfc_index_take_time(&prompt->time, read.time, true);
	if (place.source == CCFC_ID_NONE || is_skipped(im, &place))
		return true;
	place.source = ccfc_import_get(&im->sources, place.source);
	if (place.source == CCFC_ID_NONE)
		return false;
	if (prompt->place.source == CCFC_ID_NONE)
		prompt->place = place;
	return true;
}

static bool take_backup(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_index *index = im->index;
	struct ccfc_backup_ref like = { 0 }, *ref;
	uint32_t id;

	if (!ccfc_row_get_backup(row, index, &like))
		return false;
	like.session = ccfc_import_get(&im->sessions, like.session);
	if (like.session == CCFC_ID_NONE)
		return im->only_gone;
	if (ccfc_sieve_backup(im, &like))
		return true;
	id = ccfc_index_find_backup(index, &like);
	if (id == CCFC_ID_NONE)
		id = ccfc_index_add_backup(index, &like);
	ref = &index->backups.items[id];
	ccfc_index_take_time(&ref->made, like.made, false);
	ccfc_index_take_time(&ref->first, like.first, true);
	ccfc_index_take_time(&ref->last, like.last, false);
	return true;
}

static bool take_meta(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_meta meta;

	ccfc_row_get_meta(row, im->index, &meta);
	if (ccfc_slice_is(meta.key, "epoch"))
		im->epoch = meta.value;
	else if (ccfc_slice_is(meta.key, "rows"))
		im->wanted = meta.value;
	else if (ccfc_slice_is(meta.key, "texts"))
		im->texts_id = meta.value;
	else if (ccfc_slice_is(meta.key, "textsLength"))
		im->texts_end = meta.value;
	else if (ccfc_slice_is(meta.key, "damagedAt"))
		im->past.damaged_at = (int64_t)meta.value;
	else if (ccfc_slice_is(meta.key, "lostRows"))
		im->past.lost_rows = meta.value;
	else if (ccfc_slice_is(meta.key, "lostTexts"))
		im->past.lost_texts = meta.value;
	/* Rows of this table are not rows of the index. */
	im->rows--;
	return true;
}

bool ccfc_import_nothing(struct ccfc_import *im, struct ccfc_row *row)
{
	(void)im;
	(void)row;
	return true;
}

void ccfc_import_rows(struct ccfc_import *im)
{
	ccfc_import_each(im, CCFC_TABLE_META, take_meta);
	ccfc_import_put(&im->sessions, 0, 0);
	ccfc_import_each(im, CCFC_TABLE_SOURCE, take_source);
	ccfc_import_each(im, CCFC_TABLE_SESSION, take_session);
	fix_sources(im);
	ccfc_import_each(im, CCFC_TABLE_FILE, take_file);
	ccfc_import_each(im, CCFC_TABLE_COPY, take_copy);
	if (im->sieve)
		ccfc_import_each(im, CCFC_TABLE_CHANGE, see_change);
	ccfc_import_each(im, CCFC_TABLE_CHANGE, take_change);
	ccfc_import_each(im, CCFC_TABLE_ORPHAN, take_orphan);
	ccfc_import_each(im, CCFC_TABLE_MARK, take_mark);
	ccfc_import_each(im, CCFC_TABLE_PROMPT, take_prompt);
	ccfc_import_each(im, CCFC_TABLE_BACKUP, take_backup);
	ccfc_import_each(im, CCFC_TABLE_UNKNOWN_TYPE, ccfc_import_nothing);
}
