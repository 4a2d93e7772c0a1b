/*
 * Copies the rows of a store that cannot be loaded, or was moved aside: those
 * that can be read and have a valid checksum. Ids of the other store are mapped
 * to those of the index; rows that depend on a lost row are lost too, and
 * counted. Within store/ only. Any thread: an import has its own index.
 *
 * A row of a store without checksums is accepted if it is valid.
 */
#ifndef CCFC_STORE_SALVAGE_IMPORT_H
#define CCFC_STORE_SALVAGE_IMPORT_H

#include "index/index.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/store_schema.h"
#include "store/texts/texts_write.h"

struct ccfc_import_sieve;

struct ccfc_import {
	struct ccfc_index *index;
	/* Leaves out what is to be forgotten; NULL: nothing is (sieve.h). */
	struct ccfc_import_sieve *sieve;
	sqlite3 *db;
	int schema; /* of its rows */
	/*
	 * Only facts without another source: sources that the index does not
	 * have and that do not exist. Transcripts have all other facts.
	 */
	bool only_gone;
	uint64_t rows;	    /* copied rows */
	uint64_t lost;	    /* rows that could not be read, or depend on such a
			     * row */
	uint64_t wanted;    /* rows that there should be; 0: not known */
	uint64_t seen;	    /* rows that could be read */
	uint64_t texts_id;  /* 0: not known */
	uint64_t texts_end; /* 0: not known */
	uint64_t epoch;
	struct ccfc_store_past past; /* as that store has it */
	uint64_t texts, lost_texts;
	bool failed; /* a system call failed: nothing is known about the rest */
	/* Ids there to ids here, CCFC_ID_NONE: the row is lost. */
	struct ccfc_ids sessions, files, sources;
	struct ccfc_ids session_sources, messages, calls;
	struct ccfc_ids skipped; /* sources that are not wanted */
	struct {
		struct ccfc_observation
			*items; /* of t_copy, by id; !known: lost */
		uint32_t n, cap;
	} copies;
};

/* One row; false: it is invalid, or depends on a lost row. */
typedef bool (*ccfc_import_fn)(struct ccfc_import *im, struct ccfc_row *row);

/* All rows of a table that can be read. */
void ccfc_import_each(struct ccfc_import *im, enum ccfc_table_id table,
		      ccfc_import_fn fn);

/*
 * Takes no row, and none is lost: transcripts are counted again, and conflicts
 * follow from other rows.
 */
bool ccfc_import_nothing(struct ccfc_import *im, struct ccfc_row *row);

/*
 * The file of that store's id: CCFC_ID_NONE, or one of the index. With a sieve
 * only files that a copied row names get into the index.
 */
uint32_t ccfc_import_file(struct ccfc_import *im, int64_t id);
/* map[id], CCFC_ID_NONE where there is none. */
uint32_t ccfc_import_get(const struct ccfc_ids *map, int64_t id);
void ccfc_import_put(struct ccfc_ids *map, int64_t id, uint32_t to);

/*
 * import_copy.c: makes a repaired copy of the file `db` and opens it as im->db,
 * which stays NULL if the copy is unusable. ccfc_import_remove removes the
 * copy.
 */
int ccfc_import_copy(struct ccfc_import *im, const char *copy, const char *db,
		     struct ccfc_err *err);
void ccfc_import_remove(const char *copy);
/* import_copy.c: opens a store that is fine, as it is now, for reading. */
int ccfc_import_open(struct ccfc_import *im, const char *db,
		     struct ccfc_err *err);
/*
 * Damage reported by SQLite is expected here. A failed system call is not:
 * unread rows may be intact, and would count as lost. Sets im->failed if
 * `code`, which `db` just returned, is such a failure.
 */
void ccfc_import_note(struct ccfc_import *im, sqlite3 *db, int code);

/* import_rows.c and import_messages.c: the tables, in this order. */
void ccfc_import_rows(struct ccfc_import *im);
void ccfc_import_messages(struct ccfc_import *im);

/*
 * import.c: copies the rows of the file `db`, which is not changed. A damaged
 * or missing file is not an error; an unreadable file is.
 */
int ccfc_import_db(struct ccfc_import *im, const char *db,
		   struct ccfc_err *err);
/* As ccfc_import_db, for an undamaged store, which may be in use. */
int ccfc_import_live(struct ccfc_import *im, const char *db,
		     struct ccfc_err *err);
/* Then copies their texts from a file of texts. */
int ccfc_import_texts(struct ccfc_import *im, const char *path,
		      struct ccfc_texts_file *to, struct ccfc_err *err);
void ccfc_import_release(struct ccfc_import *im);

#endif
