/*
 * Three-way merges: known ones with their markers, and for random ones that
 * git merge-file says the same.
 */
#include "diff/merge3.h"

#include "texts.h"
#include "tools.h"

static void check_merge(const char *base, const char *ours, const char *theirs,
			uint32_t conflicts, const char *expected)
{
	struct ccfc_merge m = {
		.base = ccfc_slice_str(base),
		.ours = ccfc_slice_str(ours),
		.theirs = ccfc_slice_str(theirs),
		.ours_label = "ours",
		.theirs_label = "theirs",
	};
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_puts(&out, "");
	assert_int_equal(ccfc_merge(&out, &m), conflicts);
	assert_string_equal(out.ptr, expected);
	ccfc_buf_release(&out);
}

static void test_clean(void **state)
{
	(void)state;
	check_merge("", "", "", 0, "");
	check_merge("a\nb\n", "a\nb\n", "a\nb\n", 0, "a\nb\n");
	check_merge("a\nb\nc\n", "x\nb\nc\n", "a\nb\ny\n", 0, "x\nb\ny\n");
	check_merge("a\nb\nc\n", "b\nc\n", "a\nb\nc\nd\n", 0, "b\nc\nd\n");
	/* the same on both sides, also in a region that is more than that */
	check_merge("a\n", "b\n", "b\n", 0, "b\n");
	check_merge("", "b", "b", 0, "b");
	check_merge("a\nb\nc\nd\n", "X\nb\nc\nY\n", "X\nb\nc\nd\n", 0,
		    "X\nb\nc\nY\n");
	check_merge("a\nb\n", "", "", 0, "");
	check_merge("a\nb\n", "a\nb\n", "", 0, "");
}

/* The final newline goes with the line that it is missing from. */
static void test_final_newline(void **state)
{
	(void)state;
	check_merge("a\nb\nc", "x\nb\nc", "a\nb\nc", 0, "x\nb\nc");
	check_merge("a\nb\nc", "x\nb\nc", "a\nb\nc\n", 0, "x\nb\nc\n");
	check_merge("a\nb\nc\n", "a\nb\nc", "x\nb\nc\n", 0, "x\nb\nc");
	check_merge("a\nb\nc", "a\nb\nc\nd", "x\nb\nc", 0, "x\nb\nc\nd");
}

#define O "<<<<<<< ours\n"
#define M "=======\n"
#define T ">>>>>>> theirs\n"

static void test_conflicts(void **state)
{
	(void)state;
	check_merge("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n", 1,
		    "a\n" O "x\n" M "y\n" T "c\n");
	/* changes that touch */
	check_merge("a\nb\n", "x\nb\n", "a\ny\n", 1, O "x\nb\n" M "a\ny\n" T);
	check_merge("a\n", "a\nx\n", "a\ny\n", 1, "a\n" O "x\n" M "y\n" T);
	/* changed here, removed there */
	check_merge("a\nb\nc\n", "a\nx\nc\n", "a\nc\n", 1,
		    "a\n" O "x\n" M T "c\n");
	/* a chain of overlaps is one conflict; two apart are two */
	check_merge("1\n2\n3\n4\n", "a\nb\n3\nc\n", "1\nx\ny\n4\n", 1,
		    O "a\nb\n3\nc\n" M "1\nx\ny\n4\n" T);
	check_merge("1\n2\n3\n", "a\n2\nb\n", "x\n2\ny\n", 2,
		    O "a\n" M "x\n" T "2\n" O "b\n" M "y\n" T);
	/* what both begin and end with is outside */
	check_merge("1\n", "s\na\ne", "s\nb\ne", 1,
		    "s\n" O "a\n" M "b\n" T "e");
}

static void test_markers(void **state)
{
	struct ccfc_merge bare = {
		.base = CCFC_SLICE_LIT("a\n"),
		.ours = CCFC_SLICE_LIT("b\n"),
		.theirs = CCFC_SLICE_LIT("c\n"),
		.ours_label = "",
	};
	struct ccfc_buf out = CCFC_BUF_INIT;

	(void)state;
	/* a line of its own each, whatever the sides end with */
	check_merge("a", "b", "c\nd", 1, O "b\n" M "c\nd\n" T);
	check_merge("", "b", "b\n", 1, O "b\n" M "b\n" T);
	check_merge("a\r\n", "b", "c\r\n", 1,
		    "<<<<<<< ours\r\nb\r\n=======\r\nc\r\n>>>>>>> theirs\r\n");
	assert_int_equal(ccfc_merge(&out, &bare), 1);
	assert_string_equal(out.ptr, "<<<<<<<\nb\n=======\nc\n>>>>>>>\n");
	ccfc_buf_release(&out);
}

struct triple {
	struct ccfc_buf base, ours, theirs, out;
};

