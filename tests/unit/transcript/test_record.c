/*
 * One line, one record: a table of every shape of line that the client and
 * others write, and of what cannot be read.
 */
#include "facts.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct row {
	const char *line;
	const char *facts;
};

static void check_row(struct ccfc_parser *parser, struct ccfc_buf *buf,
		      const struct row *row)
{
	char *line = quoted(row->line);
	struct ccfc_record record;

	ccfc_record_parse(parser, &record, ccfc_slice(line, strlen(row->line)));
	put_facts(buf, &record);
	if (strcmp(buf->ptr, row->facts))
		print_error("line: %s\n", row->line);
	assert_string_equal(buf->ptr, row->facts);
	free(line);
}

static void check_rows(const struct row *rows, size_t n)
{
	struct ccfc_parser *parser = ccfc_parser_new(NULL);
	struct ccfc_buf buf = CCFC_BUF_INIT;

	for (size_t i = 0; i < n; i++)
		check_row(parser, &buf, &rows[i]);
	ccfc_buf_release(&buf);
	ccfc_parser_free(parser);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof(*(rows)))

static void test_kinds(void **state)
{
	static const struct row rows[] = {
		{ "", "blank" },
		{ " \t\r", "blank" },
		{ "{}", "unknown" },
		{ "{}\r", "unknown" },
		{ " { } ", "unknown" },
		{ "{`type`:`user`}", "user" },
		{ "{`type`:`assistant`}", "assistant" },
		{ "{`type` : `user` }", "user" },
		{ "{`type`:`us\\u0065r`}", "user" },
		{ "{`type`:`system`,`type`:`user`}", "user" },
		{ "{`type`:`summary`,`summary`:`x`,`leafUuid`:`y`}", "other" },
		{ "{`type`:`init`,`cwd`:`/p`}", "other cwd=/p" },
		{ "{`type`:`progress`}", "other" },
		{ "{`type`:`system`}", "other" },
		{ "{`type`:`queue-operation`,`sessionId`:`s`}",
		  "other session=s" },
		{ "{`type`:`attachment`}", "other" },
		{ "{`type`:`relocated`}", "other" },
		{ "{`type`:`api-request`}", "other" },
		{ "{`type`:`tools-used`}", "other" },
		{ "{`type`:`bridge-session`,`bridgeSessionId`:`b`}", "other" },
		{ "{`type`:`fork-context-ref`,`agentId`:`a1`}",
		  "other agent=a1" },
		{ "{`type`:`frame-link`,`frameUrl`:`u`}", "other" },
		{ "{`type`:`file-history-snapshot`}", "snapshot" },
		{ "{`type`:`file-history-delta`}", "snapshot" },
		{ "{`type`:`next-years-type`,`sessionId`:`s`}",
		  "unknown session=s" },
		{ "{`type`:7}", "unknown" },
		{ "{`uuid`:`u`,`message`:{`model`:`m`}}", "unknown uuid=u" },
		{ "{`role`:`assistant`}", "assistant" },
		{ "{`role`:`user`,`content`:`hi`}", "user prompt asked" },
		{ "{`role`:`user`,`type`:`progress`}", "other" },
		{ "{`role`:`system`}", "unknown" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void test_malformed(void **state)
{
	static const struct row rows[] = {
		{ "[]", "malformed" },
		{ "`x`", "malformed" },
		{ "123", "malformed" },
		{ "null", "malformed" },
		{ "{", "malformed" },
		{ "}", "malformed" },
		{ "{}}", "malformed" },
		{ "{}{}", "malformed" },
		{ "{} {}", "malformed" },
		{ "{},{}", "malformed" },
		{ "{}x", "malformed" },
		{ "x{}", "malformed" },
		{ "{`type`}", "malformed" },
		{ "{`type`:}", "malformed" },
		{ "{`type`:`user`,}", "malformed" },
		{ "{,`type`:`user`}", "malformed" },
		{ "{`type`::`user`}", "malformed" },
		{ "{`type` `user`}", "malformed" },
		{ "{`type`:`user`:1}", "malformed" },
		{ "{`type`:`user` 1}", "malformed" },
		{ "{`type`:`user`x}", "malformed" },
		{ "{type:`user`}", "malformed" },
		{ "{1:2}", "malformed" },
		{ "{`a`:[}", "malformed" },
		{ "{`a`:[}]}", "malformed" },
		{ "{`a`:{]}}", "malformed" },
		{ "{`a`:[1,]}", "malformed" },
		{ "{`a`:[,1]}", "malformed" },
		{ "{`a`:[1 2]}", "malformed" },
		{ "{`a`:[`b`:1]}", "malformed" },
		{ "{`a`:{`b`}}", "malformed" },
		{ "{`a`:tru}", "malformed" },
		{ "{`a`:truex}", "malformed" },
		{ "{`a`:nul}", "malformed" },
		{ "{`a`:01}", "malformed" },
		{ "{`a`:1.}", "malformed" },
		{ "{`a`:.5}", "malformed" },
		{ "{`a`:-}", "malformed" },
		{ "{`a`:1e}", "malformed" },
		{ "{`a`:+1}", "malformed" },
		{ "{`a`:`b}", "malformed" },
		{ "{`a`:`b\tc`}", "malformed" },
		{ "{`a`:`\xff`}", "unknown" },
		{ "{`a`:`\xc3`}", "unknown" },
		{ "{`a`:`\xed\xa0\x80`}", "unknown" },
		{ "\xef\xbb\xbf{}", "malformed" },
		{ "{`type`:`user`,`uuid`:`{`type`:`user`,`uuid`:`u`}",
		  "malformed" },
		{ "{`a`:[1.5e-7,-0,0.25,1E9,true,false,null,{},[],``]}",
		  "unknown" },
	};
	static const struct {
		const char *bytes;
		size_t len;
	} nuls[] = { { "\0\0\0\0", 4 },
		     { "{}\0", 3 },
		     { "{\"a\":\"\0\"}", 9 },
		     { "\0{}", 3 },
		     { "{\0}", 3 } };
	struct ccfc_parser *parser = ccfc_parser_new(NULL);

	(void)state;
	CHECK_ROWS(rows);
	for (size_t i = 0; i < sizeof(nuls) / sizeof(*nuls); i++) {
		char *line = padded(ccfc_slice(nuls[i].bytes, nuls[i].len));
		struct ccfc_record record;

		ccfc_record_parse(parser, &record,
				  ccfc_slice(line, nuls[i].len));
		assert_int_equal(record.kind, CCFC_RECORD_MALFORMED);
		free(line);
	}
	ccfc_parser_free(parser);
}

static void test_common(void **state)
{
	static const struct row rows[] = {
		{ "{`parentUuid`:null,`isSidechain`:true,`cwd`:`/home/d`,"
		  "`sessionId`:`s1`,`version`:`2.1.0`,`gitBranch`:`main`,"
		  "`agentId`:`a1`,`type`:`system`,`uuid`:`u1`,"
		  "`timestamp`:`2025-12-10T10:00:00.123Z`}",
		  "other session=s1 agent=a1 uuid=u1 cwd=/home/d branch=main "
		  "version=2.1.0 time=2025-12-10T10:00:00.123Z sidechain" },
		{ "{`type`:`system`,`session_id`:`s2`}", "other session=s2" },
		{ "{`session_id`:`x`,`type`:`system`,`sessionId`:`s3`}",
		  "other session=s3" },
		{ "{`type`:`system`,`timestamp`:`yesterday`,`cwd`:7,"
		  "`isSidechain`:`true`,`uuid`:null}",
		  "other" },
		/* Escaped: a Windows path, a pair, a lone surrogate. */
		{ "{`type`:`system`,`cwd`:`C:\\\\src\\\\a\\/b`}",
		  "other cwd=C:\\src\\a/b" },
		{ "{`type`:`system`,`cwd`:`/\\ud83d\\ude00`}",
		  "other cwd=/\xf0\x9f\x98\x80" },
		{ "{`type`:`system`,`cwd`:`/\\ud83dx`}",
		  "other cwd=/\xef\xbf\xbdx" },
		/* Neither a name with a NUL nor a bad escape is believed. */
		{ "{`type`:`system`,`cwd`:`/a\\u0000b`,`uuid`:`\\x`}",
		  "other" },
		{ "{`type`:`assistant`,`message`:{`id`:`m1`,`model`:`opus`}}",
		  "assistant model=opus message=m1" },
		{ "{`message`:{`model`:`<synthetic>`},`type`:`assistant`}",
		  "assistant" },
		{ "{`message`:`gone`,`type`:`assistant`}", "assistant" },
		{ "{`message`:{`model`:`opus`},`type`:`system`}", "other" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void test_prompts(void **state)
{
	static const struct row rows[] = {
		{ "{`type`:`user`,`message`:{`content`:`do`}}",
		  "user prompt asked" },
		{ "{`type`:`user`,`message`:{`content`:``}}", "user" },
		{ "{`type`:`user`,`message`:{`content`:[]}}", "user" },
		{ "{`type`:`user`,`message`:{`content`:[{`type`:`text`,"
		  "`text`:`[Request interrupted by user]`}]}}",
		  "user prompt" },
		{ "{`type`:`user`,`message`:{`content`:[{`type`:`image`}]}}",
		  "user prompt asked" },
		{ "{`type`:`user`,`isMeta`:true,`message`:{`content`:`x`}}",
		  "user" },
		{ "{`type`:`user`,`isMeta`:false,`message`:{`content`:`x`}}",
		  "user prompt asked" },
		{ "{`type`:`user`,`isCompactSummary`:true,"
		  "`message`:{`content`:`so far`}}",
		  "user prompt" },
		{ "{`type`:`user`,`message`:{`content`:[{`type`:`text`},"
		  "{`type`:`tool_result`,`tool_use_id`:`t`}]}}",
		  "user; result t applied" },
		{ "{`type`:`user`,`message`:{`content`:[{`type`:`text`},"
		  "{`type`:`tool_result`}]}}",
		  "user" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void test_snapshots(void **state)
{
	static const struct row rows[] = {
		{ "{`type`:`file-history-snapshot`,`messageId`:`m`,`snapshot`:"
		  "{`messageId`:`m`,`trackedFileBackups`:{`src/a\\tb.c`:"
		  "{`backupFileName`:`0123@v2`,`version`:2,"
		  "`backupTime`:`2025-12-10T09:00:00.000Z`},`/etc/b`:"
		  "{`backupFileName`:null,`version`:1}},"
		  "`timestamp`:`2025-12-10T10:00:00.000Z`}}",
		  "snapshot; backup src/a\tb.c 0123@v2 v2 "
		  "2025-12-10T10:00:00.000Z made 2025-12-10T09:00:00.000Z; "
		  "backup /etc/b (none) v1 "
		  "2025-12-10T10:00:00.000Z" },
		{ "{`snapshot`:{`trackedFileBackups`:{`a`:{`version`:1.5,"
		  "`backupTime`:`2025-12-10T09:00:00Z`},`b`:null,``:{}}},"
		  "`type`:`file-history-snapshot`}",
		  "snapshot; backup a (none) v0 2025-12-10T09:00:00.000Z "
		  "made 2025-12-10T09:00:00.000Z" },
		{ "{`type`:`file-history-delta`,`trackingPath`:`a.c`,`backup`:"
		  "{`backupFileName`:`ff@v1`,`version`:1},"
		  "`timestamp`:`2025-12-10T10:00:00.000Z`}",
		  "snapshot time=2025-12-10T10:00:00.000Z; backup a.c ff@v1 v1 "
		  "2025-12-10T10:00:00.000Z" },
		{ "{`type`:`file-history-delta`,`trackingPath`:`a.c`,`backup`:"
		  "{`backupFileName`:null,`version`:1,"
		  "`backupTime`:`2025-12-10T09:59:59.998Z`},"
		  "`timestamp`:`2025-12-10T10:00:00.000Z`}",
		  "snapshot time=2025-12-10T10:00:00.000Z; backup a.c (none) "
		  "v1 2025-12-10T10:00:00.000Z made 2025-12-10T09:59:59.998Z" },
		{ "{`type`:`file-history-snapshot`,`snapshot`:[]}",
		  "snapshot" },
		{ "{`type`:`file-history-snapshot`,`snapshot`:"
		  "{`trackedFileBackups`:[`a`]}}",
		  "snapshot" },
		{ "{`type`:`attachment`,`snapshot`:{`trackedFileBackups`:"
		  "{`a`:{}}}}",
		  "other" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

/* Records that carry copies of messages say nothing of changes. */
#define BLOCKS                                                                 \
	"`content`:[{`type`:`tool_use`,`id`:`t`,`name`:`Write`,"               \
	"`input`:{`file_path`:`/a`,`content`:`x`}},"                           \
	"{`type`:`tool_result`,`tool_use_id`:`t`}]"

static void test_copies(void **state)
{
	static const struct row rows[] = {
		{ "{`message`:{" BLOCKS "},`type`:`api-request-blob`}",
		  "other" },
		{ "{`type`:`progress`,`data`:{`message`:{" BLOCKS "}},"
		  "`message`:{" BLOCKS "}}",
		  "other" },
		{ "{`type`:`attachment`," BLOCKS "}", "other" },
		{ "{`message`:{" BLOCKS "}}", "unknown" },
		/* Each kind takes only its own blocks. */
		{ "{`message`:{" BLOCKS "},`type`:`user`}",
		  "user; result t applied" },
		{ "{`message`:{" BLOCKS "},`type`:`assistant`}",
		  "assistant; call t Write /a +1 -?" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

/* A bad byte costs itself, not the line. */
static void test_damaged(void **state)
{
	static const struct row rows[] = {
		{ "{`type`:`user`,`uuid`:`a\xff`,`message`:{`content`:[{"
		  "`type`:`tool_result`,`tool_use_id`:`t`}]}}",
		  "user uuid=a\xef\xbf\xbd; result t applied" },
		{ "{`message`:{" BLOCKS ",`x`:`\xc3`},`type`:`assistant`}",
		  "assistant; call t Write /a +1 -?" },
		{ "{`type`:`user`,`uuid`:`\xff`", "malformed" },
	};
	static const char bad[] = "{`type`:`mode`,`a`:`\xff`}";
	static const char good[] = "{`type`:`mode`,`a`:`\xc3\xa9`}";
	struct ccfc_parser *parser = ccfc_parser_new(NULL);
	struct ccfc_record r;
	char *line = quoted(bad);

	(void)state;
	CHECK_ROWS(rows);
	ccfc_record_parse(parser, &r, ccfc_slice(line, strlen(bad)));
	assert_int_equal(r.kind, CCFC_RECORD_OTHER);
	assert_true(r.damaged);
	free(line);
	line = quoted(good);
	ccfc_record_parse(parser, &r, ccfc_slice(line, strlen(good)));
	assert_false(r.damaged);
	free(line);
	ccfc_parser_free(parser);
}

/* What stands in a record's place where the agent has no transcript. */
static void test_told(void **state)
{
	static const struct row rows[] = {
		{ "{`type`:`progress`,`sessionId`:`s`,`uuid`:`p`,`cwd`:`/p`,"
		  "`data`:{`type`:`agent_progress`,`agentId`:`a1`,`message`:"
		  "{`type`:`assistant`,`uuid`:`u`,`message`:{`id`:`m`,"
		  "`content`:[{`type`:`tool_use`,`id`:`t`,`name`:`Write`,"
		  "`input`:{`file_path`:`/p/x`,`content`:`1`}}]}}}}",
		  "assistant session=s agent=a1 uuid=u cwd=/p message=m "
		  "sidechain relayed; call t Write /p/x +1 -?" },
		{ "{`type`:`progress`,`data`:{`type`:`agent_progress`,"
		  "`agentId`:`a1`,`message`:{`type`:`user`,`message`:{"
		  "`content`:[{`type`:`tool_result`,`tool_use_id`:`t`,"
		  "`content`:`ok`}]}}}}",
		  "user agent=a1 sidechain relayed; result t applied" },
		/* Whose it is is not said; or it is something else. */
		{ "{`type`:`progress`,`data`:{`type`:`agent_progress`,"
		  "`message`:{`type`:`user`}}}",
		  "other" },
		{ "{`type`:`progress`,`data`:{`type`:`agent_progress`,"
		  "`agentId`:`a1`,`message`:{`type`:`progress`}}}",
		  "other" },
		{ "{`type`:`progress`,`data`:{`type`:`bash_progress`,"
		  "`agentId`:`a1`,`message`:{`type`:`user`}}}",
		  "other" },
		{ "{`type`:`progress`,`data`:7}", "other" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void test_hooks(void **state)
{
	static const struct row rows[] = {
		{ "{`type`:`progress`,`toolUseID`:`t`,`data`:{`type`:"
		  "`hook_progress`,`hookEvent`:`PostToolUse`}}",
		  "other; result t applied hook" },
		{ "{`type`:`attachment`,`attachment`:{`type`:`hook_success`,"
		  "`hookEvent`:`PostToolUse`,`toolUseID`:`t`}}",
		  "other; result t applied hook" },
		{ "{`type`:`progress`,`toolUseID`:`t`,`data`:{`type`:"
		  "`hook_progress`,`hookEvent`:`PreToolUse`}}",
		  "other" },
		{ "{`type`:`progress`,`toolUseID`:`t`,`data`:{`type`:"
		  "`hook_progress`,`hookEvent`:`PostToolUseFailure`}}",
		  "other" },
		{ "{`type`:`progress`,`data`:{`hookEvent`:`PostToolUse`}}",
		  "other" },
		{ "{`type`:`system`,`subtype`:`compact_boundary`}",
		  "other boundary" },
		{ "{`type`:`pr-link`,`sessionId`:`s`,`prUrl`:`https://x/1`}",
		  "other session=s pr=https://x/1" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void test_several_in_a_line(void **state)
{
	static const struct {
		const char *line;
		size_t end, split;
	} rows[] = {
		{ "", 0, 0 },
		{ "x", 0, 0 },
		{ "{}", 2, 0 },
		{ " {} ", 3, 0 },
		{ "{}{}", 2, 2 },
		{ " {} {}", 3, 3 },
		{ "{}x", 2, 2 },
		{ "x{}", 0, 0 },
		{ "{`a`:[{`b`:1}]}{`c`:2}", 15, 15 },
		{ "{`}`:`{`}{", 9, 9 },
		{ "{`\\`}`:1}{}", 9, 9 },
		{ "{`\\\\`:1}{}", 8, 8 },
		{ "{`a`:[}]}", 8, 8 },
		{ "{`a`:`}", 0, 0 },
		{ "{`a`:`\\", 0, 0 },
		{ "{{}", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *line = quoted(rows[i].line);
		struct ccfc_slice s = ccfc_slice(line, strlen(rows[i].line));

		if (rows[i].end != ccfc_record_end(s))
			print_error("line: %s\n", rows[i].line);
		assert_int_equal(ccfc_record_end(s), rows[i].end);
		assert_int_equal(ccfc_record_split(s), rows[i].split);
		free(line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_common),
		cmocka_unit_test(test_prompts),
		cmocka_unit_test(test_snapshots),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_hooks),
		cmocka_unit_test(test_several_in_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
