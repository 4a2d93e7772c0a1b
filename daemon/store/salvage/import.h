/*
 * Taking over what a store knows that cannot be loaded, or that was put aside:
 * row by row, as far as rows can be read and their sums are right. Ids of the
 * other store are mapped to those of the index; what hangs on a row that is
 * lost is lost with it, and counted. Within store/ only. Core thread.
 *
 * A row of a store that had no sums yet is believed if it makes sense.
 */
#ifndef CCFC_STORE_SALVAGE_IMPORT_H
#define CCFC_STORE_SALVAGE_IMPORT_H

#include "index/index.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/texts/texts_write.h"

struct ccfc_import {
	struct ccfc_index *index;
	sqlite3 *db;
	int schema; /* of its rows */
	/*
	 * Only what is nobody's any more: sources that the index does not
	 * have and that are not there. The rest is known from transcripts.
	 */
	bool only_gone;
	uint64_t rows;	    /* that were taken over */
	uint64_t lost;	    /* that could not be read, or that hung on such */
	uint64_t wanted;    /* that there should be; 0: not known */
	uint64_t seen;	    /* rows that could be read */
	uint64_t texts_id;  /* 0: not known */
	uint64_t texts_end; /* 0: not known */
	uint64_t epoch;
	uint64_t texts, lost_texts;
	bool failed; /* a call to the system did: nothing is known of the rest
		      */
	/* Ids there to ids here, CCFC_ID_NONE where a row is lost. */
	struct ccfc_ids sessions, files, sources;
	struct ccfc_ids session_sources, messages, calls;
	struct ccfc_ids skipped; /* sources that are not wanted */
	struct {
		struct ccfc_observation
			*items; /* of t_copy, by id; !known: lost */
		uint32_t n, cap;
	} copies;
};

/* One row; false: it makes no sense, or hangs on one that is lost. */
typedef bool (*ccfc_import_fn)(struct ccfc_import *im, struct ccfc_row *row);

/* All rows of a table that can be read. */
void ccfc_import_each(struct ccfc_import *im, enum ccfc_table_id table,
		      ccfc_import_fn fn);

/* map[id], CCFC_ID_NONE where there is none. */
uint32_t ccfc_import_get(const struct ccfc_ids *map, int64_t id);
void ccfc_import_put(struct ccfc_ids *map, int64_t id, uint32_t to);

/*
 * import_copy.c: makes a mended copy of the file `db` and opens it as im->db,
 * which stays NULL where that is no use. The copy goes with ccfc_import_remove.
 */
int ccfc_import_copy(struct ccfc_import *im, const char *copy, const char *db,
		     struct ccfc_err *err);
void ccfc_import_remove(const char *copy);
/*
 * Of what SQLite says, damage is what we came for. A call that failed is not:
 * the rows behind it may be whole, and would be taken for lost. Sets im->failed
 * if `code`, which `db` has just returned, is such a one.
 */
void ccfc_import_note(struct ccfc_import *im, sqlite3 *db, int code);

/* import_rows.c and import_messages.c: the tables, in this order. */
void ccfc_import_rows(struct ccfc_import *im);
void ccfc_import_said(struct ccfc_import *im);

/*
 * import.c: takes over the rows of the file `db`, which is not changed. That
 * it is damaged, or not there, is no error; that it cannot be looked at is.
 */
int ccfc_import_db(struct ccfc_import *im, const char *db,
		   struct ccfc_err *err);
/* And then, of a file of texts, those that belong to them. */
int ccfc_import_texts(struct ccfc_import *im, const char *path,
		      struct ccfc_texts_file *to, struct ccfc_err *err);
void ccfc_import_release(struct ccfc_import *im);

#endif
