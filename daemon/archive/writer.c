/*
 * Archives the new lines of a transcript, on the archive's thread. The archived
 * rest and the new bytes are cut into segments (cut.h); what is left is the new
 * rest. The manifest is written now and then, so that an interrupted long
 * transcript need not start again.
 */
#include "archive/archive_internal.h"
#include "archive/cut.h"
#include "archive/line_order.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "os/file_owner.h"
#include "os/log.h"
#include "source/input.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BLOCK  ((size_t)2 << 20)
#define COMMIT ((uint64_t)32 << 20)

struct writer {
	struct ccfc_archive *archive;
	struct ccfc_archive_job *job;
	struct ccfc_archive_manifest manifest;
	struct ccfc_archive_version *version;
	struct ccfc_buf file;	      /* path of the manifest */
	struct ccfc_buf bytes, blank; /* after the segments; without the id */
	size_t sifted;		      /* how much of `bytes` may be kept */
	struct ccfc_input in;
	struct {
		struct ccfc_blob_key *items;
		uint32_t n, cap;
	} fresh;	     /* blobs to be synced before the manifest */
	uint64_t was_bytes;  /* of the manifest file, … */
	int64_t was_written; /* … and its time */
	bool has_id;
};

static uint64_t file_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_blocks * 512;
}

/* --- where the bytes come from --- */

static bool is_staged(const struct ccfc_archive_job *job, uint64_t offset)
{
	return job->staged.len && offset >= job->staged_from &&
	       offset <= job->staged_from + job->staged.len &&
	       job->staged_from + job->staged.len >= job->end;
}

static bool matches_marker(const struct ccfc_input *in, uint64_t end,
			   uint64_t marker, uint32_t len)
{
	char bytes[CCFC_TAIL_MARKER_MAX];

	return len <= sizeof(bytes) && len <= end && end <= in->size &&
	       ccfc_input_read(in, bytes, len, end - len) == (ssize_t)len &&
	       (!len || ccfc_hash(bytes, len) == marker);
}

/* Does the file still have the archived bytes, and those that were read? */
static bool open_file(struct writer *w)
{
	const struct ccfc_archive_job *job = w->job;
	const struct ccfc_archive_version *v = w->version;

	if (ccfc_input_is_open(&w->in))
		return true;
	if (ccfc_input_open(&w->in, NULL, job->path, NULL) != CCFC_INPUT_OPEN)
		return false;
	return matches_marker(&w->in, job->end, job->marker, job->marker_len) &&
	       matches_marker(&w->in, v->end, v->marker, v->marker_len);
}

/* Appends up to a block from `offset` on; 0: nothing is available. */
static size_t fetch_block(struct writer *w, uint64_t offset)
{
	const struct ccfc_archive_job *job = w->job;
	uint64_t left = job->end - offset;
	size_t want = left < BLOCK ? (size_t)left : BLOCK;
	ssize_t n;

	if (is_staged(job, offset)) {
		ccfc_buf_append(&w->bytes,
				job->staged.ptr + (offset - job->staged_from),
				want);
		return want;
	}
	if (ccfc_archive_stopped(w->archive) || !open_file(w))
		return 0;
	if (job->staged.len && offset < job->staged_from &&
	    want > job->staged_from - offset)
		want = (size_t)(job->staged_from - offset);
	n = ccfc_input_read(&w->in, ccfc_buf_reserve(&w->bytes, want), want,
			    offset);
	if (n <= 0)
		return 0;
	w->bytes.len += (size_t)n;
	return (size_t)n;
}

/* --- segments --- */

/* `stored`: the bytes with or without the session's id. */
static int put_lines(struct ccfc_archive *archive, struct ccfc_segment *s,
		     struct ccfc_slice stored, struct ccfc_err *err)
{
	struct ccfc_buf ordered = CCFC_BUF_INIT;
	struct ccfc_blob_parts parts;
	int r;

	s->len = (uint32_t)stored.len;
	if (ccfc_lines_have_no_note(stored))
		s->flags |= CCFC_SEGMENT_NO_NOTE;
	s->runs = ccfc_order_lines(&ordered, &parts, stored);
	r = ccfc_blobs_put_parts(archive->blobs, &s->key,
				 ccfc_buf_view(&ordered), &parts, err);
	ccfc_buf_release(&ordered);
	return r;
}

