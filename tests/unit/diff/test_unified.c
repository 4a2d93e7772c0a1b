/*
 * Unified diffs: the form byte by byte, and what the real patch and git make
 * of many of them in one go, forwards and back.
 */
#include "diff/unified.h"

#include "texts.h"
#include "tools.h"

/* Old or new text NULL: the file is not there. */
static void check_context(const char *name, const char *a, const char *b,
			  uint32_t context, const char *expected)
{
	struct ccfc_unified u = {
		.name = ccfc_slice_str(name),
		.old_exists = a,
		.new_exists = b,
		.old_text = ccfc_slice_str(a),
		.new_text = ccfc_slice_str(b),
		.context = context,
	};
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_puts(&out, "");
	ccfc_unified(&out, &u, NULL, NULL);
	assert_string_equal(out.ptr, expected);
	ccfc_buf_release(&out);
}

static void check_form(const char *name, const char *a, const char *b,
		       const char *expected)
{
	check_context(name, a, b, 3, expected);
}

static void test_headers(void **state)
{
	(void)state;
	check_form("x", "a\n", "a\n", "");
	check_form("x", NULL, NULL, "");
	check_form("x", NULL, "a\nb\n",
		   "diff --git a/x b/x\nnew file mode 100644\n"
		   "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n");
	check_form("x", "a\n", NULL,
		   "diff --git a/x b/x\ndeleted file mode 100644\n"
		   "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
	check_form("x", NULL, "",
		   "diff --git a/x b/x\nnew file mode 100644\n"
		   "index 0000000..e69de29\n");
	check_form("x", "", NULL,
		   "diff --git a/x b/x\ndeleted file mode 100644\n"
		   "index e69de29..0000000\n");
	check_form("x", "", "a\n",
		   "diff --git a/x b/x\n--- a/x\n+++ b/x\n"
		   "@@ -0,0 +1 @@\n+a\n");
	check_form("x y", "", "a\n",
		   "diff --git a/x y b/x y\n--- a/x y\t\n+++ b/x y\t\n"
		   "@@ -0,0 +1 @@\n+a\n");
	check_form("x y", NULL, "",
		   "diff --git \"a/x y\" \"b/x y\"\nnew file mode 100644\n"
		   "index 0000000..e69de29\n");
}

#define HEAD "diff --git a/x b/x\n--- a/x\n+++ b/x\n"
#define NONL "\\ No newline at end of file\n"

static void test_hunks(void **state)
{
	(void)state;
	check_form("x", "a", "a\n", HEAD "@@ -1 +1 @@\n-a\n" NONL "+a\n");
	check_form("x", "a\nb", "x\nb",
		   HEAD "@@ -1,2 +1,2 @@\n-a\n+x\n b\n" NONL);
	check_form("x", "a\r\n", "b\r\n", HEAD "@@ -1 +1 @@\n-a\r\n+b\r\n");
	/* A gap of twice the context joins, one more parts. */
	check_context("x", "1\n2\n3\n4\n", "a\n2\n3\nb\n", 1,
		      HEAD "@@ -1,4 +1,4 @@\n-1\n+a\n 2\n 3\n-4\n+b\n");
	check_context("x", "1\n2\n3\n4\n5\n", "a\n2\n3\n4\nb\n", 1,
		      HEAD "@@ -1,2 +1,2 @@\n-1\n+a\n 2\n"
			   "@@ -4,2 +4,2 @@\n 4\n-5\n+b\n");
	check_context("x", "1\n2\n", "1\nb\n2\n", 0,
		      HEAD "@@ -1,0 +2 @@\n+b\n");
	check_context("x", "1\n2\n3\n", "1\n3\n", 0,
		      HEAD "@@ -2 +1,0 @@\n-2\n");
}

static void check_name(const char *name, const char *expected)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_unified_name(&out, "a/", ccfc_slice_str(name));
	assert_string_equal(out.ptr, expected);
	ccfc_buf_release(&out);
}

static void test_names(void **state)
{
	(void)state;
	check_name("d/x y-_.txt", "a/d/x y-_.txt");
	check_name("end ", "\"a/end \"");
	check_name("\"q\"", "\"a/\\\"q\\\"\"");
	check_name("b\\n", "\"a/b\\\\n\"");
	check_name("\a\b\t\n\v\f\r", "\"a/\\a\\b\\t\\n\\v\\f\\r\"");
	check_name("\x01\x1f\x7f", "\"a/\\001\\037\\177\"");
	check_name("\xc3\xa9", "\"a/\\303\\251\"");
}

static void test_counts(void **state)
{
	struct ccfc_unified u = {
		.name = CCFC_SLICE_LIT("x"),
		.old_exists = true,
		.new_exists = true,
		.old_text = CCFC_SLICE_LIT("a\nb\nc\n"),
		.new_text = CCFC_SLICE_LIT("a\nx\ny\nz\n"),
		.context = UINT32_MAX,
	};
	struct ccfc_buf out = CCFC_BUF_INIT;
	uint64_t added = 99, removed = 99;

	(void)state;
	ccfc_unified(&out, &u, &added, &removed);
	assert_int_equal(added, 3);
	assert_int_equal(removed, 2);
	ccfc_buf_release(&out);
}

