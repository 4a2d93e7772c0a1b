/*
 * Which source a path leads to.
 *
 * A file with several names is one source: symbolic links, hard links, a linked
 * project, a root that is reached twice. Names are compared by the device and
 * inode that they lead to now, links followed. One name is the source's path,
 * the others are further names (index/names.c). The choice does not depend on
 * the order of checks: a name without links before one with a link, then the
 * lesser path.
 *
 * A name that leads elsewhere now (removed, a link that was pointed to another
 * file, a hard link that was replaced) is removed from its source, which keeps
 * the names that still lead to its file. The file at the name now is checked
 * like a new one: a further name of another source; or a source that was moved,
 * if its bytes match that source's marker and its own path no longer leads to
 * the file; or a new one.
 *
 * A path belongs to one source: a replaced file is read again under the same
 * source (ingest.c). If two sources turn out to be one file, the one with the
 * better path stays, and the other is gone.
 */
#include "ingest/ingest_impl.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "os/log.h"
#include "source/tree.h"

#include <errno.h>
#include <string.h>

/* One check of a path. */
struct look {
	struct ccfc_ingest *in;
	const char *path;
	const struct ccfc_name *name;
	struct stat st;
	uint32_t except; /* a source to ignore */
	bool hot;
};

static bool leads_to(const char *path, uint64_t dev, uint64_t ino)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_dev == dev && (uint64_t)st.st_ino == ino;
}

static bool is_same_inode(const char *path, const struct look *look)
{
	return leads_to(path, (uint64_t)look->st.st_dev,
			(uint64_t)look->st.st_ino);
}

/* Is the checked file the one that the source had last? */
static bool is_its_file(const struct look *look, uint32_t source)
{
	const struct ccfc_ingest_note *note =
		ccfc_ingest_note_of(look->in, source);

	return note->dev == (uint64_t)look->st.st_dev &&
	       note->ino == (uint64_t)look->st.st_ino;
}

/* --- which name is the better one --- */

static bool is_same_name(const struct ccfc_name *a, const struct ccfc_name *b)
{
	return a->kind == b->kind && ccfc_slice_eq(a->session, b->session) &&
	       ccfc_slice_eq(a->agent, b->agent);
}

/* Makes another name of the source its path. */
static void rename_source(struct ccfc_ingest *in, uint32_t source,
			  struct ccfc_slice path, const struct ccfc_name *name)
{
	struct ccfc_name was = ccfc_ingest_name(in, source);
	const char *old = ccfc_ingest_path(in, source);

	ccfc_log(CCFC_LOG_DEBUG, "%s: is now named %s", old, path.ptr);
	ccfc_index_alias_drop(in->index, path);
	ccfc_index_source_move(in->index, source, path, name);
	ccfc_ingest_moved(in, source, old);
	/* Lines without a session id belong to the session of the name. */
	if (!is_same_name(&was, name))
		ccfc_index_source_reset(in->index, source);
}

static void queue_path(struct ccfc_ingest *in, const char *path,
		       const struct ccfc_name *name)
{
	struct ccfc_ingest_again again = { path, *name };

	CCFC_VEC_PUSH(in->again, again);
}

/* The best of the source's other names that lead to its file, or NULL. */
static const struct ccfc_alias *best_alias(struct ccfc_ingest *in,
					   uint32_t source, const char *than)
{
	struct ccfc_ingest_note note = *ccfc_ingest_note_of(in, source);
	const struct ccfc_alias *alias, *best = NULL;
	uint32_t at = 0;

	while ((alias = ccfc_index_alias_next(in->index, source, &at))) {
		struct ccfc_slice path = ccfc_index_str(in->index, alias->path);

		if ((than && !ccfc_tree_is_better(path.ptr, than)) ||
		    !leads_to(path.ptr, note.dev, note.ino) ||
		    ccfc_index_source_find(in->index, path) != CCFC_ID_NONE)
			continue;
		best = alias;
		than = path.ptr;
	}
	return best;
}

/*
 * Makes the best name that leads to the source's file its path. False if no
 * name does.
 */
static bool choose_path(struct ccfc_ingest *in, uint32_t source)
{
	struct ccfc_ingest_note note = *ccfc_ingest_note_of(in, source);
	const char *old = ccfc_ingest_path(in, source);
	bool leads = leads_to(old, note.dev, note.ino);
	const struct ccfc_alias *best;
	struct ccfc_name was, name;

	best = best_alias(in, source, leads ? old : NULL);
	if (!best)
		return leads;
	was = ccfc_ingest_name(in, source);
	name = ccfc_index_alias_name(in->index, best);
	rename_source(in, source, ccfc_index_str(in->index, best->path), &name);
	if (leads)
		ccfc_index_alias_put(in->index, source, ccfc_slice_str(old),
				     &was);
	else
		queue_path(in, old, &was);
	return true;
}

/* --- finding the source of a file --- */