int ccfc_archive_put_segment(struct ccfc_archive *archive,
			     struct ccfc_segment *s, struct ccfc_slice session,
			     struct ccfc_slice bytes, struct ccfc_err *err)
{
	struct ccfc_buf copy = CCFC_BUF_INIT;
	int r;

	s->flags = 0;
	ccfc_buf_slice(&copy, bytes);
	if (ccfc_cut_has_id(session) && !ccfc_cut_is_odd(bytes)) {
		ccfc_cut_blank(copy.ptr, copy.len, session);
		s->flags = CCFC_SEGMENT_PLAIN;
	}
	r = put_lines(archive, s, ccfc_buf_view(&copy), err);
	if (!r)
		r = ccfc_blobs_sync(archive->blobs, &s->key, 1, err);
	ccfc_buf_release(&copy);
	return r;
}

/* `blank` has the bytes without the session's id. */
static int put_segment(struct writer *w, struct ccfc_slice bytes,
		       struct ccfc_slice blank, struct ccfc_err *err)
{
	struct ccfc_segment s = { .offset = ccfc_archive_version_cut(
					  w->version) };
	bool plain = w->has_id && !ccfc_cut_is_odd(bytes);
	int r;

	s.flags = plain ? CCFC_SEGMENT_PLAIN : 0;
	r = put_lines(w->archive, &s, plain ? blank : bytes, err);
	if (r)
		return r;
	CCFC_VEC_PUSH(w->version->segments, s);
	CCFC_VEC_PUSH(w->fresh, s.key);
	return 0;
}

/* `ends`: the last line is whole. */
static void sift_new_lines(struct writer *w, bool ends)
{
	bool any = false;

	if (!w->archive->sieve)
		w->sifted = w->bytes.len;
	else
		w->sifted = ccfc_archive_sift_lines(
			w->archive->sieve, ccfc_slice_str(w->manifest.session),
			&w->bytes, w->sifted, ends, &any);
}

/* Cuts off whole segments. */
static int put_segments(struct writer *w, struct ccfc_err *err)
{
	struct ccfc_slice session = ccfc_slice_str(w->manifest.session);
	struct ccfc_slice left;
	size_t n, done = 0;
	int r = 0;

	ccfc_buf_clear(&w->blank);
	ccfc_buf_append(&w->blank, w->bytes.ptr, w->sifted);
	if (w->has_id)
		ccfc_cut_blank(w->blank.ptr, w->blank.len, session);
	left = ccfc_buf_view(&w->blank);
	while (!r && (n = ccfc_cut_next(left))) {
		r = put_segment(w, ccfc_slice(w->bytes.ptr + done, n),
				ccfc_slice(left.ptr, n), err);
		left = ccfc_slice_from(left, n);
		done += r ? 0 : n;
	}
	ccfc_buf_consume(&w->bytes, done);
	w->sifted -= done;
	return r;
}

/* --- the manifest --- */

static void set_marker(struct ccfc_archive_version *v, struct ccfc_slice before)
{
	v->marker_len = v->end < CCFC_TAIL_MARKER_MAX ? (uint32_t)v->end
						      : CCFC_TAIL_MARKER_MAX;
	/* Fewer bytes may be known: then the marker covers only these. */
	if (before.len < v->marker_len)
		v->marker_len = (uint32_t)before.len;
	v->marker = ccfc_hash(before.ptr + before.len - v->marker_len,
			      v->marker_len);
}

static void report_kept(struct writer *w)
{
	const struct ccfc_archive_version *last =
		&w->manifest.versions.items[w->manifest.versions.n - 1];
	struct ccfc_archive_kept kept = {
		.source = w->job->source,
		.first = w->manifest.versions.items[0].since,
		.since = last->since,
		.end = last->end,
		.owner = w->manifest.owner,
	};

	ccfc_archive_tell(w->archive, &kept);
}

