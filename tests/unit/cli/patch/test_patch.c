/* How diffs are shown: exact bytes, a terminal's view, and --stat. */
#include "cli_test.h"

#include "cli/patch/diffstat.h"
#include "cli/patch/patch.h"

/* The second line that goes looks like a header, and is none. */
static const char diff[] = "diff --git a/x b/x\n"
			   "--- a/x\n"
			   "+++ b/x\n"
			   "@@ -1,3 +1,2 @@ f()\n"
			   " a\tb\n"
			   "-\033[2J\r\n"
			   "--- y\n"
			   "+++ z\n"
			   "\\ No newline at end of file\n"
			   "@@ -9 +8,0 @@\n"
			   "-end\n"
			   "diff --git a/y b/y\n"
			   "new file mode 100644\n";

static void test_exact(void **state)
{
	struct ccfc_out out = memory_out(0);

	(void)state;
	ccfc_patch_print(&out, CCFC_SLICE_LIT("@@ -0,0 +1 @@\n+\0\xff\033\n"));
	assert_int_equal(out.buf.len, 19);
	assert_memory_equal(out.buf.ptr, "@@ -0,0 +1 @@\n+\0\xff\033\n", 19);
	ccfc_buf_clear(&out.buf);
	ccfc_patch_print(&out, ccfc_slice_str(diff));
	assert_string_equal(out.buf.ptr, diff);
	ccfc_buf_release(&out.buf);
}

static void test_terminal(void **state)
{
	struct ccfc_out out = memory_out(80);

	(void)state;
	ccfc_patch_print(&out, ccfc_slice_str(diff));
	assert_non_null(strstr(out.buf.ptr, "\n-^[[2J^M\n--- y\n+++ z\n"));
	assert_null(memchr(out.buf.ptr, '\033', out.buf.len));
	ccfc_buf_clear(&out.buf);
	out.color = true;
	ccfc_patch_print(&out, ccfc_slice_str(diff));
	assert_string_equal(out.buf.ptr,
			    "\033[1mdiff --git a/x b/x\033[m\n"
			    "\033[1m--- a/x\033[m\n"
			    "\033[1m+++ b/x\033[m\n"
			    "\033[36m@@ -1,3 +1,2 @@ f()\033[m\n"
			    " a\tb\n"
			    "\033[31m-^[[2J^M\033[m\n"
			    "\033[31m--- y\033[m\n"
			    "\033[32m+++ z\033[m\n"
			    "\033[2m\\ No newline at end of file\033[m\n"
			    "\033[36m@@ -9 +8,0 @@\033[m\n"
			    "\033[31m-end\033[m\n"
			    "\033[1mdiff --git a/y b/y\033[m\n"
			    "\033[1mnew file mode 100644\033[m\n");
	ccfc_buf_release(&out.buf);
}

/* Bytes that are no diff at all are still shown, and end. */
static void test_nonsense(void **state)
{
	static const char *const rows[] = { "@@",      "@@ -",	    "@@ -1,",
					    "@@ -1,2", "@@ -1,2 +", "@@ - +1",
					    "\n",      "x" };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_out out = memory_out(80);
		size_t n = strcspn(rows[i], "\n");

		ccfc_patch_print(&out, ccfc_slice_str(rows[i]));
		assert_memory_equal(out.buf.ptr, rows[i], n);
		assert_string_equal(out.buf.ptr + n, "\n");
		ccfc_buf_release(&out.buf);
	}
}

struct stat_row {
	const char *name;
	int added, removed;
	bool binary;
};

static void check_stat(const struct stat_row *rows, unsigned width,
		       const char *expected)
{
	struct ccfc_out out = memory_out(width);
	struct ccfc_diffstat stat;

	ccfc_diffstat_init(&stat);
	for (; rows->name; rows++) {
		struct ccfc_patch patch = {
			.name = ccfc_slice_str(rows->name),
			.shown = rows->added >= 0,
			.binary = rows->binary,
			.added = rows->added,
			.removed = rows->removed,
		};

		ccfc_diffstat_add(&stat, &patch);
	}
	ccfc_diffstat_print(&stat, &out);
	assert_string_equal(out.buf.ptr, expected);
	ccfc_diffstat_release(&stat);
	ccfc_buf_release(&out.buf);
}

/* Several changes of a file are one row; what is not known is said. */
static void test_stat(void **state)
{
	static const struct stat_row rows[] = {
		{ "src/a.c", 1, 1, false }, { "b", 0, 3, false },
		{ "src/a.c", 2, 0, false }, { "logo.png", -1, -1, true },
		{ "gone", -1, -1, false },  { "b", -1, -1, false },
		{ "empty\n", 0, 0, false }, { 0 },
	};
	static const struct stat_row one[] = { { "a", 1, 0, false }, { 0 } };

	(void)state;
	check_stat(rows, 0,
		   " src/a.c  |   4 +++-\n"
		   " b        | 3+? ---\n"
		   " logo.png | Bin\n"
		   " gone     |   ?\n"
		   " empty^J  |   0\n"
		   " 5 files changed, 3 insertions(+), 4 deletions(-)\n");
	check_stat(one, 0, " a | 1 +\n 1 file changed, 1 insertion(+)\n");
}

/* The same numbers as `git diff --stat` prints on 80, 40 and 30 columns. */
static void test_stat_scaled(void **state)
{
	static const struct stat_row rows[] = {
		{ "src/one.c", 500, 100, false },
		{ "src/two.c", 1, 1, false },
		{ "src/three.c", 0, 250, false },
		{ 0 },
	};
	static const struct stat_row wide[] = {
		{ "a/rather/long/directory/and/name.c", 900, 0, false },
		{ 0 },
	};

	(void)state;
	check_stat(rows, 80,
		   " src/one.c   | 600 +++++++++++++++++++++++++++++++++++++++"
		   "+++++++++++----------\n"
		   " src/two.c   |   2 +-\n"
		   " src/three.c | 250 -------------------------\n"
		   " 3 files changed, 501 insertions(+), 351 deletions(-)\n");
	check_stat(rows, 40,
		   " src/one.c   | 600 ++++++++++++++++----\n"
		   " src/two.c   |   2 +-\n"
		   " src/three.c | 250 --------\n"
		   " 3 files changed, 501 insertions(+), 351 deletions(-)\n");
	check_stat(rows, 30,
		   " src/one.c   | 600 ++++++++--\n"
		   " src/two.c   |   2 +-\n"
		   " src/three.c | 250 ----\n"
		   " 3 files changed, 501 insertions(+), 351 deletions(-)\n");
	check_stat(wide, 40,
		   " a/rather…ctory/and/name.c | 900 ++++++\n"
		   " 1 file changed, 900 insertions(+)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_stat),
		cmocka_unit_test(test_stat_scaled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