enum { FILES = 160 };

static const char *const names[] = {
	"plain",
	"with space",
	" lead and trail ",
	"two  spaces/in dir/f",
	"a b/a b",
	"x b/x",
	"tab\there",
	"new\nline",
	"quo\"te",
	"\"all\"",
	"'single'",
	"back\\slash",
	"octal\\303 x",
	"caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac",
	"\xff\xfe not utf-8",
	"-dash",
	"--help",
	"deep/er/and/deep/er/still/f.c",
	"cr\r",
	"ctl\x01\x7f",
	"$(x)`y`;*?[a]",
	"a/b/dev/null",
	"#hash",
	"{brace => brace}",
	"diff --git a b",
};

/* One file in two states. */
struct file {
	char name[128];
	struct ccfc_buf text[2];
	bool exists[2];
};

static struct file files[FILES];

static void file_random(struct file *f, uint32_t number)
{
	uint32_t kinds = 1 + seed_below(12), what = seed_below(6);

	snprintf(f->name, sizeof(f->name), "%u/%s", number,
		 names[number % (sizeof(names) / sizeof(*names))]);
	f->exists[0] = what != 0;
	f->exists[1] = what != 1;
	texts_random(&f->text[0], 40, kinds);
	texts_edit(&f->text[1], ccfc_buf_view(&f->text[0]), 6, kinds);
	if (what == 2 || !seed_below(6))
		texts_random(&f->text[1], 40, kinds);
	for (int i = 0; i < 2; i++)
		if (!f->exists[i] || !seed_below(8))
			ccfc_buf_clear(&f->text[i]);
}

static void put_diff(struct ccfc_buf *out, const struct file *f,
		     uint32_t context)
{
	struct ccfc_unified u = {
		.name = ccfc_slice_str(f->name),
		.old_exists = f->exists[0],
		.new_exists = f->exists[1],
		.old_text = ccfc_buf_view(&f->text[0]),
		.new_text = ccfc_buf_view(&f->text[1]),
		.context = context,
	};

	ccfc_unified(out, &u, NULL, NULL);
}

static const char *work_path(const struct file *f)
{
	static char path[160];

	snprintf(path, sizeof(path), "work/%.150s", f->name);
	return path;
}

static void check_tree(int state, const char *who)
{
	struct ccfc_buf got = CCFC_BUF_INIT;

	for (int i = 0; i < FILES; i++) {
		const struct file *f = &files[i];
		bool exists = tools_read(&got, work_path(f));

		if (exists != f->exists[state] ||
		    !ccfc_slice_eq(ccfc_buf_view(&got),
				   ccfc_buf_view(&f->text[state])))
			fail_msg("%s: %s is wrong in state %d", who, f->name,
				 state);
	}
	ccfc_buf_release(&got);
}

/* `command` takes the diff of all files, then `command -R` takes it back. */
static void check_command(const char *command)
{
	mkdir("work", 0755);
	for (int i = 0; i < FILES; i++)
		if (files[i].exists[0])
			tools_write(work_path(&files[i]),
				    ccfc_buf_view(&files[i].text[0]));
	assert_int_equal(tools_run("cd work && %s <../all.diff", command), 0);
	check_tree(1, command);
	assert_int_equal(tools_run("cd work && %s -R <../all.diff", command),
			 0);
	check_tree(0, command);
	tools_remove("work");
}

static void check_tool(const char *command, uint32_t context)
{
	struct ccfc_buf all = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < FILES; i++) {
		file_random(&files[i], i);
		put_diff(&all, &files[i], context);
	}
	tools_write("all.diff", ccfc_buf_view(&all));
	ccfc_buf_release(&all);
	check_command(command);
	for (uint32_t i = 0; i < FILES; i++) {
		ccfc_buf_release(&files[i].text[0]);
		ccfc_buf_release(&files[i].text[1]);
	}
}

static void test_patch(void **state)
{
	(void)state;
	tools_need("patch");
	check_tool("patch -s -f -p1 -F0", 0);
	check_tool("patch -s -f -p1 -F0", 1);
	check_tool("patch -s -f -p1", 3);
	check_tool("patch -s -f -p1 --binary", 9);
}

/* Not 0: git then looks for some lines one too early, and may find them. */
static void test_git(void **state)
{
	(void)state;
	tools_need("git");
	check_tool("git apply --whitespace=nowarn", 1);
	check_tool("git apply --whitespace=nowarn", 2);
	check_tool("git apply --whitespace=nowarn", 3);
	check_tool("git apply --whitespace=nowarn", 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_hunks),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_counts),
		cmocka_unit_test_setup_teardown(test_patch, tools_setup,
						tools_teardown),
		cmocka_unit_test_setup_teardown(test_git, tools_setup,
						tools_teardown),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
