/* The formats of `ccfc blame`, and whole runs against a scripted daemon. */
#include "fake.h"

#include "blame_reply.h"

#include "cli/blame/agent_trace.h"
#include "cli/blame/blame_line.h"
#include "cli/out/human.h"

struct world {
	struct packed packed;
	struct ccfc_git_blame git;
	struct ccfc_blame_view view;
	struct ccfc_out out;
};

static void world_init(struct world *w, bool git, unsigned width)
{
	struct ccfc_buf words = CCFC_BUF_INIT;

	*w = (struct world){ .out = memory_out(width) };
	pack_blame(packed_init(&w->packed));
	ccfc_blame_view_init(&w->view, packed_root(&w->packed),
			     CCFC_SLICE_LIT("a.c"));
	ccfc_buf_puts(&words, git_words);
	assert_int_equal(ccfc_git_blame_parse(&w->git, &words, NULL), 0);
	if (git)
		w->view.git = &w->git;
}

static void world_release(struct world *w)
{
	packed_release(&w->packed);
	ccfc_git_blame_release(&w->git);
	ccfc_buf_release(&w->out.buf);
}

static void test_table(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, false, 0);
	ccfc_blame_table(&w.out, &w.view);
	assert_string_equal(
		w.out.buf.ptr,
		"toolu_01AAAAAA (3f2a91c4                 opus-4-5   "
		"2025-12-10 10:05 1) int a;\n"
		"toolu_01AAAAAA (3f2a91c4                 opus-4-5   "
		"2025-12-10 10:05 2) \xe6\x97\xa5;\n"
		"toolu_01BBBBBB (77777777 Explore a1b2c3d haiku-4-5  "
		"2025-12-10 11:00 3) b\x1b[31m\n"
		"outside        (                                   "
		">2025-12-10 10:05 4) \n"
		"unknown        (                                   "
		"<2025-12-10 11:00 5) mine\r\n"
		"toolu_01AAAAAA (3f2a91c4                 opus-4-5   "
		"2025-12-10 10:05 6) int c;\n");
	world_release(&w);
}

/* Commits beside sessions, and in their place where there is none. */
static void test_table_git(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, true, 0);
	w.view.ncols = 1;
	w.view.cols[0] = CCFC_BLAME_COL_PROMPT;
	ccfc_blame_table(&w.out, &w.view);
	assert_string_equal(w.out.buf.ptr,
			    "toolu_01AAAAAA 11111111 (add \xe6\x97\xa5     "
			    "2025-12-10 10:05 1) int a;\n"
			    "toolu_01AAAAAA 22222222 (add \xe6\x97\xa5     "
			    "2025-12-10 10:05 2) \xe6\x97\xa5;\n"
			    "toolu_01BBBBBB          (colour it  "
			    "2025-12-10 11:00 3) b\x1b[31m\n"
			    "outside        11111111 (Ann Ey     "
			    "2025-12-10 09:46 4) \n"
			    "unknown        11111111 (Ann Ey     "
			    "2025-12-10 09:46 5) mine\r\n"
			    "toolu_01AAAAAA          (add \xe6\x97\xa5     "
			    "2025-12-10 10:05 6) int c;\n");
	world_release(&w);
}

/* On a terminal: safe, coloured, and some of it left for the text. */
static void test_terminal(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, false, 80);
	w.out.color = true;
	ccfc_blame_table(&w.out, &w.view);
	assert_non_null(strstr(w.out.buf.ptr, "b^[[31m\n"));
	assert_non_null(strstr(w.out.buf.ptr, "\033[32mBBBBBB"));
	assert_non_null(strstr(w.out.buf.ptr, "\033[36mAAAAAA"));
	assert_non_null(strstr(w.out.buf.ptr, "\033[2moutside"));
	assert_non_null(strstr(w.out.buf.ptr, "\033[33munknown"));
	assert_null(strstr(w.out.buf.ptr, "Explore a1b2c3d"));
	assert_non_null(strstr(w.out.buf.ptr, "(77777777 haiku-4-5 "));
	world_release(&w);
}

