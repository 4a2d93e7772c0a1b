/* ccfc cat against a daemon that follows a script, and what --at becomes. */
#include "fake.h"

#include "base/sha256.h"
#include "cli/frame/connect.h"
#include "cli/frame/moment.h"

/* The reply of file.at with one state; content may be NULL. */
static void pack_state(struct ccfc_pack *p, bool exists, const char *fidelity,
		       const char *why, struct ccfc_slice content)
{
	char hash[CCFC_SHA256_HEX + 1];

	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", "/p/a.c");
	ccfc_pack_cstr(p, "state");
	ccfc_pack_map(p);
	ccfc_pack_kv_bool(p, "exists", exists);
	ccfc_pack_kv_cstr(p, "fidelity", fidelity);
	if (why)
		ccfc_pack_kv_cstr(p, "why", why);
	if (content.ptr) {
		ccfc_sha256_hex(hash, content);
		ccfc_pack_kv_cstr(p, "sha256", hash);
		ccfc_pack_kv_bin(p, "content", content);
	}
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

#define BYTES CCFC_SLICE_LIT("a\0\xff\r\n\033no newline")

static void pack_exact(struct ccfc_pack *p)
{
	pack_state(p, true, "exact", "not of interest", BYTES);
}

static void pack_empty(struct ccfc_pack *p)
{
	pack_state(p, true, "exact", NULL, CCFC_SLICE_LIT(""));
}

static void pack_reconstructed(struct ccfc_pack *p)
{
	pack_state(p, true, "reconstructed", "a tab\tor two",
		   CCFC_SLICE_LIT("x\033\n"));
}

static void pack_absent(struct ccfc_pack *p)
{
	pack_state(p, false, "exact", NULL, CCFC_SLICE_NONE);
}

static void pack_unknown(struct ccfc_pack *p)
{
	pack_state(p, true, "unknown", "no backup", CCFC_SLICE_NONE);
}

/* Said to be exact, and not there. */
static void pack_missing(struct ccfc_pack *p)
{
	pack_state(p, true, "exact", NULL, CCFC_SLICE_NONE);
}

static void pack_wrong(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_cstr(p, "state");
	ccfc_pack_map(p);
	ccfc_pack_kv_bool(p, "exists", true);
	ccfc_pack_kv_cstr(p, "fidelity", "exact");
	ccfc_pack_kv_cstr(p, "sha256", "00");
	ccfc_pack_kv_bin(p, "content", CCFC_SLICE_LIT("x"));
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void pack_cut(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_bool(p, "truncated", true);
	ccfc_pack_cstr(p, "state");
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "fidelity", "exact");
	ccfc_pack_kv_bin(p, "content", CCFC_SLICE_LIT("x"));
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void pack_part(struct ccfc_pack *p, int line, int lines,
		      const char *text)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "line", line);
	ccfc_pack_kv_int(p, "lines", lines);
	ccfc_pack_kv_cstr(p, "text", text);
	ccfc_pack_end(p);
}

static void pack_partial(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_cstr(p, "state");
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "fidelity", "partial");
	ccfc_pack_kv_cstr(p, "why", "only edits are known");
	ccfc_pack_cstr(p, "known");
	ccfc_pack_array(p);
	pack_part(p, 4, 2, "four\nfive\n");
	pack_part(p, 7, 1, "seven");
	pack_part(p, 8, 1, "eight\n");
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

#define ANSWER(check, pack)                                                    \
	((const struct fake_step[]){                                           \
		{ "file.at", check, pack, 0, NULL, false }, { 0 } })

static bool check_ask(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "path"),
			     "/no/such/a.c") &&
	       ccfc_slice_is(ccfc_obj_get_str(params, "at"), "before:3f2a") &&
	       ccfc_obj_type(ccfc_obj_get(params, "maxContent")) ==
		       CCFC_OBJ_NONE;
}

static bool check_no_at(struct ccfc_obj params)
{
	return ccfc_obj_type(ccfc_obj_get(params, "at")) == CCFC_OBJ_NONE;
}

static void test_content(void **state)
{
	struct fake_result r;

	(void)state;
	fake_run(&r, ARGV("cat", "/no/such/./a.c", "--at=before:3f2a"),
		 ANSWER(check_ask, pack_exact));
	assert_int_equal(r.status, 0);
	assert_int_equal(r.out.len, BYTES.len);
	assert_memory_equal(r.out.ptr, BYTES.ptr, BYTES.len);
	assert_string_equal(r.err.ptr, "");
	assert_true(r.script_done);
	fake_release(&r);
	fake_check(ARGV("cat", "a.c"), ANSWER(check_no_at, pack_empty), 0, "",
		   "");
	fake_check(ARGV("cat", "a.c", "--at=3f2a"),
		   ANSWER(NULL, pack_reconstructed), 0, "x\033\n",
		   "ccfc: note: a.c at 3f2a: reconstructed: a tab^Ior two\n");
	fake_check(ARGV("cat", "a.c", "--format=json"),
		   ANSWER(NULL, pack_unknown), 2,
		   "{\n  \"path\": \"/p/a.c\",\n  \"state\": {\n"
		   "    \"exists\": true,\n    \"fidelity\": \"unknown\",\n"
		   "    \"why\": \"no backup\"\n  }\n}\n",
		   "");
}

