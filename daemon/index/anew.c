/* Marks all rows for the store, or none; see index.h. */
#include "index/index_internal.h"

#define MARK_FLAG(rows, first)                                                 \
	for (uint32_t i = first; i < index->rows.n; i++)                       \
		CCFC_TABLE_MARK_FLAG(index->rows, i);
#define MARK_LIST(rows, first)                                                 \
	index->rows.dirty.n = 0;                                               \
	for (uint32_t i = first; i < index->rows.n; i++)                       \
		CCFC_TABLE_MARK_LIST(index->rows, i);
#define MARK_NONE(rows, first)

void ccfc_index_mark_all(struct ccfc_index *index)
{
#define TABLE(rows, row, marks, first) MARK_##marks(rows, first)
#include "index/tables.def"
	index->unknown_types_dirty = true;
}

/* A longer list, as of a whole store, is freed and not kept for batches. */
#define LONG_LIST 4096

static void clear_list(struct ccfc_ids *list)
{
	list->n = 0;
	if (list->cap <= LONG_LIST)
		return;
	free(list->items);
	*list = (struct ccfc_ids){ 0 };
}

#define CLEAR_FLAG(rows)                                                       \
	for (uint32_t i = 0; i < index->rows.dirty.n; i++)                     \
		index->rows.items[index->rows.dirty.items[i]].dirty = false;
#define CLEAR_LIST(rows)
#define CLEAR_NONE(rows)

void ccfc_index_stored(struct ccfc_index *index)
{
#define TABLE(rows, row, marks, first)                                         \
	CLEAR_##marks(rows) clear_list(&index->rows.dirty);
#include "index/tables.def"
	index->unknown_types_dirty = false;
	ccfc_index_drop_taken(index);
	ccfc_index_drop_taken_marks(index);
	ccfc_index_drop_gone(index);
}
