/*
 * Names and tags of sessions. The user gives them; lines do not have them. They
 * stay until they are set again.
 */
#include "index/index_internal.h"

void ccfc_index_name_session(struct ccfc_index *index, uint32_t session,
			     struct ccfc_slice name)
{
	index->sessions.items[session].name =
		name.len ? ccfc_strtab_put(&index->strings, name) : 0;
	ccfc_index_mark_session(index, session);
}

void ccfc_index_tag_session(struct ccfc_index *index, uint32_t session,
			    struct ccfc_slice tag, bool has)
{
	struct ccfc_ids *tags = &index->sessions.items[session].tags;
	uint32_t n = 0;

	if (has) {
		ccfc_index_add_name(index, tags, tag);
	} else {
		for (uint32_t i = 0; i < tags->n; i++)
			if (!ccfc_slice_eq(
				    ccfc_index_str(index, tags->items[i]), tag))
				tags->items[n++] = tags->items[i];
		tags->n = n;
	}
	ccfc_index_mark_session(index, session);
}
