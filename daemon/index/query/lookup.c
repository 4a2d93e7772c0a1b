/*
 * Sessions and changes by a user's reference: an id, a prefix, or for a session
 * its transcript; see query.h. A prefix is searched in all ids, so it is really
 * unique.
 */
#include "index/query/query.h"

#include "base/alloc.h"
#include "index/index_internal.h"

#include <stdlib.h>

#define CANDIDATES_SHOWN 5

/* Long enough to mean something: ids of changes start with "toolu_". */
#define CHANGE_PREFIX_MIN 6

/* Of the names of transcripts: fewer characters fit by chance. */
#define SOURCE_PREFIX_MIN 4

/* The candidates for a prefix. */
struct found {
	struct ccfc_slice names[CANDIDATES_SHOWN];
	uint32_t ids[CANDIDATES_SHOWN];
	uint32_t n; /* all, shown or not */
};

static void add_found(struct found *found, uint32_t id, struct ccfc_slice name)
{
	if (found->n < CANDIDATES_SHOWN) {
		found->ids[found->n] = id;
		found->names[found->n] = name;
	}
	found->n++;
}

static bool starts_with(struct ccfc_slice id, struct ccfc_slice ref)
{
	return id.len >= ref.len && !memcmp(id.ptr, ref.ptr, ref.len);
}

static int shown_length(struct ccfc_slice ref)
{
	return (int)(ref.len < 200 ? ref.len : 200);
}

/* "change 12: 3 changes start with that", and the first ones. */
static int fail_ambiguous(const struct found *found, const char *kind,
			  struct ccfc_slice ref, const char *why,
			  struct ccfc_err *err)
{
	uint32_t n = found->n < CANDIDATES_SHOWN ? found->n : CANDIDATES_SHOWN;
	char text[CCFC_ERR_HINT_MAX];
	size_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_slice id = found->names[i];

		if (id.len + 3 > sizeof(text) - at)
			break;
		memcpy(text + at, i ? ", " : "", i ? 2 : 0);
		at += i ? 2 : 0;
		memcpy(text + at, id.ptr, id.len);
		at += id.len;
	}
	ccfc_err_set(err, CCFC_EAMBIGUOUS, "%s %.*s: %u %ss %s", kind,
		     shown_length(ref), ref.ptr, found->n, kind, why);
	ccfc_err_hint(err, "candidates: %.*s%s", (int)at, text,
		      found->n > n ? ", …" : "");
	return CCFC_EAMBIGUOUS;
}

int ccfc_query_ambiguous(const struct ccfc_index *index,
			 const struct ccfc_ids *ids, struct ccfc_slice ref,
			 const char *why, struct ccfc_err *err)
{
	struct found found = { .n = 0 };

	for (uint32_t i = 0; i < ids->n; i++)
		add_found(&found, ids->items[i],
			  ccfc_index_session_id(index, ids->items[i]));
	return fail_ambiguous(&found, "session", ref, why, err);
}

/* CCFC_ENOTFOUND without a text: that is the caller's. */
static int pick_found(uint32_t *out, const struct found *found,
		      const char *kind, struct ccfc_slice ref,
		      struct ccfc_err *err)
{
	if (!found->n)
		return CCFC_ENOTFOUND;
	if (found->n > 1)
		return fail_ambiguous(found, kind, ref, "start with that", err);
	*out = found->ids[0];
	return 0;
}

/* --- sessions --- */

static int session_of_source(uint32_t *out, const struct ccfc_index *index,
			     uint32_t source)
{
	uint32_t named = index->sources.items[source].session;

	if (named && index->sessions.items[named].seen) {
		*out = named;
		return 0;
	}
	/* The file's name is not the session of its lines: 2.1.50's forks. */
	for (uint32_t s = 1; s < index->sessions.n; s++) {
		const struct ccfc_ids *of = &index->sessions.items[s].sources;

		for (uint32_t i = 0; i < of->n; i++) {
			if (of->items[i] == source) {
				*out = s;
				return 0;
			}
		}
	}
	return CCFC_ENOTFOUND;
}

static void add_once(struct ccfc_ids *ids, uint32_t session)
{
	for (uint32_t i = 0; i < ids->n; i++)
		if (ids->items[i] == session)
			return;
	CCFC_VEC_PUSH(*ids, session);
}

static void add_by_prefix(struct ccfc_ids *out, const struct ccfc_index *index,
			  struct ccfc_slice ref)
{
	for (uint32_t s = 1; s < index->sessions.n; s++)
		if (index->sessions.items[s].seen &&
		    starts_with(ccfc_index_session_id(index, s), ref))
			CCFC_VEC_PUSH(*out, s);
}

