/*
 * Whole rows of each table; see row_columns.h. A kind of columns.def consists
 * of its SQLite type (store_schema.c), how a member `m` of the item `r` is
 * bound, and how it is read.
 */
#include "store/row_columns.h"

#include "base/time.h"

/* --- depends on the row's number, or is its key: not read here --- */

#define PUT_ROW(m) ccfc_row_put_int(row, id)
#define GET_ROW(m) row->at++

#define PUT_SESSION_ID(m)                                                      \
	ccfc_row_put_str(row, ccfc_index_session_id(index, id))
#define GET_SESSION_ID(m) row->at++

#define PUT_FILE_PATH(m) ccfc_row_put_str(row, ccfc_index_file_path(index, id))
#define GET_FILE_PATH(m) row->at++

#define PUT_CALL_ID(m) ccfc_row_put_str(row, ccfc_slice(r->id, r->id_len))
#define GET_CALL_ID(m) row->at++

/* --- numbers --- */

#define PUT_BOOL(m) ccfc_row_put_int(row, r->m)
#define GET_BOOL(m) r->m = ccfc_row_int(row) != 0

#define PUT_U8(m) ccfc_row_put_int(row, r->m)
#define GET_U8(m) r->m = (uint8_t)ccfc_row_int_in(row, 0, UINT8_MAX)

#define PUT_U16(m) ccfc_row_put_int(row, r->m)
#define GET_U16(m) r->m = (uint16_t)ccfc_row_int_in(row, 0, UINT16_MAX)

#define PUT_U32(m) ccfc_row_put_int(row, r->m)
#define GET_U32(m) r->m = (uint32_t)ccfc_row_int_in(row, 0, UINT32_MAX)

/* SQLite's numbers have a sign; the bits are the same. */
#define PUT_U64(m) ccfc_row_put_int(row, (int64_t)r->m)
#define GET_U64(m) r->m = (uint64_t)ccfc_row_int(row)

#define PUT_NUMBER(m) PUT_U64(m)
#define GET_NUMBER(m) GET_U64(m)

#define PUT_I32(m) ccfc_row_put_int(row, r->m)
#define GET_I32(m) r->m = (int32_t)ccfc_row_int_in(row, INT32_MIN, INT32_MAX)

#define PUT_I64(m) ccfc_row_put_int(row, r->m)
#define GET_I64(m) r->m = ccfc_row_int(row)

/* --- times; NULL is CCFC_TIME_NONE --- */

#define PUT_TIME(m) ccfc_row_put_time(row, r->m)
#define GET_TIME(m) r->m = ccfc_row_time(row)

/* The time of an observation or outcome, if there is one. */
#define PUT_KNOWN_TIME(m)                                                      \
	ccfc_row_put_time(row, r->m known ? r->m time : CCFC_TIME_NONE)
#define GET_KNOWN_TIME(m) r->m time = ccfc_row_time(row)

/* --- strings --- */

#define PUT_NAME(m) ccfc_row_put_str(row, r->m)
#define GET_NAME(m) r->m = ccfc_row_str(row)

/* A string of the index. TEXT is UTF-8, BYTES may be anything. */
#define PUT_TEXT(m)  ccfc_row_put_str(row, ccfc_index_str(index, r->m))
#define GET_TEXT(m)  r->m = ccfc_row_string(row, index)
#define PUT_BYTES(m) PUT_TEXT(m)
#define GET_BYTES(m) GET_TEXT(m)

#define PUT_TEXT_SET(m)	 ccfc_row_put_strings(row, index, &r->m)
#define GET_TEXT_SET(m)	 ccfc_row_strings(row, index, &r->m)
#define PUT_BYTES_SET(m) PUT_TEXT_SET(m)
#define GET_BYTES_SET(m) GET_TEXT_SET(m)

#define PUT_ID_SET(m) ccfc_row_put_ids(row, &r->m)
#define GET_ID_SET(m) ccfc_row_ids(row, &r->m)

/* --- of one struct only --- */

#define PUT_UUID(m) ccfc_row_put_uuid(row, index, &r->m uuid, r->m uuid_is_text)
#define GET_UUID(m) r->m uuid_is_text = ccfc_row_uuid(row, index, &r->m uuid)

/* A prompt's place. Rows that schema 1 wrote have nothing to read there. */
#define PUT_HAS_PLACE(m)    ccfc_row_put_int(row, r->m.source != CCFC_ID_NONE)
#define GET_HAS_PLACE(m)    r->m.source = ccfc_row_int(row) ? 0 : CCFC_ID_NONE
#define PUT_PLACE_SOURCE(m) PUT_U32(m.source)
#define GET_PLACE_SOURCE(m)                                                    \
	r->m.source |= (uint32_t)ccfc_row_int_in(row, 0, UINT32_MAX)

/* A string of few bits. */
#define PUT_TOOL(m) PUT_TEXT(m)
#define GET_TOOL(m) r->m = tool_bits(ccfc_row_string(row, index))

static uint32_t tool_bits(uint32_t tool)
{
	return tool <= CCFC_CALL_TOOL_MAX ? tool : 0;
}

#define FLAG(member, bit)     | (r->member ? (bit) : 0)
#define PUT_CALL_FLAGS(m)     ccfc_row_put_int(row, 0 CCFC_CALL_FLAGS(FLAG))
#define GET_FLAG(member, bit) r->member = (flags & (bit)) != 0;
#define GET_CALL_FLAGS(m)                                                      \
	do {                                                                   \
		int64_t flags = ccfc_row_int(row);                             \
                                                                               \
		CCFC_CALL_FLAGS(GET_FLAG)                                      \
	} while (0)

/* clang-format off */
#define TABLE(ID, name, sql_name, keys, item, rows)                                  \
	void ccfc_row_put_##name(struct ccfc_row *row,                         \
				 const struct ccfc_index *index, uint32_t id,  \
				 const item *r)                                \
	{                                                                      \
		(void)index, (void)id, (void)r;
#define COLUMN(sql_name, kind, member, in_schema, old_value) PUT_##kind(member);
#define END(name) }
#include "store/columns.def"

#define TABLE(ID, name, sql_name, keys, item, rows)                                  \
	bool ccfc_row_get_##name(struct ccfc_row *row,                         \
				 struct ccfc_index *index, item *r)            \
	{                                                                      \
		(void)index, (void)r;                                          \
		row->at = 0;
#define COLUMN(sql_name, kind, member, in_schema, old_value) GET_##kind(member);
#define END(name) return !row->wrong; }
#include "store/columns.def"
/* clang-format on */
