/*
 * The tree of all threads: each line below the one that its parentUuid names, a
 * compaction below its logical parent, an agent's first lines below the line of
 * the call that started it, and lines without a known parent at the top.
 *
 * Nodes are identified by their place in `order`, so children are sorted by
 * time. Nothing recurses: chains have as many links as there are lines. Forged
 * transcripts can have cycles; each is cut above its earliest node.
 *
 * A node has its parent's depth, and is one deeper if the conversation branches
 * there. Agents are always one deeper but do not count as branches; nor do
 * leaves that are not messages (attachments, progress).
 */
#include "conversation/conversation_internal.h"

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>

#define NONE CCFC_CONVERSATION_NONE

enum { ON_WAY = 1, DONE = 2, AGENT_ROOT = 4 };

struct tree {
	const struct ccfc_conversation *conv;
	uint32_t n;
	uint32_t *parent;
	uint32_t *first, *next; /* child, sibling */
	uint32_t *ways;		/* children that count as branches */
	uint32_t *children;
	uint32_t *depth; /* before the visit: number of later siblings */
	uint32_t *seen;	 /* number of branches visited so far */
	uint8_t *state;
	uint64_t total, branches;
};

static const struct ccfc_conversation_line *line_at(const struct tree *t,
						    uint32_t pos)
{
	return &t->conv->lines.items[t->conv->order[pos]];
}

static bool is_node(const struct ccfc_conversation_line *l)
{
	return !l->repeated &&
	       (l->uuid || (l->kind != CCFC_CONVERSATION_SUMMARY &&
			    l->kind != CCFC_CONVERSATION_OTHER));
}

/* --- parents --- */

static bool same_uuid(const void *ctx, uint32_t pos, const void *key)
{
	return line_at(ctx, pos)->uuid == *(const uint64_t *)key;
}

static uint32_t find_line(const struct tree *t, const struct ccfc_map *map,
			  uint64_t uuid)
{
	return uuid ? ccfc_map_get(map, uuid, same_uuid, t, &uuid) : NONE;
}

/* The line of the call that started the thread whose first line is `line`. */
static uint32_t calling_line_of(const struct ccfc_conversation *conv,
				uint32_t line)
{
	uint32_t lo = 0, hi = conv->roots.n;
	uint32_t agent = ccfc_conversation_agent_of(conv, line);

	if (agent == NONE)
		return NONE;
	if (!conv->lines.items[line].sidechain)
		return conv->agents.items[agent].line;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (conv->roots.items[mid].line < line)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < conv->roots.n && conv->roots.items[lo].line == line
		       ? conv->roots.items[lo].caller
		       : NONE;
}

static void link_nodes(struct tree *t)
{
	const struct ccfc_conversation *conv = t->conv;
	struct ccfc_map map;

	ccfc_map_init(&map);
	for (uint32_t i = 0; i < t->n; i++)
		if (is_node(line_at(t, i)) && line_at(t, i)->uuid)
			ccfc_map_put(&map, line_at(t, i)->uuid, i);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t caller;

		t->parent[i] = NONE;
		if (!is_node(line_at(t, i)))
			continue;
		t->parent[i] = find_line(t, &map, line_at(t, i)->parent);
		if (t->parent[i] != NONE)
			continue;
		caller = calling_line_of(conv, conv->order[i]);
		if (caller == NONE)
			continue;
		t->parent[i] =
			find_line(t, &map, conv->lines.items[caller].uuid);
		if (t->parent[i] != NONE)
			t->state[i] |= AGENT_ROOT;
	}
	ccfc_map_release(&map);
}

/* Cuts the cycle that contains `pos`. */
static void cut_cycle(struct tree *t, uint32_t pos)
{
	uint32_t least = pos, at = t->parent[pos];

	t->state[pos] |= DONE;
	for (; at != pos; at = t->parent[at]) {
		t->state[at] |= DONE;
		if (at < least)
			least = at;
	}
	t->parent[least] = NONE;
	t->state[least] &= (uint8_t)~AGENT_ROOT;
}

static void cut_cycles(struct tree *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t at = i;

		while (at != NONE && !(t->state[at] & (ON_WAY | DONE))) {
			t->state[at] |= ON_WAY;
			at = t->parent[at];
		}
		if (at != NONE && !(t->state[at] & DONE))
			cut_cycle(t, at);
		for (at = i; at != NONE && !(t->state[at] & DONE);
		     at = t->parent[at])
			t->state[at] |= DONE;
	}
}

/* --- children --- */

static void list_children(struct tree *t)
{
	memset(t->first, 0xff, t->n * sizeof(*t->first));
	for (uint32_t i = t->n; i-- > 0;) {
		uint32_t parent = t->parent[i];

		if (parent == NONE)
			continue;
		t->next[i] = t->first[parent];
		t->first[parent] = i;
		t->children[parent]++;
	}
}

