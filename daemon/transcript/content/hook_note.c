/* Notes of hooks; see hook_note.h. */
#include "transcript/content/hook_note.h"

#include "transcript/record_internal.h"

/* Hooks may print anything; these words are the client's own. */
#define MODIFIED "PostToolUse hook modified "

static bool says_modified(const struct ccfc_json *json, uint32_t tok)
{
	if (!ccfc_json_is_array(json, tok))
		return false;
	for (uint32_t at = ccfc_json_child(json, tok); at;
	     at = ccfc_json_next(json, at))
		if (ccfc_slice_starts(ccfc_json_string(json, at), MODIFIED))
			return true;
	return false;
}

bool ccfc_hook_note_is_of(struct ccfc_parser *parser, struct ccfc_slice line,
			  struct ccfc_slice id)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t f[CCFC_ADDED_COUNT], fields[CCFC_FIELD_COUNT];

	if (!ccfc_parser_open(parser, line, fields))
		return false;
	ccfc_json_root_fields(json, &parser->added_keys, f);
	if (!ccfc_slice_is(ccfc_json_string(json, f[CCFC_ADDED_TYPE]),
			   "attachment"))
		return false;
	ccfc_json_fields(json, f[CCFC_ADDED_ATTACHMENT], &parser->added_keys,
			 f);
	return ccfc_slice_is(ccfc_json_string(json, f[CCFC_ADDED_TYPE]),
			     "hook_additional_context") &&
	       ccfc_slice_eq(ccfc_json_string(json, f[CCFC_ADDED_CALL]), id) &&
	       says_modified(json, f[CCFC_ADDED_CONTENT]);
}