static void test_blocks(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, true, 0);
	w.view.cols[w.view.ncols++] = CCFC_BLAME_COL_PROMPT;
	ccfc_blame_blocks(&w.out, &w.view);
	assert_string_equal(w.out.buf.ptr,
			    "  LINES  OWNER           COMMIT    DATE           "
			    "   SESSION   "
			    "AGENT            MODEL      PROMPT\n"
			    "  1-2    toolu_01AAAAAA  several   2025-12-10 "
			    "10:05  3f2a91c4  "
			    "                 opus-4-5   add \xe6\x97\xa5\n"
			    "  3      toolu_01BBBBBB            2025-12-10 "
			    "11:00  77777777  "
			    "Explore a1b2c3d  haiku-4-5  colour it\n"
			    "  4      outside         11111111  2025-12-10 "
			    "09:46  Ann Ey    "
			    "                            \n"
			    "  5      unknown         11111111  2025-12-10 "
			    "09:46  Ann Ey    "
			    "                            \n"
			    "  6      toolu_01AAAAAA            2025-12-10 "
			    "10:05  3f2a91c4  "
			    "                 opus-4-5   add \xe6\x97\xa5\n");
	world_release(&w);
}

/* The first 40 digits of the SHA-256 of CHANGE_A and CHANGE_B. */
#define ID_A "fb701d7ba69f3727076885afe96241ca42705fc7"
#define ID_B "258995551dba7523db0843e94e3d6fe7d92f2ec1"

#define PERSON(role, name, mail, time, zone)                                   \
	role " " name "\n" role "-mail <" mail ">\n" role "-time " time        \
	     "\n" role "-tz " zone "\n"
#define BOTH(...) PERSON("author", __VA_ARGS__) PERSON("committer", __VA_ARGS__)

static void test_porcelain(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, false, 0);
	ccfc_blame_porcelain(&w.out, &w.view, false);
	assert_string_equal(
		w.out.buf.ptr,
		ID_A " 1 1 2\n" BOTH(
			"claude-opus-4-5-20251101", SESSION_A, "1765361100",
			"+0000") "summary add \xe6\x97\xa5\nccfc-kind session\n"
				 "ccfc-change " CHANGE_A
				 "\nccfc-session " SESSION_A
				 "\nccfc-model claude-opus-4-5-20251101\n"
				 "ccfc-tool Write\nfilename a.c\n\tint "
				 "a;\n" ID_A " 2 2\n\t\xe6\x97\xa5;\n" ID_B
				 " 7 3 1\n" BOTH(
					 "claude-haiku-4-5-20251001", SESSION_B,
					 "1765364400",
					 "+0000") "summary colour "
						  "it\nccfc-kind session\n"
						  "ccfc-change " CHANGE_B
						  "\nccfc-session " SESSION_B
						  "\nccfc-model "
						  "claude-haiku-4-5-20251001\n"
						  "ccfc-agent "
						  "a1b2c3d\nccfc-agent-type "
						  "Explore\n"
						  "ccfc-tool Edit\nfilename "
						  "a.c\n\tb\x1b[31m\n" COMMIT_0
						  " 4 4 1\n" BOTH(
							  "outside", "outside",
							  "1765361100",
							  "+0000") "summary "
								   "Changed "
								   "outside of "
								   "all "
								   "sessions\n"
								   "ccfc-kind "
								   "outside\n"
								   "ccfc-from "
								   "2025-12-"
								   "10T10:05:"
								   "00.000Z\n"
								   "ccfc-to "
								   "2025-12-"
								   "10T11:00:"
								   "00."
								   "000Z\nfilen"
								   "ame "
								   "a."
								   "c\n\t"
								   "\n" COMMIT_0
								   " 5 5 "
								   "1\n" BOTH(
									   "unk"
									   "now"
									   "n",
									   "unk"
									   "now"
									   "n",
									   "176"
									   "536"
									   "440"
									   "0",
									   "+00"
									   "00") "summary Not known\nccfc-kind unknown\n"
										 "ccfc-to 2025-12-10T11:00:00.000Z\nfilename a.c\n"
										 "\tmine\r\n" ID_A
										 " 9 6 1\n\tint c;\n");
	world_release(&w);
}

static unsigned count(const char *text, const char *word)
{
	unsigned n = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		n++;
	}
	return n;
}

static void test_porcelain_git(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, true, 0);
	ccfc_blame_porcelain(&w.out, &w.view, false);
	assert_non_null(strstr(w.out.buf.ptr, "ccfc-commit " COMMIT_1
					      "\n\tint a;\n" ID_A " 2 2\n"
					      "ccfc-commit " COMMIT_2 "\n\t"));
	/* Nobody's lines are git's: its id, its lines, its words. */
	assert_non_null(strstr(w.out.buf.ptr, COMMIT_1
			       " 4 4 2\nauthor Ann Ey\nauthor-mail "
			       "<ann@example.org>\nauthor-time 1765360000\n"
			       "author-tz +0100\n"));
	assert_non_null(
		strstr(w.out.buf.ptr, "summary first\nccfc-kind outside"));
	assert_non_null(strstr(w.out.buf.ptr,
			       COMMIT_1 " 5 5\nccfc-kind unknown\n\tmine\r\n"));
	world_release(&w);
	world_init(&w, true, 0);
	ccfc_blame_porcelain(&w.out, &w.view, true);
	assert_int_equal(count(w.out.buf.ptr, "\nfilename a.c\n"), 6);
	world_release(&w);
}