/* The lock is held. */
static void note_age(struct writer *w)
{
	struct ccfc_archive_stats *stats = &w->archive->stats;

	if (!stats->oldest || w->manifest.written < stats->oldest)
		stats->oldest = w->manifest.written;
}

/* `last`: the bytes in front of the end, for the marker. */
static int commit_version(struct writer *w, uint64_t end,
			  struct ccfc_slice last, struct ccfc_err *err)
{
	struct ccfc_archive *a = w->archive;
	struct ccfc_archive_version *v = w->version;
	uint64_t was = v->end, now;
	int r = ccfc_blobs_sync(a->blobs, w->fresh.items, w->fresh.n, err);

	if (!r)
		r = ccfc_archive_pack_rest(v, a, ccfc_buf_view(&w->bytes), err);
	if (!r) {
		v->end = end;
		set_marker(v, last);
		r = ccfc_archive_manifest_write(&w->manifest, w->file.ptr, err);
	}
	if (r)
		return r;
	now = file_bytes(w->file.ptr);
	pthread_mutex_lock(&a->lock);
	a->stats.lines_bytes += v->end - was;
	a->stats.transcripts += !w->was_bytes;
	note_age(w);
	a->stats.bytes += now - w->was_bytes;
	pthread_mutex_unlock(&a->lock);
	w->was_bytes = now;
	w->fresh.n = 0;
	report_kept(w);
	return 0;
}

/* Starts a manifest, or continues the existing one. */
static int load_manifest(struct writer *w, struct ccfc_err *err)
{
	struct ccfc_archive_job *job = w->job;
	int r;

	ccfc_archive_manifest_name(&w->file, w->archive->sources,
				   ccfc_slice_str(job->path));
	w->was_bytes = file_bytes(w->file.ptr);
	r = ccfc_archive_manifest_read(&w->manifest, w->file.ptr, err);
	if (r == CCFC_ECORRUPT) {
		ccfc_log(CCFC_LOG_WARN, "archive: %s; it is written anew",
			 err->what);
		ccfc_archive_manifest_release(&w->manifest);
	}
	if (r && r != CCFC_ENOTFOUND && r != CCFC_ECORRUPT)
		return r;
	if (!w->manifest.path)
		w->manifest.path = ccfc_strdup(job->path);
	if (!w->manifest.session)
		w->manifest.session = ccfc_strdup(job->session);
	if (!w->manifest.agent)
		w->manifest.agent = ccfc_strdup(job->agent);
	w->manifest.is_agent = job->is_agent;
	w->has_id = ccfc_cut_has_id(ccfc_slice_str(w->manifest.session));
	return 0;
}

/* The owner of the transcript, as long as the file exists. */
static void look_owner(struct writer *w)
{
	const char *end = ccfc_archive_root_end(w->job->path);
	char *root =
		end ? ccfc_strndup(w->job->path, (size_t)(end - w->job->path))
		    : NULL;
	enum ccfc_owner owner = ccfc_owner_look(w->job->path, root);

	if (owner > CCFC_OWNER_UNKNOWN && !w->manifest.owner)
		w->manifest.owner = (uint8_t)owner;
	free(root);
}

/* When the transcript was written; if it is gone: as known, or now. */
static void look_time(struct writer *w)
{
	struct stat st;

	w->was_written = w->manifest.written;
	if (!stat(w->job->path, &st))
		w->manifest.written = (int64_t)st.st_mtim.tv_sec;
	else if (!w->was_bytes)
		w->manifest.written = (int64_t)time(NULL);
	w->job->written = w->manifest.written;
}

/* The version of the job; NULL: a later one is kept already. */
static struct ccfc_archive_version *find_version(struct writer *w)
{
	struct ccfc_archive_manifest *m = &w->manifest;
	struct ccfc_archive_version *v =
		ccfc_archive_manifest_version(m, w->job->since);

	if (v && v->since == w->job->since)
		return v;
	if (m->versions.n &&
	    m->versions.items[m->versions.n - 1].since > w->job->since)
		return NULL;
	return ccfc_archive_manifest_add(m, w->job->since);
}

/* --- a job --- */

