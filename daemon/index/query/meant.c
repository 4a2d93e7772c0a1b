/*
 * Words for sessions and projects; see query.h. People name what they mean by
 * its place in time ("@" is the latest session here) or by a part of its name.
 * "Here" is a directory of the caller; the project that is meant is found from
 * it by what the index knows.
 */
#include "index/query/query.h"

#include "base/alloc.h"
#include "base/path.h"
#include "index/index_internal.h"
#include "index/query/totals.h"

#include <stdlib.h>

#define BACK_MAX 1000000u

/* --- the current project --- */

struct ccfc_slice ccfc_query_project_here(const struct ccfc_index *index,
					  struct ccfc_slice here)
{
	struct ccfc_slice best = CCFC_SLICE_NONE;

	for (uint32_t s = 1; s < index->sessions.n; s++) {
		const struct ccfc_session *session = &index->sessions.items[s];
		struct ccfc_slice project =
			ccfc_index_str(index, session->project);

		if (!session->seen || !project.len)
			continue;
		if (ccfc_path_is_below(project, here))
			return here;
		if (project.len > best.len && ccfc_path_is_below(here, project))
			best = project;
	}
	return best;
}

int ccfc_query_project_named(struct ccfc_slice *out,
			     const struct ccfc_index *index,
			     struct ccfc_slice name, struct ccfc_err *err)
{
	struct ccfc_slice found = CCFC_SLICE_NONE;

	for (uint32_t s = 1; s < index->sessions.n; s++) {
		const struct ccfc_session *session = &index->sessions.items[s];
		struct ccfc_slice project =
			ccfc_index_str(index, session->project);

		if (!session->seen ||
		    !ccfc_slice_eq(ccfc_path_basename(project), name) ||
		    ccfc_slice_eq(project, found))
			continue;
		if (found.len) {
			ccfc_err_set(err, CCFC_EAMBIGUOUS,
				     "project %.*s: several have that name",
				     (int)name.len, name.ptr);
			ccfc_err_hint(err, "give the path: %.*s or %.*s",
				      (int)found.len, found.ptr,
				      (int)project.len, project.ptr);
			return CCFC_EAMBIGUOUS;
		}
		found = project;
	}
	*out = found;
	if (found.len)
		return 0;
	return ccfc_err_set(err, CCFC_ENOTFOUND,
			    "project %.*s: no session worked in a directory of "
			    "that name",
			    (int)name.len, name.ptr);
}

/* --- files --- */

/* Is `name` the last of the path, from a slash on? */
static bool ends_with_name(struct ccfc_slice path, struct ccfc_slice name)
{
	return path.len > name.len &&
	       path.ptr[path.len - name.len - 1] == '/' &&
	       !memcmp(path.ptr + path.len - name.len, name.ptr, name.len);
}

uint32_t ccfc_query_files_named(uint32_t *files, uint32_t max,
				const struct ccfc_index *index,
				struct ccfc_slice project,
				struct ccfc_slice name)
{
	uint32_t n = 0;

	for (uint32_t f = 1; name.len && f < index->files.n; f++) {
		struct ccfc_slice path = ccfc_index_file_path(index, f);

		if (!index->files.items[f].n || !ends_with_name(path, name) ||
		    (project.len && !ccfc_path_is_below(path, project)))
			continue;
		if (n < max)
			files[n] = f;
		n++;
	}
	return n;
}

/* --- sessions --- */

/* "@", "@-2" or "@/title/", optionally followed by ":/directory". */
struct word {
	struct ccfc_slice title; /* empty: any */
	struct ccfc_slice here;	 /* empty: none */
	struct ccfc_slice project;
	uint32_t back;
};

static struct ccfc_slice slice_from(struct ccfc_slice s, size_t at)
{
	return ccfc_slice(s.ptr + at, s.len - at);
}

/* Up to ":/", which begins the directory. */
static size_t end_of_word(struct ccfc_slice ref, size_t at)
{
	for (; at + 1 < ref.len; at++)
		if (ref.ptr[at] == ':' && ref.ptr[at + 1] == '/')
			return at;
	return ref.len;
}

static bool parse_back_count(uint32_t *back, struct ccfc_slice digits)
{
	*back = 0;
	for (size_t i = 0; i < digits.len; i++) {
		if (digits.ptr[i] < '0' || digits.ptr[i] > '9' ||
		    *back > BACK_MAX)
			return false;
		*back = *back * 10 + (uint32_t)(digits.ptr[i] - '0');
	}
	return digits.len;
}

static bool read_meant_word(struct word *w, const struct ccfc_index *index,
			    struct ccfc_slice ref)
{
	size_t end = end_of_word(ref, 1);
	struct ccfc_slice word = ccfc_slice(ref.ptr + 1, end - 1);