/* The reply and three fields more; the reply alone without git. */
static void test_json(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, true, 0);
	ccfc_blame_json(&w.out, &w.view);
	assert_non_null(strstr(w.out.buf.ptr,
			       "\"content\":\"int a;\",\"commit\":\"" COMMIT_1
			       "\",\"commitAuthor\":\"Ann Ey\",\"commitTime\":"
			       "\"2025-12-10T09:46:40.000Z\"},\n"));
	assert_non_null(strstr(w.out.buf.ptr,
			       "\"content\":\"int c;\",\"commit\":null,"
			       "\"commitAuthor\":null,\"commitTime\":null}\n"));
	assert_non_null(
		strstr(w.out.buf.ptr, "\n  \"fidelity\": \"exact\",\n"));
	world_release(&w);
	world_init(&w, false, 0);
	ccfc_blame_json(&w.out, &w.view);
	assert_null(strstr(w.out.buf.ptr, "commit"));
	world_release(&w);
	world_init(&w, true, 0);
	ccfc_blame_jsonl(&w.out, &w.view, false);
	assert_int_equal(count(w.out.buf.ptr, "\n"), 6);
	assert_int_equal(count(w.out.buf.ptr, "\"commit\":"), 6);
	ccfc_buf_clear(&w.out.buf);
	ccfc_blame_jsonl(&w.out, &w.view, true);
	assert_int_equal(count(w.out.buf.ptr, "\n"), 5);
	world_release(&w);
}

static void test_agent_trace(void **state)
{
	struct ccfc_buf first = CCFC_BUF_INIT;
	struct world w;

	(void)state;
	world_init(&w, false, 0);
	ccfc_agent_trace(&w.out, &w.view, "/no/such/a.c", true);
	assert_non_null(strstr(w.out.buf.ptr, "\"version\": \"0.1\""));
	assert_non_null(strstr(w.out.buf.ptr,
			       "\"timestamp\": \"2025-12-10T11:00:00.000Z\""));
	assert_null(strstr(w.out.buf.ptr, "vcs"));
	assert_non_null(strstr(w.out.buf.ptr,
			       "          \"url\": \"ccfc://session/" SESSION_A
			       "\",\n"
			       "          \"contributor\": {\n"
			       "            \"type\": \"ai\",\n"
			       "            \"model_id\": "
			       "\"anthropic/claude-opus-4-5-20251101\"\n"
			       "          },\n"
			       "          \"ranges\": [\n"
			       "            {\n"
			       "              \"start_line\": 1,\n"
			       "              \"end_line\": 2,\n"
			       "              \"content_hash\": "
			       "\"sha256:"
			       "6b37bb41491a5b6bee7542e0d330bf177832f4f43d60fa0"
			       "80e1bd05b83609fb1\"\n"
			       "            },\n"
			       "            {\n"
			       "              \"start_line\": 6,\n"));
	assert_non_null(strstr(w.out.buf.ptr,
			       "ccfc://session/" SESSION_B "/agent/a1b2c3d"));
	assert_int_equal(count(w.out.buf.ptr, "\"type\": \"human\""), 1);
	assert_int_equal(count(w.out.buf.ptr, "\"type\": \"unknown\""), 1);
	/* The same lines, the same record. */
	ccfc_buf_slice(&first, ccfc_buf_view(&w.out.buf));
	ccfc_buf_clear(&w.out.buf);
	ccfc_agent_trace(&w.out, &w.view, "/no/such/a.c", true);
	assert_string_equal(w.out.buf.ptr, first.ptr);
	ccfc_buf_release(&first);
	world_release(&w);
}

