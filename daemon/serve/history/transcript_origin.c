/*
 * Where a session comes from; see transcript_origin.h.
 *
 * A transcript is somebody else's if another user owns it, or may write to it
 * or to a directory that it is in. It was copied from elsewhere if its folder
 * is not named after one of the session's directories, as the client names
 * folders. This finds copies, not forgeries: whoever can write there can also
 * choose the folder's name.
 */
#include "serve/history/transcript_origin.h"

#include "base/alloc.h"
#include "base/path.h"
#include "os/file_owner.h"
#include "serve/rpc/reply.h"

#include <stdlib.h>

#define GONE   "its transcript is gone, so its owner is not known"
#define COPIED "its transcript lies in the folder of another project"

/* The client cuts longer names and appends a hash. */
#define CUT_MIN	 150u
#define HASH_MAX 8u

static const char fine[] = "";
static const char gone[] = GONE;

void ccfc_origins_init(struct ccfc_origins *o, struct ccfc_request *rq)
{
	size_t n = rq->index->sessions.n;

	*o = (struct ccfc_origins){ .rq = rq };
	o->found = ccfc_arena_alloc(rq->arena, (n + 1) * sizeof(*o->found));
	memset(o->found, 0, (n + 1) * sizeof(*o->found));
}

/* ---- ownership of files ---- */

/* The problem with the owner; NULL: none. */
static const char *owner_text(enum ccfc_owner owner)
{
	switch (owner) {
	case CCFC_OWNER_FINE:
		return NULL;
	case CCFC_OWNER_OTHER:
		return "its transcript or its folder belongs to another user";
	case CCFC_OWNER_EVERYBODY:
		return "its transcript or its folder can be written by "
		       "everybody";
	case CCFC_OWNER_GROUP:
		return "its transcript or its folder can be written by a "
		       "group that is not yours";
	default:
		return "its transcript cannot be checked";
	}
}

/* The Claude directory that the path is below, or NULL. */
static const char *claude_root_of(const struct ccfc_origins *o,
				  struct ccfc_slice path)
{
	const struct ccfc_history_env *env = ccfc_history_env(o->rq->history);

	for (size_t i = 0; i < env->nroots; i++)
		if (ccfc_path_is_below(path, ccfc_slice_str(env->roots[i])))
			return env->roots[i];
	return NULL;
}

/* As it is, or as it was when it was archived. */
static const char *check_transcript_owner(const struct ccfc_origins *o,
					  const struct ccfc_source *source)
{
	struct ccfc_slice path = ccfc_index_str(o->rq->index, source->path);

	if (source->gone)
		return owner_text((enum ccfc_owner)source->kept_owner);
	return owner_text(ccfc_owner_look(path.ptr, claude_root_of(o, path)));
}

/* ---- the folder of a transcript ---- */

static bool is_plain_folder_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

/* A directory as the client names its folder: a '-' a UTF-16 unit. */
static void put_folder(struct ccfc_buf *out, struct ccfc_slice dir)
{
	for (size_t i = 0; i < dir.len; i++) {
		unsigned char c = (unsigned char)dir.ptr[i];

		if ((c & 0xc0) == 0x80)
			continue; /* not the first byte of a character */
		ccfc_buf_putc(out,
			      is_plain_folder_char((char)c) ? (char)c : '-');
		if (c >= 0xf0)
			ccfc_buf_putc(out, '-');
	}
}

static bool is_folder_of(struct ccfc_slice folder, struct ccfc_slice dir)
{
	struct ccfc_buf name = CCFC_BUF_INIT;
	size_t hash = 0;
	bool yes;

	put_folder(&name, dir);
	yes = ccfc_slice_eq(ccfc_buf_view(&name), folder);
	while (hash < folder.len &&
	       is_plain_folder_char(folder.ptr[folder.len - 1 - hash]))
		hash++;
	if (!yes && hash <= HASH_MAX && folder.len > CUT_MIN + hash + 1) {
		folder.len -= hash + 1;
		yes = name.len > folder.len &&
		      !memcmp(name.ptr, folder.ptr, folder.len);
	}
	ccfc_buf_release(&name);
	return yes;
}

/* The same of a path of another machine's root: it was imported. */
static struct ccfc_slice path_below_foreign_root(struct ccfc_slice path)
{
	static const char projects[] = "/projects/";
	size_t len = strlen(projects);

