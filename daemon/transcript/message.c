/*
 * A message of the model besides its calls: its tokens, and whether it asks the
 * user something. And the records with a session's title.
 *
 * A question is recognised by the end of the text: a sentence may close with
 * quotes, brackets or Markdown behind the question mark. Only the last bytes
 * are looked at, as they are written in JSON.
 */
#include "transcript/json/unescape.h"
#include "transcript/record_internal.h"

#define TOKENS_MAX ((int64_t)1 << 48)

static uint64_t tokens(const struct ccfc_parser *parser, uint32_t tok)
{
	int64_t n = tok ? ccfc_json_int(&parser->json, tok) : 0;

	if (n < 0)
		return 0;
	return (uint64_t)(n < TOKENS_MAX ? n : TOKENS_MAX);
}

void ccfc_message_usage(const struct ccfc_parser *parser,
			struct ccfc_record *out, uint32_t usage)
{
	uint32_t f[CCFC_USAGE_COUNT];

	if (!ccfc_json_is_object(&parser->json, usage))
		return;
	ccfc_json_fields(&parser->json, usage, &parser->usage_keys, f);
	out->has_usage = true;
	out->usage.input = tokens(parser, f[CCFC_USAGE_INPUT]);
	out->usage.output = tokens(parser, f[CCFC_USAGE_OUTPUT]);
	out->usage.cache_write = tokens(parser, f[CCFC_USAGE_CACHE_WRITE]);
	out->usage.cache_read = tokens(parser, f[CCFC_USAGE_CACHE_READ]);
}

/* The length of what may follow a question mark, at the end of `raw`. */
static size_t closing(struct ccfc_slice raw)
{
	static const char *const escaped[] = { "\\n", "\\r", "\\t", "\\\"" };
	static const char *const quotes[] = { "\xe2\x80\x9d", "\xe2\x80\x99",
					      "\xc2\xbb" };

	for (size_t i = 0; i < sizeof(escaped) / sizeof(*escaped); i++)
		if (ccfc_slice_ends(raw, escaped[i]))
			return 2;
	for (size_t i = 0; i < sizeof(quotes) / sizeof(*quotes); i++)
		if (ccfc_slice_ends(raw, quotes[i]))
			return strlen(quotes[i]);
	return raw.len && memchr(" *_)'`", raw.ptr[raw.len - 1], 6) ? 1 : 0;
}

bool ccfc_message_asks(struct ccfc_slice raw)
{
	size_t n;

	while ((n = closing(raw)))
		raw.len -= n;
	return ccfc_slice_ends(raw, "?") ||
	       ccfc_slice_ends(raw, "\xef\xbc\x9f") ||
	       ccfc_slice_ends(raw, "\\uff1f") ||
	       ccfc_slice_ends(raw, "\\uFF1F");
}

bool ccfc_message_asking_tool(struct ccfc_slice name)
{
	return ccfc_slice_is(name, "AskUserQuestion") ||
	       ccfc_slice_is(name, "ExitPlanMode");
}

/* The pull request of a session; a compaction. */
static void read_more(struct ccfc_parser *parser, struct ccfc_record *out)
{
	uint32_t f[CCFC_NAMING_FIELD_COUNT];
	bool link = ccfc_slice_is(out->type, "pr-link");

	if (!link && !ccfc_slice_is(out->type, "system"))
		return;
	ccfc_json_root_fields(&parser->json, &parser->naming_keys, f);
	if (link)
		out->pull_request = ccfc_parser_name(
			parser, f[CCFC_NAMING_FIELD_PULL_REQUEST],
			CCFC_NAME_MAX);
	else
		out->boundary = ccfc_slice_is(
			ccfc_json_string(&parser->json,
					 f[CCFC_NAMING_FIELD_SUBTYPE]),
			"compact_boundary");
}

void ccfc_message_naming(struct ccfc_parser *parser, struct ccfc_record *out)
{
	uint32_t f[CCFC_NAMING_FIELD_COUNT];
	uint32_t title;

	read_more(parser, out);
	if (ccfc_slice_is(out->type, "custom-title"))
		out->naming = CCFC_NAMING_CUSTOM;
	else if (ccfc_slice_is(out->type, "ai-title"))
		out->naming = CCFC_NAMING_AI;
	else if (ccfc_slice_is(out->type, "summary"))
		out->naming = CCFC_NAMING_SUMMARY;
	else
		return;
	ccfc_json_root_fields(&parser->json, &parser->naming_keys, f);
	title = out->naming == CCFC_NAMING_CUSTOM ? f[CCFC_NAMING_FIELD_CUSTOM]
		: out->naming == CCFC_NAMING_AI	  ? f[CCFC_NAMING_FIELD_AI]
						: f[CCFC_NAMING_FIELD_SUMMARY];
	out->title = ccfc_slice_cut(
		ccfc_unescape(&parser->arena,
			      ccfc_json_string(&parser->json, title), NULL),
		CCFC_TITLE_MAX);
	out->leaf = ccfc_parser_name(parser, f[CCFC_NAMING_FIELD_LEAF],
				     CCFC_NAME_MAX);
}
