/*
 * `ccfc blame --format=porcelain`: for parsers of `git blame --porcelain`. In
 * place of a commit's id there are the first 40 digits of the SHA-256 of the
 * change's id, or zeros for lines that no session wrote, or the commit's id if
 * git knows such a line. "ccfc-…" lines have the facts that git has no field
 * for; parsers skip unknown lines.
 */
#include "cli/blame/blame_line.h"

#include "base/alloc.h"
#include "base/sha256.h"
#include "base/time.h"
#include "cli/out/safe.h"

#include <stdlib.h>

#define ID_LENGTH 40

struct entry {
	char id[65];
	bool zero;			      /* no session and no commit */
	const struct ccfc_git_commit *commit; /* of the line, may be NULL */
	int64_t orig;
};

struct seen {
	struct {
		char id[65];
	} * items;
	uint32_t n, cap;
};

static void read_entry(struct entry *e, const struct ccfc_blame_view *view,
		       struct ccfc_obj line)
{
	struct ccfc_slice change = ccfc_obj_get_str(line, "changeId");
	int64_t number = ccfc_obj_get_int(line, "line", 0);
	const struct ccfc_git_line *git;

	*e = (struct entry){ .commit = ccfc_blame_commit(view, line) };
	e->orig = ccfc_obj_get_int(line, "origLine", number);
	if (ccfc_blame_is_session(line) && change.len) {
		ccfc_sha256_hex(e->id, change);
		e->id[ID_LENGTH] = '\0';
	} else if (e->commit) {
		memcpy(e->id, e->commit->id, sizeof(e->id));
		git = ccfc_git_blame_line(view->git, number,
					  ccfc_obj_get_str(line, "content"));
		e->orig = git ? git->orig : number;
	} else {
		memset(e->id, '0', ID_LENGTH);
		e->zero = true;
	}
}

/* Does `b` continue the group of `a`? */
static bool same_group(const struct entry *a, struct ccfc_obj line_a,
		       const struct entry *b, struct ccfc_obj line_b)
{
	static const char *const keys[] = { "kind", "from", "to" };

	if (strcmp(a->id, b->id) || b->orig != a->orig + 1)
		return false;
	for (size_t i = 0; a->zero && i < sizeof(keys) / sizeof(*keys); i++)
		if (!ccfc_slice_eq(ccfc_obj_get_str(line_a, keys[i]),
				   ccfc_obj_get_str(line_b, keys[i])))
			return false;
	return true;
}

static int64_t group_size(const struct ccfc_blame_view *view, uint32_t i,
			  const struct entry *first)
{
	struct entry last = *first, next;
	int64_t n = 1;

	for (; i + 1 < ccfc_obj_len(view->lines); i++, n++) {
		struct ccfc_obj b = ccfc_obj_at(view->lines, i + 1);

		read_entry(&next, view, b);
		if (!same_group(&last, ccfc_obj_at(view->lines, i), &next, b))
			break;
		last = next;
	}
	return n;
}

/* Is `e` the first entry with its id, or of no session and no commit? */
static bool is_new(struct seen *seen, const struct entry *e)
{
	for (uint32_t i = seen->n; !e->zero && i-- > 0;)
		if (!strcmp(seen->items[i].id, e->id))
			return false;
	CCFC_VEC_GROW(*seen);
	memcpy(seen->items[seen->n++].id, e->id, sizeof(e->id));
	return true;
}

/* "key value", on one line whatever bytes the value has. */
static void put_key_value(struct ccfc_buf *out, const char *key,
			  struct ccfc_slice value)
{
	ccfc_buf_puts(out, key);
	if (value.len)
		ccfc_buf_putc(out, ' ');
	ccfc_safe_append(out, value, false);
	ccfc_buf_putc(out, '\n');
}

static void put_known(struct ccfc_buf *out, const char *key,
		      struct ccfc_obj line, const char *field)
{
	struct ccfc_slice value = ccfc_obj_get_str(line, field);

	if (value.len)
		put_key_value(out, key, value);
}

/* The author is the committer, too. */
static void put_person(struct ccfc_buf *out, struct ccfc_slice name,
		       struct ccfc_slice mail, int64_t ms,
		       struct ccfc_slice zone)
{
	static const char *const roles[] = { "author", "committer" };
	long long sec = ms == CCFC_TIME_NONE ? 0 : (long long)(ms / 1000);

	for (int i = 0; i < 2; i++) {
		put_key_value(out, roles[i], name);
		ccfc_buf_printf(out, "%s-mail <", roles[i]);
		ccfc_safe_append(out, mail, false);
		ccfc_buf_printf(out, ">\n%s-time %lld\n%s-tz ", roles[i], sec,
				roles[i]);
		ccfc_safe_append(out, zone.len ? zone : CCFC_SLICE_LIT("+0000"),
				 false);
		ccfc_buf_putc(out, '\n');
	}
}