/* What is not known is never printed, whatever it is called. */
static void test_refused(void **state)
{
	static const struct {
		void (*pack)(struct ccfc_pack *p);
		int status;
		const char *err;
	} rows[] = {
		{ pack_absent, 1,
		  "ccfc: cat: a.c at 3f2a: the file did not exist then\n" },
		{ pack_unknown, 2,
		  "ccfc: cat: a.c at 3f2a: unknown: no "
		  "backup\n" },
		{ pack_missing, 2,
		  "ccfc: cat: a.c at 3f2a: unknown: the "
		  "daemon sent no content\n" },
		{ pack_wrong, 2,
		  "ccfc: cat: a.c at 3f2a: unknown: the content does not "
		  "match its SHA-256\n" },
		{ pack_cut, 2,
		  "ccfc: cat: a.c at 3f2a: unknown: the content "
		  "is too long to be sent\n" },
		{ pack_partial, 2,
		  "ccfc: cat: a.c at 3f2a: partial: only edits are known\n"
		  "hint: --partial prints the lines that are known\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		fake_check(ARGV("cat", "a.c", "--at", "3f2a"),
			   ANSWER(NULL, rows[i].pack), rows[i].status, "",
			   rows[i].err);
	fake_check(ARGV("cat", ""), NULL, 2, "",
		   "ccfc: cat: the path is empty\n");
	fake_check(ARGV("cat", "a.c"), NULL, 3, "", NULL);
}

static void test_partial(void **state)
{
	(void)state;
	fake_check(ARGV("cat", "a.c", "--partial"), ANSWER(NULL, pack_partial),
		   0, "four\nfive\nseven\neight\n",
		   "ccfc: note: a.c: partial: only edits are known\n"
		   "ccfc: note: a.c: not known: lines 1-3, 6, 9 and on\n");
	/* It changes nothing where all or nothing is known. */
	fake_check(ARGV("cat", "a.c", "--partial"), ANSWER(NULL, pack_unknown),
		   2, "", NULL);
}

/* What a terminal of 80 columns gets. */
static void check_terminal(const char *format,
			   void (*pack)(struct ccfc_pack *p),
			   struct ccfc_slice expected)
{
	char dir[] = "/tmp/ccfc-cat-XXXXXX", path[64];
	char *words[] = { (char *)"a.c", (char *)format };
	struct ccfc_cli cli = { .out = memory_out(80) };
	struct ccfc_opts opts;
	pid_t server;
	int listener;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/s", dir);
	setenv("CCFC_SOCKET", path, 1);
	listener = listen_at(path);
	server = fork();
	if (!server)
		_exit(serve(listener, ANSWER(NULL, pack)));
	close(listener);
	ccfc_opts_init(&opts, "cat", ccfc_cmd_cat.options, ccfc_cli_common);
	assert_int_equal(
		ccfc_opts_parse(&opts, format ? 2 : 1, words, false, NULL), 0);
	assert_int_equal(ccfc_cmd_cat.run(&cli, &opts), 0);
	assert_int_equal(cli.out.buf.len, expected.len);
	if (expected.len)
		assert_memory_equal(cli.out.buf.ptr, expected.ptr,
				    expected.len);
	ccfc_opts_release(&opts);
	ccfc_cli_disconnect(&cli);
	ccfc_buf_release(&cli.out.buf);
	assert_int_equal(wait_for(server), 0);
	unlink(path);
	rmdir(dir);
}

/* Text is made safe, binary content left out, unless raw is asked for. */
static void test_terminal(void **state)
{
	(void)state;
	check_terminal(NULL, pack_reconstructed, CCFC_SLICE_LIT("x^[\n"));
	check_terminal("--format=raw", pack_reconstructed,
		       CCFC_SLICE_LIT("x\033\n"));
	check_terminal(NULL, pack_exact, CCFC_SLICE_NONE);
	check_terminal("--format=raw", pack_exact, BYTES);
}

/* Local times become UTC, meant to their end; the rest stays as it is. */
static void test_at(void **state)
{
	static const struct {
		const char *zone, *given, *sent;
	} rows[] = {
		{ "EST5", "2025-12-10", "2025-12-11T04:59:59.999Z" },
		{ "EST5", "2025-12-10 14:05", "2025-12-10T19:05:59.999Z" },
		{ "EST5", "2025-12-10 14:05:07", "2025-12-10T19:05:07.999Z" },
		{ "EST5", "2025-12-10 23:30", "2025-12-11T04:30:59.999Z" },
		{ "EST5EDT,M3.2.0,M11.1.0", "2025-07-01 00:00:00",
		  "2025-07-01T04:00:00.999Z" },
		{ "EST5", "2025-12-10T14:05:00Z", "2025-12-10T14:05:00Z" },
		{ "EST5", "2025-12-10 14:05:00+01:00",
		  "2025-12-10 14:05:00+01:00" },
		{ "EST5", "2025-02-30", "2025-02-30" },
		{ "EST5", "toolu_01AB", "toolu_01AB" },
		{ "EST5", "before:3f2a", "before:3f2a" },
		{ "EST5", "/x/./y.jsonl", "/x/y.jsonl" },
		{ "EST5", "before:/x/./y.jsonl", "before:/x/y.jsonl" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text;

		setenv("TZ", rows[i].zone, 1);
		tzset();
		assert_int_equal(ccfc_moment_text(&text, rows[i].given, NULL),
				 0);
		assert_string_equal(text, rows[i].sent);
		free(text);
	}
	use_utc(state);
}

static int setup(void **state)
{
	setenv("CCFC_NO_SPAWN", "1", 1);
	return use_utc(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_content), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_partial), cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_at),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