/* Unpacks the archived rest; a damaged rest is read again from the file. */
static uint64_t open_rest(struct writer *w)
{
	struct ccfc_archive_version *v = w->version;
	uint64_t cut = ccfc_archive_version_cut(v);

	if (v->end == cut)
		return cut;
	if (ccfc_archive_unpack_rest(&w->bytes, w->archive, v)) {
		v->end = cut;
		v->marker_len = 0;
	}
	return v->end;
}

static void keep_last_bytes(struct ccfc_buf *last, const struct ccfc_buf *bytes)
{
	size_t n = bytes->len < CCFC_TAIL_MARKER_MAX ? bytes->len
						     : CCFC_TAIL_MARKER_MAX;

	ccfc_buf_clear(last);
	ccfc_buf_append(last, bytes->ptr + bytes->len - n, n);
}

/* No line is new, but a copied or restored transcript has another time. */
static void confirm_unchanged(struct writer *w)
{
	if (w->was_written != w->manifest.written) {
		ccfc_archive_manifest_touch(w->file.ptr, w->manifest.written);
		pthread_mutex_lock(&w->archive->lock);
		note_age(w);
		pthread_mutex_unlock(&w->archive->lock);
	}
	report_kept(w);
}

static int archive_new_lines(struct writer *w, struct ccfc_err *err)
{
	struct ccfc_buf last = CCFC_BUF_INIT;
	uint64_t at = open_rest(w), done = at;
	int r = 0;
	size_t n;

	w->sifted = w->bytes.len;
	while (!r && at < w->job->end && (n = fetch_block(w, at))) {
		at += n;
		/* The marker covers the file's own bytes. */
		keep_last_bytes(&last, &w->bytes);
		sift_new_lines(w, at == w->job->end);
		r = put_segments(w, err);
		if (!r && at - done >= COMMIT && w->sifted == w->bytes.len) {
			r = commit_version(w, at, ccfc_buf_view(&last), err);
			done = at;
		}
	}
	if (w->sifted < w->bytes.len) {
		at -= w->bytes.len - w->sifted;
		w->bytes.len = w->sifted;
		ccfc_buf_clear(&last);
	}
	if (!r && at > done)
		r = commit_version(w, at, ccfc_buf_view(&last), err);
	else if (!r && w->manifest.versions.n && w->was_bytes)
		confirm_unchanged(w);
	ccfc_buf_release(&last);
	return r;
}

/* The copy moves with the transcript. */
static int move_manifest(struct writer *w, struct ccfc_err *err)
{
	struct ccfc_buf from = CCFC_BUF_INIT;
	struct stat st;
	int r = 0;

	ccfc_archive_manifest_name(&from, w->archive->sources,
				   ccfc_slice_str(w->job->moved_from));
	ccfc_archive_manifest_name(&w->file, w->archive->sources,
				   ccfc_slice_str(w->job->path));
	/* The copy of another transcript that had this path stays. */
	if (stat(w->file.ptr, &st) &&
	    !ccfc_archive_manifest_read(&w->manifest, from.ptr, NULL)) {
		free(w->manifest.path);
		w->manifest.path = ccfc_strdup(w->job->path);
		r = ccfc_archive_manifest_write(&w->manifest, w->file.ptr, err);
		if (!r)
			unlink(from.ptr);
	}
	ccfc_buf_release(&from);
	return r;
}

int ccfc_archive_do(struct ccfc_archive *archive, struct ccfc_archive_job *job,
		    struct ccfc_err *err)
{
	struct writer w = { .archive = archive,
			    .job = job,
			    .in = CCFC_INPUT_NONE };
	int r;

	if (job->moved_from) {
		r = move_manifest(&w, err);
	} else {
		r = load_manifest(&w, err);
		w.version = r ? NULL : find_version(&w);
		if (w.version)
			look_time(&w);
		if (w.version)
			look_owner(&w);
		if (w.version)
			r = archive_new_lines(&w, err);
	}
	ccfc_input_close(&w.in);
	ccfc_archive_manifest_release(&w.manifest);
	ccfc_buf_release(&w.file);
	ccfc_buf_release(&w.bytes);
	ccfc_buf_release(&w.blank);
	free(w.fresh.items);
	return r;
}
