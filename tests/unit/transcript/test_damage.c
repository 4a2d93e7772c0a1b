/*
 * Lines that are not as they were written: cut, glued, torn, mutated, with
 * their keys in another order, deep, wide and long. What cannot be read gives
 * no facts, and nothing crashes (the sanitizers watch).
 */
#include "../seed.h"
#include "facts.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* As the client writes them, shortened. */
static const char *const lines[] = {
	"{`parentUuid`:null,`isSidechain`:false,`userType`:`external`,"
	"`cwd`:`/home/dev/p`,`sessionId`:`5e1c`,`version`:`2.1.50`,"
	"`gitBranch`:`main`,`type`:`user`,`message`:{`role`:`user`,"
	"`content`:`say \\`hi\\` [1]`},`uuid`:`u1`,"
	"`timestamp`:`2025-12-10T10:00:00.000Z`}",
	"{`parentUuid`:`u1`,`isSidechain`:false,`message`:{`id`:`msg_1`,"
	"`type`:`message`,`role`:`assistant`,`model`:`claude-opus-4`,"
	"`content`:[{`type`:`tool_use`,`id`:`toolu_1`,`name`:`Edit`,"
	"`input`:{`file_path`:`/home/dev/p/a.c`,`old_string`:`a {\\n`,"
	"`new_string`:`b }\\n`,`replace_all`:false}}],`stop_reason`:null,"
	"`usage`:{`input_tokens`:10,`output_tokens`:1.5e2}},"
	"`type`:`assistant`,`uuid`:`u2`,`sessionId`:`5e1c`,"
	"`timestamp`:`2025-12-10T10:00:01.000Z`}",
	"{`message`:{`role`:`user`,`content`:[{`tool_use_id`:`toolu_1`,"
	"`type`:`tool_result`,`content`:`The file has been updated.`}]},"
	"`toolUseResult`:{`filePath`:`/home/dev/p/a.c`,`oldString`:`a {`,"
	"`newString`:`b }`,`originalFile`:`a {\\nx\\n`,`structuredPatch`:"
	"[{`oldStart`:1,`oldLines`:2,`newStart`:1,`newLines`:2,"
	"`lines`:[`-a {`,`+b }`,` x`]}],`userModified`:false},"
	"`type`:`user`,`uuid`:`u3`,`sessionId`:`5e1c`}",
	"{`type`:`file-history-snapshot`,`messageId`:`u1`,`snapshot`:"
	"{`messageId`:`u1`,`trackedFileBackups`:{`a.c`:{`backupFileName`:"
	"`00ff@v1`,`version`:1,`backupTime`:`2025-12-10T10:00:01.000Z`}},"
	"`timestamp`:`2025-12-10T10:00:00.000Z`},`isSnapshotUpdate`:false}",
};

#define NLINES (sizeof(lines) / sizeof(*lines))

static struct ccfc_parser *parser;

static enum ccfc_record_kind kind_of(struct ccfc_slice bytes)
{
	char *line = padded(bytes);
	struct ccfc_record record;

	ccfc_record_parse(parser, &record, ccfc_slice(line, bytes.len));
	free(line);
	return record.kind;
}

static void facts_of(struct ccfc_buf *out, struct ccfc_slice bytes)
{
	char *line = padded(bytes);
	struct ccfc_record record;

	ccfc_record_parse(parser, &record, ccfc_slice(line, bytes.len));
	put_facts(out, &record);
	free(line);
}

static void test_whole(void **state)
{
	static const char *const facts[NLINES] = {
		"user session=5e1c uuid=u1 cwd=/home/dev/p branch=main "
		"version=2.1.50 time=2025-12-10T10:00:00.000Z prompt asked",
		"assistant session=5e1c uuid=u2 model=claude-opus-4 "
		"message=msg_1 time=2025-12-10T10:00:01.000Z; call toolu_1 "
		"Edit /home/dev/p/a.c +1 -1",
		"user session=5e1c uuid=u3; result toolu_1 applied Edit "
		"/home/dev/p/a.c +1 -1",
		"snapshot; backup a.c 00ff@v1 v1 2025-12-10T10:00:00.000Z "
		"made 2025-12-10T10:00:01.000Z",
	};
	struct ccfc_buf buf = CCFC_BUF_INIT;

	(void)state;
	for (size_t i = 0; i < NLINES; i++) {
		char *line = quoted(lines[i]);

		facts_of(&buf, ccfc_slice(line, strlen(lines[i])));
		assert_string_equal(buf.ptr, facts[i]);
		free(line);
	}
	ccfc_buf_release(&buf);
}

