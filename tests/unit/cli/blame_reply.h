/* The reply of file.blame behind the tests of `ccfc blame` and `ccfc log`. */
#ifndef CCFC_TESTS_BLAME_REPLY_H
#define CCFC_TESTS_BLAME_REPLY_H

#include "cli_test.h"

#define SESSION_A "3f2a91c4-0000-4000-8000-000000000001"
#define SESSION_B "77777777-0000-4000-8000-000000000002"
#define CHANGE_A  "toolu_01AAAAAAAAAAAAAAAAAAAAAA"
#define CHANGE_B  "toolu_01BBBBBBBBBBBBBBBBBBBBBB"

struct blame_row {
	int line, orig;
	char who; /* a session 'a' or 'b', 'o'utside, 'u'nknown */
	const char *text;
};

static const struct blame_row blame_rows[] = {
	{ 1, 1, 'a', "int a;" },    { 2, 2, 'a', "\xe6\x97\xa5;" },
	{ 3, 7, 'b', "b\x1b[31m" }, { 4, 4, 'o', "" },
	{ 5, 5, 'u', "mine\r" },    { 6, 9, 'a', "int c;" },
};
#define BLAME_ROWS (sizeof(blame_rows) / sizeof(*blame_rows))

static inline void pack_session(struct ccfc_pack *p, char who, bool line)
{
	bool b = who == 'b';

	ccfc_pack_kv_cstr(p, "kind", "session");
	ccfc_pack_kv_cstr(p, "changeId", b ? CHANGE_B : CHANGE_A);
	ccfc_pack_kv_cstr(p, "sessionId", b ? SESSION_B : SESSION_A);
	ccfc_pack_kv_cstr(p, "model",
			  b ? "claude-haiku-4-5-20251001"
			    : "claude-opus-4-5-20251101");
	ccfc_pack_kv_cstr(p, "timestamp",
			  b ? "2025-12-10T11:00:00.000Z"
			    : "2025-12-10T10:05:00.000Z");
	ccfc_pack_kv_cstr(p, "prompt", b ? "colour it" : "add \xe6\x97\xa5");
	if (b)
		ccfc_pack_kv_cstr(p, "agentId", "a1b2c3d");
	if (line) {
		ccfc_pack_kv_cstr(p, "tool", b ? "Edit" : "Write");
		ccfc_pack_kv_cstr(p, "version", "2.1.50");
	}
	if (line && b)
		ccfc_pack_kv_cstr(p, "agentType", "Explore");
}

static inline void pack_other(struct ccfc_pack *p, char who)
{
	ccfc_pack_kv_cstr(p, "kind", who == 'o' ? "outside" : "unknown");
	ccfc_pack_cstr(p, "changeId");
	ccfc_pack_nil(p);
	if (who == 'o')
		ccfc_pack_kv_cstr(p, "from", "2025-12-10T10:05:00.000Z");
	ccfc_pack_kv_cstr(p, "to", "2025-12-10T11:00:00.000Z");
}

static inline void pack_blame_line(struct ccfc_pack *p,
				   const struct blame_row *row)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "line", row->line);
	ccfc_pack_kv_int(p, "origLine", row->orig);
	if (row->who == 'a' || row->who == 'b')
		pack_session(p, row->who, true);
	else
		pack_other(p, row->who);
	ccfc_pack_kv_bin(p, "content", ccfc_slice_str(row->text));
	ccfc_pack_end(p);
}

static inline void pack_block(struct ccfc_pack *p, int start, int end, char who)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "start", start);
	ccfc_pack_kv_int(p, "end", end);
	if (who == 'a' || who == 'b')
		pack_session(p, who, false);
	else
		pack_other(p, who);
	ccfc_pack_end(p);
}

static inline void pack_blame(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", "/no/such/a.c");
	ccfc_pack_kv_cstr(p, "fidelity", "exact");
	ccfc_pack_cstr(p, "lines");
	ccfc_pack_array(p);
	for (size_t i = 0; i < BLAME_ROWS; i++)
		pack_blame_line(p, &blame_rows[i]);
	ccfc_pack_end(p);
	ccfc_pack_cstr(p, "blocks");
	ccfc_pack_array(p);
	pack_block(p, 1, 2, 'a');
	pack_block(p, 3, 3, 'b');
	pack_block(p, 4, 4, 'o');
	pack_block(p, 5, 5, 'u');
	pack_block(p, 6, 6, 'a');
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

/* What git has to say about the same lines; line 6 is not committed. */
#define COMMIT_1 "1111111111111111111111111111111111111111"
#define COMMIT_2 "2222222222222222222222222222222222222222"
#define COMMIT_0 "0000000000000000000000000000000000000000"
static const char git_words[] = COMMIT_1
	" 1 1 1\n"
	"author Ann Ey\nauthor-mail <ann@example.org>\n"
	"author-time 1765360000\nauthor-tz +0100\n"
	"committer Bo\ncommitter-mail <bo@example.org>\n"
	"committer-time 1765370000\ncommitter-tz +0200\n"
	"summary first\nboundary\nfilename a.c\n\tint a;\n" COMMIT_2
	" 2 2 2\nauthor Bo\nauthor-mail <bo@example.org>\n"
	"author-time 1765370000\nauthor-tz +0000\nsummary second\n"
	"previous " COMMIT_1 " a.c\nfilename a.c\n\t\xe6\x97\xa5;\n" COMMIT_2
	" 3 3\n\tsomething else\n" COMMIT_1 " 4 4 2\n\t\n" COMMIT_1
	" 5 5\n\tmine\n" COMMIT_0 " 6 6 1\nauthor Not Committed Yet\n"
	"summary Version of a.c from a.c\nfilename a.c\n\tint c;\n";

#endif