/* Does the path of this source lead to the file too? */
static bool is_also_source(const void *ctx, uint32_t source, const void *key)
{
	const struct look *look = key;

	(void)ctx;
	return source != look->except && !ccfc_ingest_lost(look->in, source) &&
	       is_same_inode(ccfc_ingest_path(look->in, source), look);
}

/* Was this source's file moved to the checked path? */
static bool was_source(const void *ctx, uint32_t source, const void *key)
{
	const struct look *look = key;
	struct ccfc_ingest *in = look->in;
	struct ccfc_cursor cursor = ccfc_ingest_at(in, source)->cursor;

	(void)ctx;
	if (cursor.ino != (uint64_t)look->st.st_ino ||
	    cursor.dev != (uint64_t)look->st.st_dev || !cursor.offset ||
	    is_same_inode(ccfc_ingest_path(in, source), look))
		return false;
	if (ccfc_tail_open(in->tail, look->path, &cursor, NULL) !=
	    CCFC_TAIL_OPEN)
		return false;
	ccfc_tail_close(in->tail, &cursor);
	return true;
}

static uint32_t find_by_file(const struct look *look, ccfc_map_eq_fn eq)
{
	uint64_t file[2] = { (uint64_t)look->st.st_dev,
			     (uint64_t)look->st.st_ino };

	return ccfc_map_get(&look->in->by_ino, ccfc_hash(file, sizeof(file)),
			    eq, NULL, look);
}

/* Adds the source of a file whose path no source has. */
static uint32_t new_source(const struct look *look)
{
	struct ccfc_ingest *in = look->in;
	struct ccfc_slice path = ccfc_slice_str(look->path);
	uint32_t id = find_by_file(look, was_source);
	struct ccfc_name was;
	const char *old;

	if (id == CCFC_ID_NONE)
		return ccfc_index_source(in->index, path, look->name);
	was = ccfc_ingest_name(in, id);
	old = ccfc_ingest_path(in, id);
	ccfc_log(CCFC_LOG_DEBUG, "%s: was %s", look->path, old);
	ccfc_index_source_move(in->index, id, path, look->name);
	ccfc_ingest_moved(in, id, old);
	/*
	 * Another file may have its old path now, which must be checked again.
	 */
	queue_path(in, old, &was);
	return id;
}

/* Gives all names of a source to another one. */
static void give_name_to(struct ccfc_ingest *in, uint32_t from, uint32_t to)
{
	struct ccfc_slice path = ccfc_slice_str(ccfc_ingest_path(in, from));
	struct ccfc_name name = ccfc_ingest_name(in, from);
	const struct ccfc_alias *alias;
	uint32_t at = 0;

	ccfc_index_alias_put(in->index, to, path, &name);
	while ((alias = ccfc_index_alias_next(in->index, from, &at))) {
		name = ccfc_index_alias_name(in->index, alias);
		ccfc_index_alias_put(in->index, to,
				     ccfc_index_str(in->index, alias->path),
				     &name);
	}
}

/* Two sources are one file: returns the one that stays. */
static uint32_t merge_sources(const struct look *look, uint32_t a, uint32_t b)
{
	struct ccfc_ingest *in = look->in;
	bool first = ccfc_tree_is_better(ccfc_ingest_path(in, a),
					 ccfc_ingest_path(in, b));
	uint32_t stays = first ? a : b, goes = first ? b : a;

	ccfc_log(CCFC_LOG_INFO, "%s: is %s by another name",
		 ccfc_ingest_path(in, goes), ccfc_ingest_path(in, stays));
	give_name_to(in, goes, stays);
	/* Lines read by both sources were counted twice. */
	if (is_its_file(look, goes) && is_its_file(look, stays) &&
	    ccfc_ingest_at(in, stays)->cursor.offset >=
		    ccfc_ingest_at(in, goes)->cursor.offset)
		ccfc_index_source_reset(in->index, goes);
	ccfc_index_source_gone(in->index, goes, true);
	return stays;
}

/* --- one look --- */

static void update_found_source(const struct look *look, uint32_t source)
{
	struct ccfc_ingest *in = look->in;
	uint64_t size = (uint64_t)look->st.st_size;
	uint64_t done = ccfc_ingest_at(in, source)->cursor.offset;

	ccfc_ingest_note_file(in, source, (uint64_t)look->st.st_dev,
			      (uint64_t)look->st.st_ino);
	/* The source is not read by this name; only the name had failed. */
	if (strcmp(look->path, ccfc_ingest_path(in, source)) != 0)
		ccfc_ingest_fine(in, look->path);
	/* Only a scan finds what exists; an event may be a deletion. */
	if (!look->hot)
		*ccfc_ingest_mark(in, source) |= CCFC_MARK_FOUND;
	ccfc_ingest_push(in, source, (int64_t)look->st.st_mtime,
			 size > done ? size - done : 0, look->hot);
}