static bool is_way(const struct tree *t, uint32_t pos)
{
	return !(t->state[pos] & AGENT_ROOT) &&
	       (t->first[pos] != NONE ||
		line_at(t, pos)->kind != CCFC_CONVERSATION_OTHER);
}

static void count_ways(struct tree *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		t->total += is_node(line_at(t, i));
		if (t->parent[i] != NONE && is_way(t, i) &&
		    ++t->ways[t->parent[i]] == 2)
			t->branches++;
	}
}

/* Is it indented below its parent? */
static bool is_indented_node(const struct tree *t, uint32_t pos)
{
	return t->parent[pos] != NONE &&
	       (t->ways[t->parent[pos]] > 1 || t->state[pos] & AGENT_ROOT);
}

/* Counts, for each indented node, the later indented siblings. */
static void count_after(struct tree *t)
{
	for (uint32_t i = t->n; i-- > 0;)
		if (is_indented_node(t, i))
			t->depth[i] = t->seen[t->parent[i]]++;
	memset(t->seen, 0, t->n * sizeof(*t->seen));
}

/* --- the walk --- */

/* The node after `pos` in the walk of the tree below `root`. */
static uint32_t next_in_walk(const struct tree *t, uint32_t pos, uint32_t root)
{
	if (t->first[pos] != NONE)
		return t->first[pos];
	for (; pos != root; pos = t->parent[pos])
		if (t->next[pos] != NONE)
			return t->next[pos];
	return NONE;
}

static struct ccfc_conversation_node emit_node(struct tree *t, uint32_t pos)
{
	uint32_t parent = t->parent[pos];
	struct ccfc_conversation_node node = { .line = t->conv->order[pos],
					       .parent = NONE,
					       .children = t->children[pos],
					       .ways = t->ways[pos],
					       .after = t->depth[pos],
					       .hangs = is_indented_node(t,
									 pos) };

	if (parent == NONE)
		return node;
	node.parent = t->conv->order[parent];
	t->depth[pos] = t->depth[parent] + node.hangs;
	node.depth = t->depth[pos];
	if (t->ways[parent] > 1 && is_way(t, pos))
		node.branch = ++t->seen[parent];
	return node;
}

static void emit_all_nodes(struct tree *t, struct ccfc_conversation_node *out)
{
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->parent[i] != NONE || !is_node(line_at(t, i)))
			continue;
		for (uint32_t pos = i; pos != NONE;
		     pos = next_in_walk(t, pos, i))
			*out++ = emit_node(t, pos);
	}
}

/* --- all of it --- */

static uint32_t *new_column(const struct tree *t)
{
	return ccfc_calloc(t->n + 1u, sizeof(uint32_t));
}

static void build_tree(struct tree *t)
{
	t->parent = new_column(t);
	t->state = ccfc_calloc(t->n + 1u, 1);
	link_nodes(t);
	cut_cycles(t);
	t->first = new_column(t);
	t->next = new_column(t);
	memset(t->next, 0xff, t->n * sizeof(*t->next));
	t->children = new_column(t);
	t->ways = new_column(t);
	list_children(t);
	count_ways(t);
	t->depth = new_column(t);
	t->seen = new_column(t);
	count_after(t);
}

static void release_tree(struct tree *t)
{
	free(t->parent);
	free(t->state);
	free(t->first);
	free(t->next);
	free(t->children);
	free(t->ways);
	free(t->depth);
	free(t->seen);
}

static void make_nodes(struct ccfc_conversation *conv)
{
	struct tree t = { .conv = conv, .n = conv->lines.n };

	build_tree(&t);
	conv->nodes.n = t.total;
	conv->nodes.branches = t.branches;
	conv->nodes.items =
		ccfc_calloc(t.total + 1, sizeof(*conv->nodes.items));
	emit_all_nodes(&t, conv->nodes.items);
	release_tree(&t);
}

int ccfc_conversation_tree(struct ccfc_conversation_tree *out,
			   struct ccfc_conversation *conv, uint64_t offset,
			   uint64_t limit, struct ccfc_err *err)
{
	uint64_t total;

	if (!conv->nodes.items)
		make_nodes(conv);
	total = conv->nodes.n;
	*out = (struct ccfc_conversation_tree){ .total = total,
						.branches =
							conv->nodes.branches };
	if (offset && offset >= total)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "there are only %llu nodes",
				    (unsigned long long)total);
	out->nodes = conv->nodes.items + offset;
	out->n = (uint32_t)(limit < total - offset ? limit : total - offset);
	return 0;
}
