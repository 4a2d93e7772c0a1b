/*
 * The backups in a file-history record: all of them in a snapshot, one in a
 * delta.
 */
#include "base/alloc.h"
#include "base/time.h"
#include "transcript/record_internal.h"

static void read_backup_entry(struct ccfc_parser *parser,
			      struct ccfc_slice path, uint32_t tok,
			      int64_t time)
{
	struct ccfc_json *json = &parser->json;
	struct ccfc_backup backup = { .path = path, .time = time };
	uint32_t f[CCFC_HISTORY_COUNT];

	if (!path.len || !ccfc_json_is_object(json, tok))
		return;
	ccfc_json_fields(json, tok, &parser->history_keys, f);
	backup.name =
		ccfc_parser_name(parser, f[CCFC_HISTORY_NAME], CCFC_NAME_MAX);
	backup.version = ccfc_json_int(json, f[CCFC_HISTORY_VERSION]);
	backup.made = ccfc_parser_time(parser, f[CCFC_HISTORY_BACKUP_TIME]);
	if (time == CCFC_TIME_NONE)
		backup.time = backup.made;
	CCFC_VEC_PUSH(parser->backups, backup);
}

static void read_snapshot(struct ccfc_parser *parser, uint32_t tok)
{
	struct ccfc_json *json = &parser->json;
	uint32_t f[CCFC_HISTORY_COUNT];
	uint32_t key = 0;
	int64_t time;

	ccfc_json_fields(json, tok, &parser->history_keys, f);
	time = ccfc_parser_time(parser, f[CCFC_HISTORY_TIME]);
	if (ccfc_json_is_object(json, f[CCFC_HISTORY_FILES]))
		key = ccfc_json_child(json, f[CCFC_HISTORY_FILES]);
	for (; key; key = ccfc_json_next(json, key + 2))
		read_backup_entry(parser,
				  ccfc_parser_name(parser, key, CCFC_PATH_MAX),
				  key + 2, time);
}

void ccfc_backup_read_all(struct ccfc_parser *parser, const uint32_t *fields,
			  int64_t time)
{
	read_snapshot(parser, fields[CCFC_FIELD_SNAPSHOT]);
	read_backup_entry(parser,
			  ccfc_parser_name(parser,
					   fields[CCFC_FIELD_TRACKING_PATH],
					   CCFC_PATH_MAX),
			  fields[CCFC_FIELD_BACKUP], time);
}
