/* The index's structs as rows; see rows.h. */
#include "store/rows.h"

#include "base/time.h"

void ccfc_row_put_int(struct ccfc_row *row, int64_t v)
{
	sqlite3_bind_int64(row->stmt, row->at++, v);
}

void ccfc_row_put_time(struct ccfc_row *row, int64_t ms)
{
	if (ms == CCFC_TIME_NONE)
		sqlite3_bind_null(row->stmt, row->at++);
	else
		ccfc_row_put_int(row, ms);
}

void ccfc_row_put_str(struct ccfc_row *row, struct ccfc_slice s)
{
	sqlite3_bind_text(row->stmt, row->at++, s.len ? s.ptr : "", (int)s.len,
			  SQLITE_STATIC);
}

void ccfc_row_put_place(struct ccfc_row *row, const struct ccfc_place *place)
{
	ccfc_row_put_int(row, place->source);
	ccfc_row_put_int(row, (int64_t)place->offset);
	ccfc_row_put_int(row, place->len);
	ccfc_row_put_int(row, place->gen);
}

static void put_string(struct ccfc_row *row, const struct ccfc_index *index,
		       uint32_t id)
{
	ccfc_row_put_str(row, ccfc_index_str(index, id));
}

/* 16 bytes as a blob, or the text that was no UUID. */
static void put_uuid(struct ccfc_row *row, const struct ccfc_index *index,
		     const struct ccfc_observation *obs)
{
	char none[64];

	if (obs->uuid_is_text)
		ccfc_row_put_str(row, ccfc_index_uuid(index, obs, none));
	else
		sqlite3_bind_blob(row->stmt, row->at++, obs->uuid.bytes,
				  sizeof(obs->uuid.bytes), SQLITE_STATIC);
}

void ccfc_row_put_obs(struct ccfc_row *row, const struct ccfc_index *index,
		      const struct ccfc_observation *obs)
{
	ccfc_row_put_int(row, obs->known);
	ccfc_row_put_time(row, obs->known ? obs->time : CCFC_TIME_NONE);
	ccfc_row_put_place(row, &obs->place);
	put_uuid(row, index, obs);
	ccfc_row_put_int(row, obs->session);
	put_string(row, index, obs->agent);
	put_string(row, index, obs->model);
	put_string(row, index, obs->version);
	put_string(row, index, obs->tool);
	ccfc_row_put_int(row, obs->file);
	ccfc_row_put_int(row, obs->added);
	ccfc_row_put_int(row, obs->removed);
	ccfc_row_put_int(row, obs->sidechain);
	ccfc_row_put_int(row, obs->next);
}

void ccfc_row_put_outcome(struct ccfc_row *row, const struct ccfc_index *index,
			  const struct ccfc_outcome *o)
{
	ccfc_row_put_int(row, o->known);
	ccfc_row_put_time(row, o->known ? o->time : CCFC_TIME_NONE);
	ccfc_row_put_place(row, &o->place);
	ccfc_row_put_int(row, o->session);
	put_string(row, index, o->agent);
	put_string(row, index, o->tool);
	ccfc_row_put_int(row, o->file);
	ccfc_row_put_int(row, o->added);
	ccfc_row_put_int(row, o->removed);
	ccfc_row_put_int(row, o->state);
	ccfc_row_put_int(row, o->op);
	ccfc_row_put_int(row, o->detail);
}

int64_t ccfc_row_int(struct ccfc_row *row)
{
	return sqlite3_column_int64(row->stmt, row->at++);
}

int64_t ccfc_row_time(struct ccfc_row *row)
{
	if (sqlite3_column_type(row->stmt, row->at) == SQLITE_NULL) {
		row->at++;
		return CCFC_TIME_NONE;
	}
	return ccfc_row_int(row);
}

struct ccfc_slice ccfc_row_str(struct ccfc_row *row)
{
	const void *ptr = sqlite3_column_blob(row->stmt, row->at);
	int len = sqlite3_column_bytes(row->stmt, row->at++);

	return ccfc_slice(ptr, (size_t)len);
}

static uint32_t get_string(struct ccfc_row *row, struct ccfc_index *index)
{
	return ccfc_strtab_put(&index->strings, ccfc_row_str(row));
}

void ccfc_row_place(struct ccfc_row *row, struct ccfc_place *place)
{
	place->source = (uint32_t)ccfc_row_int(row);
	place->offset = (uint64_t)ccfc_row_int(row);
	place->len = (uint32_t)ccfc_row_int(row);
	place->gen = (uint32_t)ccfc_row_int(row);
}

static void get_uuid(struct ccfc_row *row, struct ccfc_index *index,
		     struct ccfc_observation *obs)
{
	bool text = sqlite3_column_type(row->stmt, row->at) == SQLITE_TEXT;
	struct ccfc_slice s = ccfc_row_str(row);
	uint32_t id;

	obs->uuid_is_text = text;
	if (text) {
		id = ccfc_strtab_put(&index->strings, s);
		memcpy(obs->uuid.bytes, &id, sizeof(id));
	} else if (s.len == sizeof(obs->uuid.bytes)) {
		memcpy(obs->uuid.bytes, s.ptr, s.len);
	}
}

void ccfc_row_obs(struct ccfc_row *row, struct ccfc_index *index,
		  struct ccfc_observation *obs)
{
	memset(obs, 0, sizeof(*obs));
	obs->known = ccfc_row_int(row);
	obs->time = ccfc_row_time(row);
	ccfc_row_place(row, &obs->place);
	get_uuid(row, index, obs);
	obs->session = (uint32_t)ccfc_row_int(row);
	obs->agent = get_string(row, index);
	obs->model = get_string(row, index);
	obs->version = get_string(row, index);
	obs->tool = get_string(row, index);
	obs->file = (uint32_t)ccfc_row_int(row);
	obs->added = (int32_t)ccfc_row_int(row);
	obs->removed = (int32_t)ccfc_row_int(row);
	obs->sidechain = ccfc_row_int(row);
	obs->next = (uint32_t)ccfc_row_int(row);
}

void ccfc_row_outcome(struct ccfc_row *row, struct ccfc_index *index,
		      struct ccfc_outcome *o)
{
	memset(o, 0, sizeof(*o));
	o->known = ccfc_row_int(row);
	o->time = ccfc_row_time(row);
	ccfc_row_place(row, &o->place);
	o->session = (uint32_t)ccfc_row_int(row);
	o->agent = get_string(row, index);
	o->tool = get_string(row, index);
	o->file = (uint32_t)ccfc_row_int(row);
	o->added = (int32_t)ccfc_row_int(row);
	o->removed = (int32_t)ccfc_row_int(row);
	o->state = (uint8_t)ccfc_row_int(row);
	o->op = (uint8_t)ccfc_row_int(row);
	o->detail = ccfc_row_int(row);
}
