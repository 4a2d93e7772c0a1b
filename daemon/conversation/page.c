/*
 * Pages of messages: which lines of a thread they are. One pass over the
 * skeleton finds them, so all pages cost the same.
 */
#include "conversation/conversation_internal.h"

static bool is_wanted_line(const struct ccfc_conversation_line *l,
			   enum ccfc_conversation_role role)
{
	switch (role) {
	case CCFC_CONVERSATION_OF_USER:
		/* Tool results are user records too. */
		return l->kind == CCFC_CONVERSATION_USER && !l->results;
	case CCFC_CONVERSATION_OF_ASSISTANT:
		return l->kind == CCFC_CONVERSATION_ASSISTANT;
	case CCFC_CONVERSATION_OF_SYSTEM:
		return l->kind == CCFC_CONVERSATION_SYSTEM ||
		       l->kind == CCFC_CONVERSATION_SUMMARY;
	case CCFC_CONVERSATION_OF_TOOL:
		return l->results;
	default:
		return l->kind == CCFC_CONVERSATION_USER ||
		       l->kind == CCFC_CONVERSATION_ASSISTANT;
	}
}

static bool in_thread(const struct ccfc_conversation *conv, uint32_t line,
		      enum ccfc_conversation_role role, uint32_t agent)
{
	const struct ccfc_conversation_line *l = &conv->lines.items[line];

	return !l->copy && is_wanted_line(l, role) &&
	       ccfc_conversation_agent_of(conv, line) == agent;
}

/* Counts the lines, and finds the number of the wanted one. */
static uint64_t count_messages(const struct ccfc_conversation *conv,
			       enum ccfc_conversation_role role, uint32_t agent,
			       uint32_t around, uint64_t *at)
{
	uint64_t n = 0;

	*at = UINT64_MAX;
	for (uint32_t i = 0; i < conv->lines.n; i++) {
		if (!in_thread(conv, conv->order[i], role, agent))
			continue;
		if (conv->order[i] == around)
			*at = n;
		n++;
	}
	return n;
}

int ccfc_conversation_page(struct ccfc_conversation_page *out,
			   const struct ccfc_conversation *conv,
			   enum ccfc_conversation_role role, uint32_t agent,
			   uint64_t offset, uint64_t limit, uint32_t around,
			   struct ccfc_arena *arena, struct ccfc_err *err)
{
	uint64_t at, total = count_messages(conv, role, agent, around, &at),
		     n = 0;

	if (around != CCFC_CONVERSATION_NONE && at == UINT64_MAX)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "no message of that role has this uuid");
	if (around != CCFC_CONVERSATION_NONE)
		offset = at > limit / 2 ? at - limit / 2 : 0;
	if (offset && offset >= total)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "there are only %llu messages",
				    (unsigned long long)total);
	if (limit > total - offset)
		limit = total - offset;
	*out = (struct ccfc_conversation_page){ .total = total,
						.offset = offset };
	out->lines = ccfc_arena_alloc(arena, (limit + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < conv->lines.n && out->n < limit; i++)
		if (in_thread(conv, conv->order[i], role, agent) &&
		    n++ >= offset)
			out->lines[out->n++] = conv->order[i];
	return 0;
}
