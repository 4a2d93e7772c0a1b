/*
 * The kind of a path below <claude>/projects, by its name alone; see
 * classify.h. The path is split into its components, and their number selects
 * the rule.
 */
#include "source/classify.h"

#define DEPTH_MAX 6 /* <dir>/<session>/subagents/workflows/<wf>/<file> */

struct parts {
	struct ccfc_slice at[DEPTH_MAX];
	size_t n;
};

static bool is_dots(struct ccfc_slice s)
{
	return ccfc_slice_is(s, ".") || ccfc_slice_is(s, "..");
}

/* False when there are too many components, or one that is no name. */
static bool split_path(struct parts *parts, struct ccfc_slice rel)
{
	const char *p = rel.ptr;
	const char *end = rel.ptr + rel.len;

	parts->n = 0;
	for (;;) {
		const char *slash = memchr(p, '/', (size_t)(end - p));
		const char *stop = slash ? slash : end;
		struct ccfc_slice part = ccfc_slice(p, (size_t)(stop - p));

		if (!part.len || is_dots(part) || parts->n == DEPTH_MAX)
			return false;
		parts->at[parts->n++] = part;
		if (!slash)
			return true;
		p = slash + 1;
	}
}

static bool is_hidden(struct ccfc_slice name)
{
	return name.ptr[0] == '.';
}

static struct ccfc_slice cut_ends(struct ccfc_slice s, size_t front,
				  size_t back)
{
	return ccfc_slice(s.ptr + front, s.len - front - back);
}

static struct ccfc_name agent_file(struct ccfc_slice name,
				   struct ccfc_slice session)
{
	const size_t prefix = sizeof("agent-") - 1;
	const size_t suffix = sizeof(".jsonl") - 1;
	struct ccfc_name out = { .kind = CCFC_NAME_OTHER };

	if (name.len <= prefix + suffix || !ccfc_slice_starts(name, "agent-") ||
	    !ccfc_slice_ends(name, ".jsonl"))
		return out;
	out.kind = CCFC_NAME_AGENT;
	out.session = session;
	out.agent = cut_ends(name, prefix, suffix);
	return out;
}

static struct ccfc_name directory_name(bool ours, struct ccfc_slice session)
{
	struct ccfc_name out = { .kind = CCFC_NAME_OTHER };

	if (ours) {
		out.kind = CCFC_NAME_DIR;
		out.session = session;
	}
	return out;
}

/* A name in a project's directory: transcripts and sessions' directories. */
static struct ccfc_name in_project(struct ccfc_slice name)
{
	struct ccfc_name out = { .kind = CCFC_NAME_OTHER };

	if (is_hidden(name))
		return out;
	if (ccfc_slice_starts(name, "agent-") &&
	    ccfc_slice_ends(name, ".jsonl"))
		return agent_file(name, CCFC_SLICE_NONE);
	if (ccfc_slice_is(name, "journal.jsonl") ||
	    ccfc_slice_is(name, "history.jsonl"))
		return out;
	if (ccfc_slice_ends(name, ".jsonl")) {
		out.kind = CCFC_NAME_SESSION;
		out.session = cut_ends(name, 0, sizeof(".jsonl") - 1);
		return out;
	}
	return directory_name(!ccfc_slice_ends(name, ".json") &&
				      !ccfc_slice_is(name, "memory") &&
				      !ccfc_slice_is(name, "tool-results"),
			      name);
}

static struct ccfc_name in_subagents(const struct parts *parts)
{
	if (ccfc_slice_is(parts->at[3], "workflows"))
		return directory_name(true, parts->at[1]);
	return agent_file(parts->at[3], parts->at[1]);
}

struct ccfc_name ccfc_name_classify(struct ccfc_slice rel)
{
	struct parts parts;
	bool ours;

	if (!rel.len)
		return directory_name(true, CCFC_SLICE_NONE);
	if (!split_path(&parts, rel))
		return directory_name(false, CCFC_SLICE_NONE);
	if (parts.n == 1)
		return directory_name(true, CCFC_SLICE_NONE);
	if (parts.n == 2)
		return in_project(parts.at[1]);

	ours = in_project(parts.at[1]).kind == CCFC_NAME_DIR &&
	       ccfc_slice_is(parts.at[2], "subagents");
	if (!ours || parts.n == 3)
		return directory_name(ours, parts.at[1]);
	if (parts.n == 4)
		return in_subagents(&parts);
	ours = ccfc_slice_is(parts.at[3], "workflows");
	if (!ours || parts.n == 5)
		return directory_name(ours && !is_hidden(parts.at[4]),
				      parts.at[1]);
	return agent_file(parts.at[5], parts.at[1]);
}