/*
 * Adds sessions by names of transcripts: an agent's transcript has the agent's
 * id; another transcript may have lines of another session.
 */
static void add_by_source(struct ccfc_ids *out, const struct ccfc_index *index,
			  struct ccfc_slice ref)
{
	static const char agent[] = "agent-";
	const size_t skip = sizeof(agent) - 1;
	uint32_t session;

	if (ref.len > skip && !memcmp(ref.ptr, agent, skip))
		ref = ccfc_slice(ref.ptr + skip, ref.len - skip);
	if (ref.len < SOURCE_PREFIX_MIN)
		return;
	for (uint32_t i = 0; i < index->sources.n; i++) {
		const struct ccfc_source *s = &index->sources.items[i];
		struct ccfc_slice name =
			s->is_agent ? ccfc_index_str(index, s->agent)
				    : ccfc_index_session_id(index, s->session);

		if (starts_with(name, ref) &&
		    !session_of_source(&session, index, i))
			add_once(out, session);
	}
}

void ccfc_query_meant(struct ccfc_ids *out, const struct ccfc_index *index,
		      struct ccfc_slice ref)
{
	if (ccfc_query_is_word(ref)) {
		ccfc_query_word_means(out, index, ref);
		return;
	}
	add_by_prefix(out, index, ref);
	if (!out->n)
		add_by_source(out, index, ref);
}

static int session_by_name(uint32_t *out, const struct ccfc_index *index,
			   struct ccfc_slice ref, struct ccfc_err *err)
{
	struct ccfc_ids ids = { 0 };
	int r = CCFC_ENOTFOUND;

	ccfc_query_meant(&ids, index, ref);
	if (ids.n > 1)
		r = ccfc_query_ambiguous(index, &ids, ref, "start with that",
					 err);
	else if (ids.n)
		r = 0;
	if (!r)
		*out = ids.items[0];
	free(ids.items);
	return r;
}

int ccfc_query_session(uint32_t *out, const struct ccfc_index *index,
		       struct ccfc_slice ref, struct ccfc_err *err)
{
	uint32_t id;
	int r = CCFC_ENOTFOUND;

	if (!ref.len)
		return ccfc_err_set(err, CCFC_EINVAL, "session: is empty");
	if (ccfc_query_is_word(ref))
		return ccfc_query_word(out, index, ref, err);
	id = ccfc_strtab_find(&index->session_ids, ref);
	if (id != CCFC_ID_NONE && id && index->sessions.items[id].seen) {
		*out = id;
		return 0;
	}
	if (memchr(ref.ptr, '/', ref.len)) {
		id = ccfc_index_source_named(index, ref);
		if (id != CCFC_ID_NONE)
			r = session_of_source(out, index, id);
	} else {
		r = session_by_name(out, index, ref, err);
	}
	if (r == CCFC_ENOTFOUND) {
		ccfc_err_set(err, r, "session %.*s: nothing found",
			     shown_length(ref), ref.ptr);
		ccfc_err_hint(err, "a session is named by its id, a unique "
				   "prefix of it, its transcript's path, an "
				   "agent's id, or @, @-1, @/title/");
	}
	return r;
}

/* --- changes --- */

static bool is_settled_in_file(const struct ccfc_change *change)
{
	return change->settled && change->file;
}

uint32_t ccfc_query_change_id(const struct ccfc_index *index,
			      struct ccfc_slice id)
{
	uint32_t change = ccfc_index_find_change(index, id);

	if (change == CCFC_ID_NONE ||
	    !is_settled_in_file(&index->changes.items[change]))
		return CCFC_ID_NONE;
	return change;
}

/* The id of the call in a change's id, or in a prefix of one: up to the '#'. */
static struct ccfc_slice call_id_of(struct ccfc_slice id)
{
	const char *mark = id.len ? memchr(id.ptr, '#', id.len) : NULL;

	return ccfc_slice(id.ptr, mark ? (size_t)(mark - id.ptr) : id.len);
}

static struct ccfc_slice skip_bytes(struct ccfc_slice s, size_t n)
{
	return ccfc_slice(s.ptr + n, s.len - n);
}

/* "uZ4LCvVh#c1" is short for "toolu_01uZ4LCvVhQy…#c126…". */
static bool is_short_for(struct ccfc_slice ref, struct ccfc_slice id)
{
	struct ccfc_slice short_call = call_id_of(ref), call = call_id_of(id);

	return (starts_with(call, short_call) ||
		starts_with(ccfc_slice_change_tail(call), short_call)) &&
	       starts_with(skip_bytes(id, call.len),
			   skip_bytes(ref, short_call.len));
}