static void test_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < NLINES; i++) {
		char *line = quoted(lines[i]);
		size_t len = strlen(lines[i]);

		for (size_t cut = 1; cut < len; cut++) {
			assert_int_equal(kind_of(ccfc_slice(line, cut)),
					 CCFC_RECORD_MALFORMED);
			assert_int_equal(
				kind_of(ccfc_slice(line + cut, len - cut)),
				CCFC_RECORD_MALFORMED);
		}
		free(line);
	}
}

/* `a` up to `cut`, then `b`, then the rest of `a`: no facts. */
static void check_torn(const char *a, const char *b, size_t cut, bool rest)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	char *left = quoted(a);
	char *right = quoted(b);
	enum ccfc_record_kind kind;

	ccfc_buf_append(&buf, left, cut);
	ccfc_buf_append(&buf, right, strlen(b));
	if (rest)
		ccfc_buf_append(&buf, left + cut, strlen(a) - cut);
	kind = kind_of(ccfc_buf_view(&buf));
	if (kind != CCFC_RECORD_MALFORMED)
		print_error("torn at %zu: %s\n", cut, buf.ptr);
	assert_int_equal(kind, CCFC_RECORD_MALFORMED);
	free(left);
	free(right);
	ccfc_buf_release(&buf);
}

static void test_glued_and_torn(void **state)
{
	(void)state;
	for (size_t i = 0; i < NLINES; i++)
		for (size_t j = 0; j < NLINES; j++)
			for (size_t cut = 1; cut <= strlen(lines[i]); cut++) {
				check_torn(lines[i], lines[j], cut, false);
				check_torn(lines[i], lines[j], cut, true);
			}
}

static void test_mutated(void **state)
{
	static const char bytes[] = "{}[]\",:\\tfn0-eE. \n\0\x01\x80\xff";
	struct ccfc_buf buf = CCFC_BUF_INIT;

	(void)state;
	for (int turn = 0; turn < 40000; turn++) {
		const char *source = lines[seed_below(NLINES)];
		size_t len = strlen(source);
		char *line = quoted(source);

		for (uint32_t n = 1 + seed_below(3); n; n--)
			line[seed_below((uint32_t)len)] =
				bytes[seed_below(sizeof(bytes) - 1)];
		facts_of(&buf, ccfc_slice(line, len));
		free(line);
	}
	ccfc_buf_release(&buf);
}

/* The fields of a record in some order, with some white space. */
static void put_shuffled(struct ccfc_buf *out, const char *const *fields,
			 uint32_t n)
{
	const char *order[16];
	bool spaces = seed_below(2);

	memcpy(order, fields, n * sizeof(*order));
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = seed_below(i);
		const char *swap = order[i - 1];

		order[i - 1] = order[j];
		order[j] = swap;
	}
	ccfc_buf_putc(out, '{');
	for (uint32_t i = 0; i < n; i++)
		ccfc_buf_printf(out, "%s%s%s", i ? "," : "",
				spaces ? " \t" : "", order[i]);
	ccfc_buf_puts(out, spaces ? " }" : "}");
}

static void test_order_of_keys(void **state)
{
	static const char *const input[] = { "`file_path`:`/a`",
					     "`old_string`:`x`",
					     "`new_string` : `y`",
					     "`replace_all`:false" };
	static const char *const expected =
		"assistant session=s uuid=u cwd=/c model=m message=i "
		"time=2025-12-10T10:00:00.000Z; call t Edit /a +1 -1";
	struct ccfc_buf part[4] = { CCFC_BUF_INIT, CCFC_BUF_INIT, CCFC_BUF_INIT,
				    CCFC_BUF_INIT };
	struct ccfc_buf facts = CCFC_BUF_INIT;

	(void)state;
	for (int turn = 0; turn < 500; turn++) {
		const char *block[] = { "`type`:`tool_use`", "`id`:`t`",
					"`name`:`Edit`", NULL };
		const char *message[] = { "`id`:`i`", "`type`:`message`",
					  "`role`:`assistant`", "`model`:`m`",
					  NULL };
		const char *record[] = {
			"`type`:`assistant`",
			"`sessionId`:`s`",
			"`uuid`:`u`",
			"`cwd`:`/c`",
			"`timestamp`:`2025-12-10T10:00:00.000Z`",
			"`other`:{`type`:`user`,`uuid`:[{`a`:`}`}]}",
			NULL,
		};
		char *line;

		for (size_t i = 0; i < 4; i++)
			ccfc_buf_clear(&part[i]);
		ccfc_buf_puts(&part[0], "`input`:");
		put_shuffled(&part[0], input, 4);
		block[3] = part[0].ptr;
		ccfc_buf_puts(&part[1], "`content`:[");
		put_shuffled(&part[1], block, 4);
		ccfc_buf_putc(&part[1], ']');
		message[4] = part[1].ptr;
		ccfc_buf_puts(&part[2], "`message`:");
		put_shuffled(&part[2], message, 5);
		record[6] = part[2].ptr;
		put_shuffled(&part[3], record, 7);
		line = quoted(part[3].ptr);
		facts_of(&facts, ccfc_slice(line, part[3].len));
		assert_string_equal(facts.ptr, expected);
		free(line);
	}
	for (size_t i = 0; i < 4; i++)
		ccfc_buf_release(&part[i]);
	ccfc_buf_release(&facts);
}