/* The path was another name of a source: is it still one? */
static bool is_still_alias(const struct look *look, uint32_t source)
{
	struct ccfc_ingest *in = look->in;
	struct ccfc_slice path = ccfc_slice_str(look->path);

	if (is_same_inode(ccfc_ingest_path(in, source), look))
		return true;
	if (is_its_file(look, source) && choose_path(in, source))
		return true;
	ccfc_index_alias_drop(in->index, path);
	ccfc_ingest_push(in, source, 0, 0, look->hot);
	return false;
}

static void there_is(struct look *look)
{
	struct ccfc_ingest *in = look->in;
	struct ccfc_slice path = ccfc_slice_str(look->path);
	uint32_t id = ccfc_index_alias_find(in->index, path), other;

	if (id != CCFC_ID_NONE && is_still_alias(look, id)) {
		update_found_source(look, id);
		return;
	}
	id = ccfc_index_source_find(in->index, path);
	if (id != CCFC_ID_NONE && !is_its_file(look, id) &&
	    ccfc_ingest_at(in, id)->aliases && choose_path(in, id)) {
		/* The source stays; checks the path again, as a new one. */
		ccfc_ingest_push(in, id, 0, 0, look->hot);
		return;
	}
	look->except = id;
	other = find_by_file(look, is_also_source);
	if (other == CCFC_ID_NONE) {
		id = id == CCFC_ID_NONE ? new_source(look) : id;
	} else if (id == CCFC_ID_NONE) {
		id = other;
		ccfc_index_alias_put(in->index, id, path, look->name);
	} else {
		id = merge_sources(look, id, other);
	}
	update_found_source(look, id);
	if (ccfc_ingest_at(in, id)->aliases)
		choose_path(in, id);
}

/* Checks lost sources whose paths are other sources' names. */
static void return_names(struct ccfc_ingest *in, uint32_t source)
{
	const struct ccfc_alias *alias;
	uint32_t at = 0;

	while ((alias = ccfc_index_alias_next(in->index, source, &at))) {
		struct ccfc_slice path = ccfc_index_str(in->index, alias->path);
		struct ccfc_name name = ccfc_index_alias_name(in->index, alias);

		ccfc_index_alias_drop(in->index, path);
		queue_path(in, path.ptr, &name);
	}
}

static void there_is_none(const struct look *look)
{
	struct ccfc_ingest *in = look->in;
	struct ccfc_slice path = ccfc_slice_str(look->path);
	uint32_t id = ccfc_index_alias_find(in->index, path);

	ccfc_ingest_fine(in, look->path);
	if (id != CCFC_ID_NONE) {
		ccfc_index_alias_drop(in->index, path);
		ccfc_ingest_push(in, id, 0, 0, look->hot);
		return;
	}
	id = ccfc_index_source_find(in->index, path);
	if (id == CCFC_ID_NONE)
		return;
	if (ccfc_ingest_at(in, id)->aliases && !choose_path(in, id))
		return_names(in, id);
	if (!look->hot)
		ccfc_ingest_note_of(in, id)->mark |= CCFC_MARK_FOUND;
	ccfc_ingest_push(in, id, 0, 0, look->hot);
}

static void check_found_path(struct look *look)
{
	struct ccfc_ingest *in = look->in;
	uint32_t id;

	if (ccfc_forgotten_session(in->forgotten, look->name->session) ||
	    ccfc_forgotten_source(in->forgotten, ccfc_slice_str(look->path)))
		return;
	id = ccfc_index_source_named(in->index, ccfc_slice_str(look->path));
	if (id == CCFC_ID_NONE &&
	    ccfc_excluded_transcript(in->excluded, look->path))
		return;
	if (!stat(look->path, &look->st)) {
		if (S_ISREG(look->st.st_mode))
			there_is(look);
		else
			there_is_none(look);
		return;
	}
	if (ccfc_tail_means_gone(errno)) {
		there_is_none(look);
		return;
	}
	/* Opening it fails with the reason, or it is tried again. */
	id = ccfc_index_source_named(in->index, ccfc_slice_str(look->path));
	if (id == CCFC_ID_NONE) {
		ccfc_ingest_failed(in, look->path, look->name, strerror(errno));
		return;
	}
	ccfc_ingest_note_of(in, id)->mark |= look->hot ? 0 : CCFC_MARK_FOUND;
	ccfc_ingest_push(in, id, 0, 0, look->hot);
}

void ccfc_ingest_look(struct ccfc_ingest *in, const char *path,
		      const struct ccfc_name *name, bool hot)
{
	struct look look = { .in = in, .path = path, .name = name, .hot = hot };

	check_found_path(&look);
	/* Each check takes a name from a source, so the loop ends. */
	while (in->again.n) {
		struct ccfc_ingest_again again = in->again.items[--in->again.n];

		look = (struct look){ .in = in,
				      .path = again.path,
				      .name = &again.name,
				      .hot = hot };
		check_found_path(&look);
	}
}

void ccfc_ingest_on_look(void *ingest, const char *path,
			 const struct ccfc_name *name)
{
	struct ccfc_ingest *in = ingest;

	ccfc_ingest_look(in, path, name, !in->scanning);
}