/* Is a change of that call among those that will be shown? */
static bool has_call(const struct found *found, struct ccfc_slice call)
{
	for (uint32_t i = 0; i < found->n && i < CANDIDATES_SHOWN; i++)
		if (ccfc_slice_eq(call_id_of(found->names[i]), call))
			return true;
	return false;
}

/* The further files of a call are no candidates of their own. */
static int change_by_prefix(uint32_t *out, const struct ccfc_index *index,
			    struct ccfc_slice ref, bool whole_call,
			    struct ccfc_err *err)
{
	bool has_part = call_id_of(ref).len < ref.len;
	struct found found = { .n = 0 };

	for (uint32_t i = 0; i < index->changes.n; i++) {
		const struct ccfc_change *c = &index->changes.items[i];
		struct ccfc_slice id = ccfc_slice(c->id, c->id_len);

		if (!is_settled_in_file(c) || !is_short_for(ref, id) ||
		    (c->part && !has_part))
			continue;
		if (!whole_call || has_part ||
		    !has_call(&found, call_id_of(id)))
			add_found(&found, i, id);
	}
	return pick_found(out, &found, "change", ref, err);
}

static int find_change(uint32_t *out, const struct ccfc_index *index,
		       struct ccfc_slice ref, bool whole_call,
		       struct ccfc_err *err)
{
	int r = CCFC_ENOTFOUND;

	if (!ref.len)
		return ccfc_err_set(err, CCFC_EINVAL, "change: is empty");
	*out = ccfc_query_change_id(index, ref);
	if (*out != CCFC_ID_NONE)
		return 0;
	if (call_id_of(ref).len >= CHANGE_PREFIX_MIN)
		r = change_by_prefix(out, index, ref, whole_call, err);
	if (r == CCFC_ENOTFOUND) {
		ccfc_err_set(err, r, "change %.*s: nothing found",
			     shown_length(ref), ref.ptr);
		ccfc_err_hint(err,
			      "a change is named by its id (toolu_…), or a "
			      "unique prefix of it, also without toolu_01, of "
			      "at least %d characters",
			      CHANGE_PREFIX_MIN);
	}
	return r;
}

int ccfc_query_change(uint32_t *out, const struct ccfc_index *index,
		      struct ccfc_slice ref, struct ccfc_err *err)
{
	return find_change(out, index, ref, false, err);
}

int ccfc_query_call(uint32_t *out, const struct ccfc_index *index,
		    struct ccfc_slice ref, struct ccfc_err *err)
{
	return find_change(out, index, ref, true, err);
}

/* The command with that id, or the only one with that prefix. */
static uint32_t find_command(const struct ccfc_index *index,
			     struct ccfc_slice ref)
{
	uint32_t found = ccfc_index_find_change(index, ref), n = 0;

	if (found != CCFC_ID_NONE)
		return ccfc_index_is_command(&index->changes.items[found])
			       ? found
			       : CCFC_ID_NONE;
	for (uint32_t i = 0;
	     ref.len >= CHANGE_PREFIX_MIN && i < index->changes.n; i++) {
		const struct ccfc_change *c = &index->changes.items[i];

		if (ccfc_index_is_command(c) &&
		    is_short_for(ref, ccfc_slice(c->id, c->id_len))) {
			found = i;
			n++;
		}
	}
	return n == 1 ? found : CCFC_ID_NONE;
}

bool ccfc_query_inferred(uint32_t *command, uint32_t *file,
			 const struct ccfc_index *index, struct ccfc_slice id)
{
	struct ccfc_slice call = call_id_of(id);
	struct ccfc_buf name = CCFC_BUF_INIT;
	bool found = false;

	if (call.len == id.len)
		return false;
	*command = find_command(index, call);
	if (*command == CCFC_ID_NONE)
		return false;
	for (*file = 1; !found && *file < index->files.n; (*file)++) {
		const struct ccfc_change *c = &index->changes.items[*command];

		ccfc_buf_clear(&name);
		ccfc_index_shell_id(&name, c,
				    ccfc_index_file_path(index, *file));
		found = ccfc_slice_eq(
			skip_bytes(ccfc_buf_view(&name), c->id_len),
			skip_bytes(id, call.len));
	}
	*file -= found;
	ccfc_buf_release(&name);
	return found;
}