	*w = (struct word){ .back = 0 };
	if (end < ref.len) {
		w->here = slice_from(ref, end + 1);
		w->project = ccfc_query_project_here(index, w->here);
	}
	if (!word.len)
		return true;
	if (word.ptr[0] == '-')
		return parse_back_count(&w->back, slice_from(word, 1));
	if (word.ptr[0] != '/')
		return false;
	w->title = slice_from(word, 1);
	if (w->title.len && w->title.ptr[w->title.len - 1] == '/')
		w->title.len--;
	return w->title.len;
}

static char lower_case(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool has_part(struct ccfc_slice text, struct ccfc_slice part)
{
	for (size_t i = 0; i + part.len <= text.len; i++) {
		size_t k = 0;

		while (k < part.len &&
		       lower_case(text.ptr[i + k]) == lower_case(part.ptr[k]))
			k++;
		if (k == part.len)
			return true;
	}
	return false;
}

static bool is_session_meant(const struct ccfc_index *index,
			     const struct word *w, uint32_t session)
{
	const struct ccfc_session *s = &index->sessions.items[session];
	const struct ccfc_filter here = { .project = w->project };
	struct ccfc_slice title = CCFC_SLICE_NONE;

	if (!s->seen || !ccfc_filter_accepts_session(index, &here, session))
		return false;
	if (!w->title.len)
		return true;
	ccfc_tally_title(&title, index, session);
	return has_part(title, w->title);
}

/* The latest first; of the same moment as session.list has them. */
struct row {
	int64_t end;
	struct ccfc_slice id;
	uint32_t session;
};

static int compare_words(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return ccfc_slice_cmp(x->id, y->id);
}

static void sort_latest(struct ccfc_ids *ids, const struct ccfc_index *index)
{
	struct row *rows = ccfc_calloc(ids->n + (size_t)1, sizeof(*rows));

	for (uint32_t i = 0; i < ids->n; i++)
		rows[i] = (struct row){
			index->sessions.items[ids->items[i]].end,
			ccfc_index_session_id(index, ids->items[i]),
			ids->items[i],
		};
	qsort(rows, ids->n, sizeof(*rows), compare_words);
	for (uint32_t i = 0; i < ids->n; i++)
		ids->items[i] = rows[i].session;
	free(rows);
}

static int no_session(struct ccfc_slice word, const struct word *w,
		      uint32_t known, struct ccfc_err *err)
{
	int n = (int)(word.len < 100 ? word.len : 100);

	if (w->here.len && !w->project.len) {
		ccfc_err_set(err, CCFC_ENOTFOUND,
			     "session %.*s: no session worked in %.*s", n,
			     word.ptr, (int)w->here.len, w->here.ptr);
		ccfc_err_hint(err, "ccfc sessions --all lists all sessions");
	} else if (w->title.len) {
		ccfc_err_set(err, CCFC_ENOTFOUND,
			     "session %.*s: no title has that text", n,
			     word.ptr);
	} else {
		ccfc_err_set(err, CCFC_ENOTFOUND,
			     "session %.*s: there are only %u sessions", n,
			     word.ptr, known);
	}
	return CCFC_ENOTFOUND;
}

static void add_meant_sessions(struct ccfc_ids *out,
			       const struct ccfc_index *index,
			       const struct word *w)
{
	if (w->here.len && !w->project.len)
		return;
	for (uint32_t s = 1; s < index->sessions.n; s++)
		if (is_session_meant(index, w, s))
			CCFC_VEC_PUSH(*out, s);
	sort_latest(out, index);
}

bool ccfc_query_is_word(struct ccfc_slice ref)
{
	return ref.len && ref.ptr[0] == '@';
}

void ccfc_query_word_means(struct ccfc_ids *out, const struct ccfc_index *index,
			   struct ccfc_slice ref)
{
	struct word w;

	if (!read_meant_word(&w, index, ref))
		return;
	add_meant_sessions(out, index, &w);
	if (w.title.len)
		return;
	if (w.back < out->n)
		out->items[0] = out->items[w.back];
	out->n = w.back < out->n;
}

static int no_word(struct ccfc_slice word, struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EINVAL, "session %.*s: not a word for a session",
		     (int)(word.len < 100 ? word.len : 100), word.ptr);
	ccfc_err_hint(err, "@ is the latest session, @-1 the one before it, "
			   "@/text/ a session with that in its title");
	return CCFC_EINVAL;
}

int ccfc_query_word(uint32_t *out, const struct ccfc_index *index,
		    struct ccfc_slice ref, struct ccfc_err *err)
{
	struct ccfc_slice word = ccfc_slice(ref.ptr, end_of_word(ref, 1));
	struct ccfc_ids ids = { 0 };
	struct word w;
	int r = 0;

	if (!read_meant_word(&w, index, ref))
		return no_word(word, err);
	add_meant_sessions(&ids, index, &w);
	if (w.title.len && ids.n > 1)
		r = ccfc_query_ambiguous(index, &ids, word,
					 "have that in their title", err);
	else if (w.back >= ids.n)
		r = no_session(word, &w, ids.n, err);
	else
		*out = ids.items[w.back];
	free(ids.items);
	return r;
}