	for (size_t at = path.len; at-- > 0;)
		if (path.len - at >= len &&
		    !memcmp(path.ptr + at, projects, len))
			return ccfc_slice_from(path, at + 1);
	return CCFC_SLICE_NONE;
}

/* The folder below projects/ that a transcript lies in; NONE: in none. */
static struct ccfc_slice transcript_folder(const struct ccfc_origins *o,
					   struct ccfc_slice path)
{
	static const char projects[] = "projects/";
	const char *root = claude_root_of(o, path);
	const char *end;

	path = root ? ccfc_path_relative(path, ccfc_slice_str(root))
		    : path_below_foreign_root(path);
	if (!ccfc_slice_starts(path, projects))
		return CCFC_SLICE_NONE;
	path = ccfc_slice(path.ptr + strlen(projects),
			  path.len - strlen(projects));
	end = memchr(path.ptr, '/', path.len);
	return end ? ccfc_slice(path.ptr, (size_t)(end - path.ptr))
		   : CCFC_SLICE_NONE;
}

/* Is it the folder of one of the session's directories, or what that is? */
static bool is_in_expected_folder(const struct ccfc_origins *o,
				  const struct ccfc_session *s,
				  struct ccfc_slice path)
{
	struct ccfc_slice folder = transcript_folder(o, path);
	bool yes = false;

	for (uint32_t i = 0; folder.len && !yes && i < s->roots.n; i++) {
		struct ccfc_slice dir =
			ccfc_index_str(o->rq->index, s->roots.items[i]);
		char *real;

		yes = is_folder_of(folder, dir);
		real = yes ? NULL : realpath(dir.ptr, NULL);
		if (real)
			yes = is_folder_of(folder, ccfc_slice_str(real));
		free(real);
	}
	return yes;
}

/* ---- sessions ---- */

/*
 * Each transcript of the session must be the user's and in the expected folder:
 * a copy may add anything to a session.
 */
static const char *check_session(const struct ccfc_origins *o, uint32_t session)
{
	const struct ccfc_index *index = o->rq->index;
	const struct ccfc_session *s = &index->sessions.items[session];
	const char *why = NULL;
	bool present = false, well = true;

	for (uint32_t i = 0; !why && i < s->sources.n; i++) {
		const struct ccfc_source *source =
			&index->sources.items[s->sources.items[i]];
		struct ccfc_slice path = ccfc_index_str(index, source->path);

		if (ccfc_source_where(source) == CCFC_WHERE_GONE)
			continue;
		present = true;
		well = well && is_in_expected_folder(o, s, path);
		why = check_transcript_owner(o, source);
	}
	if (!present)
		return gone;
	return why ? why : well ? fine : COPIED;
}

static const char *cached_session_problem(struct ccfc_origins *o,
					  uint32_t session)
{
	if (!o->found[session])
		o->found[session] = check_session(o, session);
	return o->found[session];
}

void ccfc_reply_origin(struct ccfc_origins *o, uint32_t session)
{
	const struct ccfc_index *index = o->rq->index;
	struct ccfc_pack *p = o->rq->pack;
	const char *why = cached_session_problem(o, session);

	ccfc_pack_cstr(p, "origin");
	ccfc_pack_map(p);
	ccfc_reply_ids(p, "directories", index,
		       &index->sessions.items[session].roots, true);
	ccfc_pack_cstr(p, "own");
	if (why == gone)
		ccfc_pack_nil(p);
	else
		ccfc_pack_bool(p, why == fine);
	ccfc_reply_str(p, "why", ccfc_slice_str(why));
	ccfc_pack_end(p);
}

/* A session that is gone has no bytes that somebody else could have written. */
static const char *foreign_session_problem(struct ccfc_origins *o,
					   uint32_t session)
{
	const char *why = session ? cached_session_problem(o, session) : fine;

	return why == gone ? fine : why;
}

void ccfc_reply_foreign(struct ccfc_origins *o, const struct ccfc_chain *chain)
{
	const char *why = fine;

	for (uint32_t i = 0; why == fine && i < ccfc_chain_len(chain); i++) {
		const struct ccfc_change *c =
			&o->rq->index->changes
				 .items[ccfc_chain_change(chain, i)];

		why = foreign_session_problem(o, c->session);
		if (why == fine)
			why = foreign_session_problem(o, c->call.session);
		if (why == fine)
			why = foreign_session_problem(o, c->result.session);
	}
	ccfc_reply_str(o->rq->pack, "foreign", ccfc_slice_str(why));
}