static void repeat(struct ccfc_buf *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ccfc_buf_puts(out, s);
}

static void test_deep(void **state)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	size_t depth = 300000;

	(void)state;
	ccfc_buf_puts(&buf, "{\"type\":\"user\",\"a\":");
	repeat(&buf, "[", depth);
	assert_int_equal(kind_of(ccfc_buf_view(&buf)), CCFC_RECORD_MALFORMED);
	repeat(&buf, "]", depth);
	assert_int_equal(kind_of(ccfc_buf_view(&buf)), CCFC_RECORD_MALFORMED);
	ccfc_buf_putc(&buf, '}');
	assert_int_equal(kind_of(ccfc_buf_view(&buf)), CCFC_RECORD_USER);
	ccfc_buf_clear(&buf);
	repeat(&buf, "{\"a\":", depth);
	ccfc_buf_puts(&buf, "{}");
	repeat(&buf, "}", depth);
	assert_int_equal(kind_of(ccfc_buf_view(&buf)), CCFC_RECORD_UNKNOWN);
	ccfc_buf_release(&buf);
}

static void test_wide(void **state)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_record record;
	unsigned n = 200000;
	char *line;

	(void)state;
	ccfc_buf_puts(&buf, "{\"type\":\"file-history-snapshot\",\"snapshot\":"
			    "{\"trackedFileBackups\":{");
	for (unsigned i = 0; i < n; i++)
		ccfc_buf_printf(&buf, "%s\"f%u\":{\"version\":%u}",
				i ? "," : "", i, i);
	ccfc_buf_puts(&buf, "}}}");
	line = padded(ccfc_buf_view(&buf));
	ccfc_record_parse(parser, &record, ccfc_slice(line, buf.len));
	assert_int_equal(record.nbackups, n);
	assert_true(ccfc_slice_is(record.backups[n - 1].path, "f199999"));
	assert_int_equal(record.backups[n - 1].version, n - 1);
	free(line);
	ccfc_buf_release(&buf);
}

/* A line of many megabytes, and a small one behind it. */
static void test_long(void **state)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_buf facts = CCFC_BUF_INIT;
	size_t len = 9u << 20;

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		ccfc_buf_clear(&buf);
		ccfc_buf_puts(&buf,
			      "{\"type\":\"assistant\",\"message\":"
			      "{\"content\":[{\"type\":\"tool_use\",\"id\":"
			      "\"t\",\"name\":\"Write\",\"input\":"
			      "{\"file_path\":\"/a\",\"content\":\"");
		memset(ccfc_buf_reserve(&buf, len), 'x', len);
		buf.len += len;
		ccfc_buf_puts(&buf, "\"}}]}}");
		facts_of(&facts, ccfc_buf_view(&buf));
		assert_string_equal(facts.ptr,
				    "assistant; call t Write /a +1 -?");
		facts_of(&facts, CCFC_SLICE_LIT("{\"type\":\"user\"}"));
		assert_string_equal(facts.ptr, "user");
	}
	ccfc_buf_release(&buf);
	ccfc_buf_release(&facts);
}

static int setup(void **state)
{
	(void)state;
	parser = ccfc_parser_new(NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ccfc_parser_free(parser);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_glued_and_torn),
		cmocka_unit_test(test_mutated),
		cmocka_unit_test(test_order_of_keys),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_long),
	};

	seed_start();
	return cmocka_run_group_tests(tests, setup, teardown);
}
