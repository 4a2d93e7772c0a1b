/*
 * A model's message apart from its calls: its tokens, and whether it asks the
 * user something. Also records with a session's title or cost.
 *
 * The cost is recorded in each message (costUSD, clients up to 1.0), or as a
 * running total of the session (cost-state), written when the client ends. A
 * total continues when its session is resumed or forked; it then has the same
 * startTime.
 *
 * A question is recognised by the end of the text: quotes, brackets or Markdown
 * may follow the question mark. Only the last bytes are checked, as written in
 * JSON.
 */
#include "base/time.h"
#include "transcript/json/unescape.h"
#include "transcript/record_internal.h"

#define TOKENS_MAX ((int64_t)1 << 48)
/* Larger values are ignored. */
#define DOLLARS_MAX 1e9
#define TIME_MAX    ((int64_t)1 << 48)

static uint64_t read_token_count(const struct ccfc_parser *parser, uint32_t tok)
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
	out->usage.input = read_token_count(parser, f[CCFC_USAGE_INPUT]);
	out->usage.output = read_token_count(parser, f[CCFC_USAGE_OUTPUT]);
	out->usage.cache_write =
		read_token_count(parser, f[CCFC_USAGE_CACHE_WRITE]);
	out->usage.cache_read =
		read_token_count(parser, f[CCFC_USAGE_CACHE_READ]);
}

/*
 * The length of a closing mark at the end of `raw` that may follow a question
 * mark.
 */
static size_t closing_length(struct ccfc_slice raw)
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

	while ((n = closing_length(raw)))
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

/* Reads the pull request of a session, or a compaction. */
static void read_title_or_link(struct ccfc_parser *parser,
			       struct ccfc_record *out)
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

	read_title_or_link(parser, out);
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

/* --- cost --- */

static uint64_t read_dollars(const struct ccfc_parser *parser, uint32_t tok)
{
	double dollars = tok ? ccfc_json_double(&parser->json, tok) : 0;

	if (!(dollars > 0) || dollars > DOLLARS_MAX)
		return 0;
	return (uint64_t)(dollars * CCFC_COST_DOLLAR + 0.5);
}

uint32_t ccfc_cost_of_message(const struct ccfc_parser *parser, uint32_t tok)
{
	uint64_t cost = read_dollars(parser, tok);

	return cost <= UINT32_MAX ? (uint32_t)cost : 0;
}

/* "claude-opus-4-8[1m]": with a long context it is the same model. */
static struct ccfc_slice read_model(struct ccfc_parser *parser, uint32_t key)
{
	struct ccfc_slice name = ccfc_parser_name(parser, key, CCFC_NAME_MAX);
	size_t n = name.len;

	if (!n || name.ptr[n - 1] != ']')
		return name;
	while (n && name.ptr[n - 1] != '[')
		n--;
	if (n > 1)
		name.len = n - 1;
	return name;
}

/*
 * The entry of a model. Models beyond the limit share one entry without a name.
 */
static struct ccfc_model_cost *cost_entry_of(struct ccfc_parser *parser,
					     struct ccfc_record *out,
					     struct ccfc_slice model)
{
	uint32_t i = 0;

	if (out->ncosts == CCFC_MODEL_COSTS_MAX - 1)
		model = CCFC_SLICE_NONE;
	while (i < out->ncosts && !ccfc_slice_eq(parser->costs[i].model, model))
		i++;
	if (i == out->ncosts)
		parser->costs[out->ncosts++] =
			(struct ccfc_model_cost){ .model = model };
	return &parser->costs[i];
}

static uint64_t read_models(struct ccfc_parser *parser, struct ccfc_record *out,
			    uint32_t models)
{
	const struct ccfc_json *json = &parser->json;
	uint64_t sum = 0;
	uint32_t f[CCFC_COST_COUNT];

	if (!ccfc_json_is_object(json, models))
		return 0;
	for (uint32_t key = ccfc_json_child(json, models); key;
	     key = ccfc_json_next(json, key + 2)) {
		struct ccfc_model_cost *entry;

		if (!ccfc_json_is_object(json, key + 2))
			continue;
		ccfc_json_fields(json, key + 2, &parser->cost_keys, f);
		entry = cost_entry_of(parser, out, read_model(parser, key));
		entry->cost += read_dollars(parser, f[CCFC_COST_MODEL_COST]);
		for (int i = CCFC_COST_INPUT; i <= CCFC_COST_CACHE_WRITE; i++)
			entry->tokens += read_token_count(parser, f[i]);
		sum += read_dollars(parser, f[CCFC_COST_MODEL_COST]);
	}
	return sum;
}

void ccfc_cost_read(struct ccfc_parser *parser, struct ccfc_record *out)
{
	uint32_t f[CCFC_COST_COUNT];
	uint64_t total, sum;
	int64_t since;

	ccfc_json_root_fields(&parser->json, &parser->cost_keys, f);
	total = read_dollars(parser, f[CCFC_COST_TOTAL]);
	sum = read_models(parser, out, f[CCFC_COST_MODELS]);
	/*
	 * Each model's share is rounded, so a difference of a cent is not
	 * another model.
	 */
	if (total > sum + CCFC_COST_DOLLAR / 100)
		cost_entry_of(parser, out, CCFC_SLICE_NONE)->cost +=
			total - sum;
	since = f[CCFC_COST_SINCE]
			? ccfc_json_int(&parser->json, f[CCFC_COST_SINCE])
			: 0;
	out->counted_since =
		since > 0 && since < TIME_MAX ? since : CCFC_TIME_NONE;
	out->costs_unsure =
		ccfc_json_is_true(&parser->json, f[CCFC_COST_UNSURE]);
	out->costs = parser->costs;
}