static void triple_release(struct triple *t)
{
	ccfc_buf_release(&t->base);
	ccfc_buf_release(&t->ours);
	ccfc_buf_release(&t->theirs);
	ccfc_buf_release(&t->out);
}

static uint32_t triple_merge(struct triple *t)
{
	struct ccfc_merge m = {
		.base = ccfc_buf_view(&t->base),
		.ours = ccfc_buf_view(&t->ours),
		.theirs = ccfc_buf_view(&t->theirs),
	};

	ccfc_buf_clear(&t->out);
	return ccfc_merge(&t->out, &m);
}

/* Where one side changed nothing, or both the same, the other is the result. */
static void test_one_side(void **state)
{
	struct triple t = { 0 };

	(void)state;
	for (int i = 0; i < 3000; i++) {
		uint32_t kinds = 1 + seed_below(12);
		struct ccfc_buf *sides[] = { &t.ours, &t.theirs, NULL };
		struct ccfc_buf *still = sides[i % 3];

		texts_random(&t.base, 40, kinds);
		texts_edit(&t.ours, ccfc_buf_view(&t.base), 3, kinds);
		ccfc_buf_clear(&t.theirs);
		ccfc_buf_slice(&t.theirs, ccfc_buf_view(&t.ours));
		if (still) {
			ccfc_buf_clear(still);
			ccfc_buf_slice(still, ccfc_buf_view(&t.base));
		}
		assert_int_equal(triple_merge(&t), 0);
		assert_true(ccfc_slice_eq(
			ccfc_buf_view(&t.out),
			ccfc_buf_view(still == &t.ours ? &t.theirs : &t.ours)));
	}
	triple_release(&t);
}

/*
 * The base has no line twice, so that there is little doubt about what a side
 * changed: elsewhere git, whose diffs are not the smallest, may see it
 * differently.
 */
static void random_triple(struct triple *t, uint32_t kinds)
{
	uint32_t n = seed_below(60);

	ccfc_buf_clear(&t->base);
	for (uint32_t i = 0; i < n; i++)
		ccfc_buf_printf(&t->base, "base %u%s", i,
				seed_below(8) ? "\n" : "\r\n");
	texts_maybe_cut(&t->base);
	texts_edit(&t->ours, ccfc_buf_view(&t->base), 8, kinds);
	texts_edit(&t->theirs, ccfc_buf_view(&t->base), 8, kinds);
}

static void write_part(int number, const char *what, const struct ccfc_buf *buf)
{
	char path[64];

	snprintf(path, sizeof(path), "%d.%s", number, what);
	tools_write(path, ccfc_buf_view(buf));
}

/* What git said of merge `number`: its result, and whether it was clean. */
static bool read_git(struct ccfc_buf *out, int number)
{
	char path[64];
	bool clean;

	snprintf(path, sizeof(path), "%d.status", number);
	assert_true(tools_read(out, path));
	assert_false(ccfc_slice_is(ccfc_buf_view(out), "255\n")); /* an error */
	clean = out->len == 2 && out->ptr[0] == '0';
	snprintf(path, sizeof(path), "%d.out", number);
	assert_true(tools_read(out, path));
	return clean;
}

static void test_git(void **state)
{
	enum { MERGES = 300 };
	static struct triple triples[MERGES];
	struct ccfc_buf got = CCFC_BUF_INIT;
	int both = 0;

	(void)state;
	tools_need("git");
	for (int i = 0; i < MERGES; i++) {
		random_triple(&triples[i], i % 2 ? 1000000 : 3);
		write_part(i, "base", &triples[i].base);
		write_part(i, "ours", &triples[i].ours);
		write_part(i, "theirs", &triples[i].theirs);
	}
	assert_int_equal(
		tools_run("for f in *.base; do i=${f%%.base}; "
			  "git merge-file -p $i.ours $f $i.theirs >$i.out; "
			  "echo $? >$i.status; done"),
		0);
	for (int i = 0; i < MERGES; i++) {
		bool clean = !triple_merge(&triples[i]);
		bool git_clean = read_git(&got, i);

		if (i % 2) /* no line twice: no doubt about the changes */
			assert_int_equal(clean, git_clean);
		if (clean && git_clean) {
			both++;
			assert_true(
				ccfc_slice_eq(ccfc_buf_view(&got),
					      ccfc_buf_view(&triples[i].out)));
		}
		triple_release(&triples[i]);
	}
	/* Enough of them to mean something. */
	assert_in_range(both, MERGES / 20, MERGES);
	ccfc_buf_release(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_final_newline),
		cmocka_unit_test(test_conflicts),
		cmocka_unit_test(test_markers),
		cmocka_unit_test(test_one_side),
		cmocka_unit_test_setup_teardown(test_git, tools_setup,
						tools_teardown),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
