/*
 * Hooks that run after a call. They run only after success, so any trace of one
 * proves it: a progress record or, in newer clients, an attachment. This
 * matters if the result itself was lost.
 */
#include "base/alloc.h"
#include "transcript/record_internal.h"

void ccfc_hook_read(struct ccfc_parser *parser)
{
	const struct ccfc_json *json = &parser->json;
	struct ccfc_result result = { .state = CCFC_STATE_APPLIED,
				      .hook = true,
				      .op = CCFC_OP_MODIFIED,
				      .added = CCFC_LINES_UNKNOWN,
				      .removed = CCFC_LINES_UNKNOWN };
	uint32_t top[CCFC_HOOK_COUNT], f[CCFC_HOOK_COUNT];

	ccfc_json_root_fields(json, &parser->hook_keys, top);
	ccfc_json_fields(json,
			 top[CCFC_HOOK_DATA] ? top[CCFC_HOOK_DATA]
					     : top[CCFC_HOOK_ATTACHMENT],
			 &parser->hook_keys, f);
	if (!ccfc_slice_is(ccfc_json_string(json, f[CCFC_HOOK_EVENT]),
			   "PostToolUse"))
		return;
	result.id = ccfc_parser_name(parser,
				     f[CCFC_HOOK_CALL] ? f[CCFC_HOOK_CALL]
						       : top[CCFC_HOOK_CALL],
				     CCFC_ID_MAX);
	if (result.id.len)
		CCFC_VEC_PUSH(parser->results, result);
}
