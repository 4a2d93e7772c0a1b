/*
 * Shared by the files of ingest only: ingest.c (queues, batches),
 * source_names.c (which source a path leads to), source_open.c (what happened
 * to its file), source_read.c (its lines), ingest_archive.c and
 * archived_versions.c.
 */
#ifndef CCFC_INGEST_IMPL_H
#define CCFC_INGEST_IMPL_H

#include "ingest/ingest.h"

#include "archive/archive.h"
#include "base/map.h"
#include "forget/forgotten_lines.h"

#include <sys/stat.h>

#define CCFC_MARK_HOT	1u
#define CCFC_MARK_COLD	2u
#define CCFC_MARK_FOUND 4u
#define CCFC_MARK_ANEW	8u
/* The file is gone; the source is read again from the archive. */
#define CCFC_MARK_KEPT 16u
/*
 * It is read again from its start, once it can be opened. Until then earlier
 * facts stay.
 */
#define CCFC_MARK_OVER 32u

/* Facts about a source for the life of the process. */
struct ccfc_ingest_note {
	uint64_t dev, ino; /* the file at its last check; ino 0: none */
	unsigned char mark;
};

struct ccfc_ingest_entry {
	uint32_t source;
	int64_t mtime;
};

struct ccfc_ingest_queue {
	struct ccfc_ingest_entry *items;
	uint32_t n, cap;
	uint32_t at; /* the next item */
	bool sorted;
};

struct ccfc_ingest {
	struct ccfc_index *index;
	struct ccfc_store *store;
	struct ccfc_tail *tail;
	struct ccfc_archive *archive;		/* may be NULL */
	const struct ccfc_forgotten *forgotten; /* may be NULL */
	struct ccfc_forgotten_lines *lines;	/* may be NULL */
	struct ccfc_excluded *excluded;		/* may be NULL */
	enum ccfc_archive_mode keep;
	struct ccfc_parser *parser;
	void (*on_batch)(void *ctx);
	void (*on_lines)(void *ctx); /* may be NULL */
	bool (*waits)(void *ctx);    /* may be NULL */
	void *ctx;
	uint64_t read;	  /* bytes read since the last call of `waits` */
	uint64_t slice;	  /* bytes of the next slice of the cold queue */
	bool scanning;	  /* new paths go to the cold queue */
	bool slicing;	  /* this is a slice of the cold queue */
	bool yield;	  /* `waits` returned true */
	bool old_version; /* an archived version is read, to its end */
	struct ccfc_ingest_queue hot, cold;
	struct {
		struct ccfc_ingest_note *items; /* by source */
		uint32_t n, cap;
	} notes;
	struct {
		struct ccfc_ingest_again {
			const char *path; /* strings of the index */
			struct ccfc_name name;
		} * items;
		uint32_t n, cap;
	} again; /* paths to check because of another check */
	struct ccfc_failed failed;
	struct ccfc_scan_progress progress;
	struct ccfc_map by_ino; /* sources, by the file of their notes */
	int64_t last;
	bool store_failed;
	char store_error[CCFC_ERR_WHAT_MAX];
};

/* Valid until the next source is added. */
struct ccfc_ingest_note *ccfc_ingest_note_of(struct ccfc_ingest *in,
					     uint32_t source);

/* CCFC_MARK_… of the source; as above. */
static inline unsigned char *ccfc_ingest_mark(struct ccfc_ingest *in,
					      uint32_t source)
{
	return &ccfc_ingest_note_of(in, source)->mark;
}

/* The source is now this file. */
void ccfc_ingest_note_file(struct ccfc_ingest *in, uint32_t source,
			   uint64_t dev, uint64_t ino);

void ccfc_ingest_push(struct ccfc_ingest *in, uint32_t source, int64_t mtime,
		      uint64_t bytes, bool hot);

/* Is it excluded, according to the index? */
bool ccfc_ingest_is_excluded(const struct ccfc_ingest *in, uint32_t source);

/* The check of the path failed, and will be tried again. */
void ccfc_ingest_failed(struct ccfc_ingest *in, const char *path,
			const struct ccfc_name *name, const char *why);
/* The check of the path no longer fails. */
void ccfc_ingest_fine(struct ccfc_ingest *in, const char *path);

/* Opening or reading the source failed, as above. */
void ccfc_ingest_read_failed(struct ccfc_ingest *in, uint32_t source,
			     const struct ccfc_err *err);

/* --- source_read.c --- */

/*
 * Reads the lines of in->tail, which is open at the source's cursor, and closes
 * it: positive: there are more than *budget bytes; negative: a read error.
 */
int ccfc_ingest_read_lines(struct ccfc_ingest *in, uint32_t source,
			   uint64_t *budget);

/* --- source_open.c --- */

/*
 * Opens the source in in->tail at its cursor: its file, or the archive if the
 * file is gone and the source is to be read from there. False: there is nothing
 * to read, or it cannot be read; the index and in->failed have the reason.
 */
bool ccfc_ingest_open(struct ccfc_ingest *in, uint32_t source);

/* --- archived_versions.c --- */

/*
 * Before a source is opened. If it was never read, but is archived: reads its
 * older archived versions, and the last one too if the file has other bytes.
 * False: one of them cannot be read now, as in->failed says.
 */
bool ccfc_ingest_read_versions(struct ccfc_ingest *in, uint32_t source);

/* --- ingest_archive.c --- */

/* What the archive has of the source. */
void ccfc_ingest_note_kept(struct ccfc_ingest *in, uint32_t source,
			   const struct ccfc_archive_kept *kept);

/* A line that was read, with its newline; ccfc_ingest_keep follows. */
void ccfc_ingest_stage(struct ccfc_ingest *in, uint32_t source,
		       const struct ccfc_line *line, bool newline);
/* The source was read up to its cursor. */
void ccfc_ingest_keep(struct ccfc_ingest *in, uint32_t source);
/* Its file is gone. */
void ccfc_ingest_vanished(struct ccfc_ingest *in, uint32_t source);
/* Reads a deleted source again, if the archive has all of it. */
bool ccfc_ingest_read_kept(struct ccfc_ingest *in, uint32_t source);
/* Its path was `from`: renames the archived copy too. */
void ccfc_ingest_moved(struct ccfc_ingest *in, uint32_t source,
		       const char *from);

/* The classified name of the source's path. */
struct ccfc_name ccfc_ingest_name(const struct ccfc_ingest *in,
				  uint32_t source);

static inline struct ccfc_source *ccfc_ingest_at(struct ccfc_ingest *in,
						 uint32_t source)
{
	return &in->index->sources.items[source];
}

static inline const char *ccfc_ingest_path(struct ccfc_ingest *in,
					   uint32_t source)
{
	return ccfc_index_str(in->index, ccfc_ingest_at(in, source)->path).ptr;
}

/* Has nothing of it been read yet? */
static inline bool ccfc_source_is_unread(const struct ccfc_source *s)
{
	return !s->gen && !s->cursor.offset;
}

/* Has its path become another name of another source? */
static inline bool ccfc_ingest_lost(struct ccfc_ingest *in, uint32_t source)
{
	return ccfc_index_alias_find(in->index, ccfc_slice_str(ccfc_ingest_path(
							in, source))) !=
	       CCFC_ID_NONE;
}

#endif