static void test_model(void **state)
{
	static const char *const cases[][2] = {
		{ "claude-opus-4-5-20251101", "opus-4-5" },
		{ "claude-3-5-sonnet-20241022", "3-5-sonnet" },
		{ "claude-opus-4-6", "opus-4-6" },
		{ "<synthetic>", "<synthetic>" },
		{ "claude-", "claude-" },
		{ "x-123456789", "x-123456789" },
		{ "20251101", "20251101" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_true(ccfc_slice_is(
			ccfc_human_model(ccfc_slice_str(cases[i][0])),
			cases[i][1]));
}

/* ---- whole runs ---- */

static bool check_params(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "path"),
			     "/no/such/a.c") &&
	       ccfc_slice_is(ccfc_obj_get_str(params, "at"),
			     "2025-12-31T14:05:59.999Z") &&
	       ccfc_obj_get_int(params, "from", 0) == 3 &&
	       ccfc_obj_get_int(params, "to", 0) == 4 &&
	       ccfc_obj_get_bool(params, "ignoreSpace", false) &&
	       ccfc_obj_get_str(params, "cwd").len;
}

static bool check_plain(struct ccfc_obj params)
{
	return ccfc_obj_type(ccfc_obj_get(params, "at")) == CCFC_OBJ_NONE &&
	       ccfc_obj_type(ccfc_obj_get(params, "from")) == CCFC_OBJ_NONE;
}

static void test_run(void **state)
{
	static const struct fake_step asked[] = {
		{ "file.blame", check_params, pack_blame, 0, NULL, false },
		{ 0 },
	};
	static const struct fake_step plain[] = {
		{ "file.blame", check_plain, pack_blame, 0, NULL, false },
		{ 0 },
	};
	static const struct fake_step none[] = {
		{ "file.blame", NULL, NULL, CCFC_ENOTFOUND, NULL, false },
		{ 0 },
	};
	struct fake_result r;

	(void)state;
	fake_check(ARGV("blame", "-w", "-L3,+2", "/no/such/../such/a.c",
			"--at=2025-12-31 14:05", "--blocks", "--show=tool"),
		   asked, 0,
		   "  LINES  OWNER            DATE              TOOL\n"
		   "  1-2    toolu_01AAAAAA   2025-12-10 10:05  Write\n"
		   "  3      toolu_01BBBBBB   2025-12-10 11:00  Edit\n"
		   "  4      outside         >2025-12-10 10:05  \n"
		   "  5      unknown         <2025-12-10 11:00  \n"
		   "  6      toolu_01AAAAAA   2025-12-10 10:05  Write\n",
		   "");
	/* No directory, so no repository: a note, and the rest as ever. */
	fake_run(&r, ARGV("blame", "--git", "/no/such/a.c"), plain);
	assert_int_equal(r.status, 0);
	assert_int_equal(count(r.out.ptr, "\n"), 6);
	assert_string_equal(r.err.ptr,
			    "ccfc: note: /no/such/a.c: no commits: git: the "
			    "directory does not exist\n");
	fake_release(&r);
	fake_check(ARGV("blame", "x"), none, 1, "",
		   "ccfc: what: why\nhint: try^[this\n");
}

static void test_refused(void **state)
{
	static const struct {
		const char *argv[4];
		const char *err;
	} cases[] = {
		{ { "blame", "-L0,3", "x" },
		  "ccfc: blame: -L 0,3: no such lines\nhint: lines count from "
		  "1: -L 10,20, -L 10,+5, -L 10 or -L ,20\n" },
		{ { "blame", "--show=promt", "x" },
		  "ccfc: blame: --show=promt: no such column\n"
		  "hint: did you mean 'prompt'?\n" },
		{ { "blame", "--show=q", "x" },
		  "ccfc: blame: --show=q: no such column\nhint: one of prompt, "
		  "session, model, agent, version, tool, "
		  "command\n" },
		{ { "blame", "" }, "ccfc: blame: the path is empty\n" },
		{ { "blame", "--git", "--at=ab", "x" },
		  "ccfc: blame: --git: not with --at: git knows the file as it "
		  "is now\n" },
		{ { "blame", "--blocks", "--format=porcelain", "x" },
		  "ccfc: blame: --blocks: porcelain is about lines\n" },
		{ { "blame", "--line-porcelain", "--format=json", "x" },
		  "ccfc: blame: --line-porcelain: only with "
		  "--format=porcelain\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *argv[5] = { NULL };

		memcpy(argv, cases[i].argv, sizeof(cases[i].argv));
		fake_check(argv, NULL, 2, "", cases[i].err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_git),
		cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_porcelain),
		cmocka_unit_test(test_porcelain_git),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_agent_trace),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_refused),
	};

	setenv("CCFC_NO_SPAWN", "1", 1);
	return cmocka_run_group_tests(tests, use_utc, NULL);
}