static void put_session(struct ccfc_buf *out,
			const struct ccfc_blame_view *view,
			struct ccfc_obj line)
{
	struct ccfc_slice model = ccfc_obj_get_str(line, "model");
	struct ccfc_slice prompt = ccfc_obj_get_str(line, "prompt");
	char sign;

	put_person(out, model.len ? model : CCFC_SLICE_LIT("Claude"),
		   ccfc_obj_get_str(line, "sessionId"),
		   ccfc_blame_time(&sign, view, line), CCFC_SLICE_NONE);
	put_key_value(out, "summary",
		      prompt.len ? prompt : CCFC_SLICE_LIT("(no prompt)"));
}

static void put_commit(struct ccfc_buf *out,
		       const struct ccfc_git_commit *commit)
{
	struct ccfc_slice mail = commit->mail;

	if (ccfc_slice_starts(mail, "<") && ccfc_slice_ends(mail, ">"))
		mail = ccfc_slice(mail.ptr + 1, mail.len - 2);
	put_person(out, commit->author, mail, commit->time, commit->zone);
	put_key_value(out, "summary", commit->summary);
}

static void put_nobody(struct ccfc_buf *out, const struct ccfc_blame_view *view,
		       struct ccfc_obj line)
{
	struct ccfc_slice kind = ccfc_obj_get_str(line, "kind");
	char sign;

	put_person(out, kind, kind, ccfc_blame_time(&sign, view, line),
		   CCFC_SLICE_NONE);
	put_key_value(
		out, "summary",
		ccfc_slice_is(kind, "outside")
			? CCFC_SLICE_LIT("Changed outside of all sessions")
			: CCFC_SLICE_LIT("Not known"));
}

static void put_details(struct ccfc_buf *out,
			const struct ccfc_blame_view *view,
			const struct entry *e, struct ccfc_obj line)
{
	if (ccfc_blame_is_session(line))
		put_session(out, view, line);
	else if (e->commit)
		put_commit(out, e->commit);
	else
		put_nobody(out, view, line);
	put_known(out, "ccfc-kind", line, "kind");
	put_known(out, "ccfc-change", line, "changeId");
	put_known(out, "ccfc-session", line, "sessionId");
	put_known(out, "ccfc-model", line, "model");
	put_known(out, "ccfc-agent", line, "agentId");
	put_known(out, "ccfc-agent-type", line, "agentType");
	put_known(out, "ccfc-tool", line, "tool");
	put_known(out, "ccfc-evidence", line, "evidence");
	put_known(out, "ccfc-command", line, "command");
	put_known(out, "ccfc-from", line, "from");
	put_known(out, "ccfc-to", line, "to");
	put_key_value(out, "filename", view->name);
}

/*
 * Facts that may differ between the lines of one id: several commits may have
 * added the lines of one change, and a commit may have lines of two kinds.
 */
static void put_per_line(struct ccfc_buf *out, const struct entry *e,
			 struct ccfc_obj line, bool told)
{
	if (!e->commit)
		return;
	if (ccfc_blame_is_session(line))
		put_key_value(out, "ccfc-commit",
			      ccfc_slice_str(e->commit->id));
	else if (!told)
		put_known(out, "ccfc-kind", line, "kind");
}

void ccfc_blame_porcelain(struct ccfc_out *out,
			  const struct ccfc_blame_view *view, bool each)
{
	struct seen seen = { 0 };
	int64_t left = 0; /* lines of the group */

	for (uint32_t i = 0; i < ccfc_obj_len(view->lines); i++, left--) {
		struct ccfc_obj line = ccfc_obj_at(view->lines, i);
		bool first = left == 0, told;
		struct entry e;

		read_entry(&e, view, line);
		ccfc_buf_printf(&out->buf, "%s %lld %lld", e.id,
				(long long)e.orig,
				(long long)ccfc_obj_get_int(line, "line", 0));
		if (first) {
			left = group_size(view, i, &e);
			ccfc_buf_printf(&out->buf, " %lld", (long long)left);
		}
		ccfc_buf_putc(&out->buf, '\n');
		told = each || (first && is_new(&seen, &e));
		if (told)
			put_details(&out->buf, view, &e, line);
		put_per_line(&out->buf, &e, line, told);
		ccfc_buf_putc(&out->buf, '\t');
		ccfc_out_content(out, ccfc_obj_get_str(line, "content"));
		ccfc_buf_putc(&out->buf, '\n');
		ccfc_out_check(out);
	}
	free(seen.items);
}
