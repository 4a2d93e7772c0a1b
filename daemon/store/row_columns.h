/*
 * Whole rows of each table, as columns.def describes them:
 *
 * ccfc_row_put_<name>(row, index, id, item) binds all columns of the item,
 * which is number `id` of its kind. Strings are borrowed until the statement
 * is stepped.
 *
 * ccfc_row_get_<name>(row, index, item) reads all columns into an item that is
 * zero, or was made for the row's key; members that are not columns are left
 * alone. Strings are added to the index; ids are unchecked, and the caller
 * checks them. False: a number is out of range.
 *
 * Within store/ only.
 */
#ifndef CCFC_STORE_ROW_COLUMNS_H
#define CCFC_STORE_ROW_COLUMNS_H

#include "store/rows.h"

/* A row of t_meta. */
struct ccfc_meta {
	struct ccfc_slice key; /* borrowed */
	uint64_t value;
};

/* The bits of t_use.flags: members of a tool call on disk. */
#define CCFC_CALL_CALLED 1
#define CCFC_CALL_WRITES 2
#define CCFC_CALL_OTHER	 4
#define CCFC_CALL_OK	 8
#define CCFC_CALL_ERROR	 16
#define CCFC_CALL_FLAGS(X)                                                     \
	X(called, CCFC_CALL_CALLED)                                            \
	X(writes, CCFC_CALL_WRITES)                                            \
	X(other, CCFC_CALL_OTHER)                                              \
	X(ok, CCFC_CALL_OK)                                                    \
	X(error, CCFC_CALL_ERROR)

#define TABLE(ID, name, sql_name, keys, item, rows)                            \
	void ccfc_row_put_##name(struct ccfc_row *row,                         \
				 const struct ccfc_index *index, uint32_t id,  \
				 const item *r);                               \
	bool ccfc_row_get_##name(struct ccfc_row *row,                         \
				 struct ccfc_index *index, item *r);
#define COLUMN(sql_name, kind, member, in_schema, old_value)
#define END(name)
#include "store/columns.def"

#endif
