/*
 * The contract of shell.h: bounds, what lives how long, what is said without a
 * directory or a home. What commands mean is held against a real bash in
 * tests/func/shell/shell.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "shell/shell.h"

static const struct ccfc_shell_env here = {
	.cwd = CCFC_SLICE_LIT("/home/dev/p"),
	.home = CCFC_SLICE_LIT("/home/dev"),
};

static int set_up(void **state)
{
	static struct ccfc_shell_effects effects;

	ccfc_shell_effects_init(&effects);
	*state = &effects;
	return 0;
}

static int tear_down(void **state)
{
	ccfc_shell_effects_release(*state);
	return 0;
}

static void read_in(struct ccfc_shell_effects *out, const char *command,
		    const struct ccfc_shell_env *env)
{
	ccfc_shell_read(out, ccfc_slice_str(command), env);
}

static void assert_slice(struct ccfc_slice got, const char *want)
{
	assert_int_equal(got.len, strlen(want));
	assert_string_equal(got.len ? got.ptr : "", want);
}

static void assert_effect(const struct ccfc_shell_effects *effects, uint32_t i,
			  enum ccfc_shell_op op, const char *path)
{
	assert_true(i < effects->all.n);
	assert_string_equal(ccfc_shell_op_name(effects->all.items[i].op),
			    ccfc_shell_op_name(op));
	assert_slice(effects->all.items[i].path, path);
}

/* `text`, so often; the caller releases it. */
static struct ccfc_buf repeat(const char *text, size_t times)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;

	while (times--)
		ccfc_buf_puts(&buf, text);
	return buf;
}

/* Reading forgets what was there, and needs nothing of the command's text. */
static void test_memory(void **state)
{
	char command[] = "cat > f <<E\ntext\nE\ncp f g; make";
	struct ccfc_shell_effects *out = *state;

	read_in(out, command, &here);
	memset(command, 'x', sizeof(command));
	assert_int_equal(out->all.n, 2);
	assert_effect(out, 0, CCFC_SHELL_WRITE, "/home/dev/p/f");
	assert_slice(out->all.items[0].content, "text\n");
	assert_effect(out, 1, CCFC_SHELL_COPY, "/home/dev/p/g");
	assert_slice(out->all.items[1].from, "/home/dev/p/f");
	assert_slice(out->first_unsure, "make");
	assert_int_equal(ccfc_shell_unsure(out), 1);
	read_in(out, "ls", &here);
	assert_true(ccfc_shell_writes_nothing(out));
	assert_int_equal(out->first_unsure.len, 0);
	read_in(out, "", &here);
	assert_true(ccfc_shell_writes_nothing(out));
}

/* What is known when nobody says where the command was run. */
static void test_without_places(void **state)
{
	static const struct ccfc_shell_env nowhere = { 0 };
	static const struct ccfc_shell_env homeless = {
		.cwd = CCFC_SLICE_LIT("/Users/me/p")
	};
	struct ccfc_shell_effects *out = *state;

	read_in(out, "rm a /b; cd /c && rm d", &nowhere);
	assert_int_equal(out->all.n, 2);
	assert_effect(out, 0, CCFC_SHELL_DELETE, "/b");
	assert_effect(out, 1, CCFC_SHELL_DELETE, "/c/d");
	assert_int_equal(out->why[CCFC_SHELL_WHY_TARGET], 1);
	/* The home directory is the one that the project lies in. */
	read_in(out, "cd /tmp && touch ~/x \"$HOME/y\" '~/z'", &homeless);
	assert_int_equal(out->all.n, 3);
	assert_effect(out, 0, CCFC_SHELL_TOUCH, "/Users/me/x");
	assert_effect(out, 1, CCFC_SHELL_TOUCH, "/Users/me/y");
	assert_effect(out, 2, CCFC_SHELL_TOUCH, "/tmp/~/z");
	read_in(out, "echo ~ > x", &homeless);
	assert_false(out->all.items[0].has_content);
}

/* "cd a" again and again costs as much as it is long, not its square. */
static void test_long_directory(void **state)
{
	struct ccfc_shell_effects *out = *state;
	struct ccfc_buf command = CCFC_BUF_INIT;

	for (int i = 0; i < 2047; i++)
		ccfc_buf_puts(&command, "cd a; ");
	ccfc_buf_puts(&command, "rm b /c");
	ccfc_buf_putc(&command, 0);
	read_in(out, command.ptr, &here);
	assert_int_equal(out->all.n, 1);
	assert_effect(out, 0, CCFC_SHELL_DELETE, "/c");
	assert_int_equal(out->why[CCFC_SHELL_WHY_TARGET], 1);
	ccfc_buf_release(&command);
}

static void test_windows(void **state)
{
	static const struct ccfc_shell_env windows = { .cwd = CCFC_SLICE_LIT(
							       "C:\\p") };
	struct ccfc_shell_effects *out = *state;

	read_in(out, "touch a /c/b 'D:\\c'", &windows);
	assert_effect(out, 0, CCFC_SHELL_TOUCH, "C:/p/a");
	assert_effect(out, 1, CCFC_SHELL_TOUCH, "C:/b");
	assert_effect(out, 2, CCFC_SHELL_TOUCH, "D:/c");
}

static void test_powershell(void **state)
{
	static const struct ccfc_shell_env env = {
		.cwd = CCFC_SLICE_LIT("C:/p"),
		.language = CCFC_SHELL_POWERSHELL,
	};
	struct ccfc_shell_effects *out = *state;

	read_in(out, "Move-Item -Path 'a b' -Destination sub\\c -Force", &env);
	assert_int_equal(out->all.n, 1);
	assert_effect(out, 0, CCFC_SHELL_RENAME, "C:/p/sub/c");
	assert_slice(out->all.items[0].from, "C:/p/a b");
	read_in(out, "remove-item -literalpath x.txt", &env);
	assert_effect(out, 0, CCFC_SHELL_DELETE, "C:/p/x.txt");
	read_in(out, "Get-ChildItem -Recurse", &env);
	assert_true(ccfc_shell_writes_nothing(out));
	read_in(out, "Remove-Item $x", &env);
	assert_int_equal(out->all.n, 0);
	assert_int_equal(ccfc_shell_unsure(out), 1);
	read_in(out, "Set-Content -Path x -Value 1; rm y", &env);
	assert_int_equal(out->all.n, 0);
	assert_int_equal(ccfc_shell_unsure(out), 1);
}

/* The exit status decides about some effects, and never about others. */
static void test_happened(void **state)
{
	struct ccfc_shell_effects *out = *state;
	const struct ccfc_shell_effect *e;

	read_in(out, "rm a; rm b && rm c; if x; then rm d; fi", &here);
	assert_int_equal(out->all.n, 4);
	e = out->all.items;
	assert_true(ccfc_shell_ran(&e[0], false));
	assert_false(ccfc_shell_happened(&e[0], true));
	assert_true(ccfc_shell_ran(&e[1], false));
	assert_false(ccfc_shell_ran(&e[2], true));
	assert_false(ccfc_shell_ran(&e[3], true));
	read_in(out, "rm a && rm b", &here);
	e = out->all.items;
	assert_true(ccfc_shell_happened(&e[0], true));
	assert_true(ccfc_shell_happened(&e[1], true));
	assert_false(ccfc_shell_happened(&e[0], false));
	assert_true(ccfc_shell_ran(&e[0], false));
	assert_false(ccfc_shell_ran(&e[1], false));
}

/* What is not known is placed before and behind effects. */
static void test_unsure_before(void **state)
{
	struct ccfc_shell_effects *out = *state;

	read_in(out, "make; echo x > a; npm i; touch b", &here);
	assert_int_equal(ccfc_shell_unsure(out), 2);
	assert_int_equal(out->all.items[0].unsure_before, 1);
	assert_int_equal(out->all.items[1].unsure_before, 2);
	assert_slice(out->first_unsure, "make");
	/* All parts of a pipeline run at the same time. */
	read_in(out, "make | tee a", &here);
	assert_int_equal(out->all.items[0].unsure_before, 0);
	read_in(out, "git stash", &here);
	assert_slice(out->first_unsure, "git stash");
	assert_int_equal(out->why[CCFC_SHELL_WHY_BULK], 1);
}

/* Too long, too deep, too many: nothing is named that is not sure. */
/* Is the text one that an unsure part may have written somewhere? */
static bool may_write(const struct ccfc_shell_effects *e, const char *text)
{
	for (uint32_t i = 0; i < e->texts.n; i++)
		if (ccfc_slice_contains(e->texts.items[i], text))
			return true;
	return false;
}

/* What goes to a program or a target that is not known is kept. */
static void test_texts(void **state)
{
	static const struct {
		const char *command;
		bool kept;
	} table[] = {
		{ "python3 - <<'EOF'\nx = 'some text'\nEOF", true },
		{ "node -e 'f(\"some text\")'", true },
		{ "echo some 'text' > \"$f\"", false }, /* two words */
		{ "echo 'some text' > \"$f\"", true },
		{ "cat <<EOF | python3 x.py\nsome text\nEOF", true },
		{ "echo 'some text' > a.txt", false },
		{ "echo 'some text' > a.txt; make", false },
		{ "echo 'some text'; make", false },
		{ "git commit -m 'some text' && make", false },
		{ "gh pr create --body 'some text'", false },
		{ "grep -q 'some text' a.txt && make", false },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		read_in(*state, table[i].command, &here);
		assert_int_equal(may_write(*state, "some text"), table[i].kept);
	}
}

/* git's commands that name no file, and where they were run. */
static void test_bulk(void **state)
{
	struct ccfc_shell_effects *e = *state;

	read_in(e, "cd sub && git stash && git -C /q stash pop", &here);
	assert_int_equal(e->bulk.n, 2);
	assert_slice(e->bulk.items[0].name, "stash");
	assert_slice(e->bulk.items[0].dir, "/home/dev/p/sub");
	assert_false(e->bulk.items[0].pops);
	assert_slice(e->bulk.items[1].dir, "/q");
	assert_true(e->bulk.items[1].pops);
	read_in(e, "cd \"$d\"; git reset --hard", &here);
	assert_int_equal(e->bulk.n, 1);
	assert_int_equal(e->bulk.items[0].dir.len, 0);
	read_in(e, "git status", &here);
	assert_int_equal(e->bulk.n, 0);
}

static void test_bounds(void **state)
{
	struct ccfc_shell_effects *out = *state;
	struct ccfc_buf text = repeat("rm x;", CCFC_SHELL_COMMAND_MAX / 5 + 1);

	ccfc_shell_read(out, ccfc_buf_view(&text), &here);
	assert_int_equal(out->all.n, 0);
	assert_int_equal(out->why[CCFC_SHELL_WHY_LIMIT], 1);
	text.len = 5 * CCFC_SHELL_EFFECTS_MAX;
	ccfc_shell_read(out, ccfc_buf_view(&text), &here);
	assert_int_equal(out->all.n, CCFC_SHELL_EFFECTS_MAX);
	assert_int_equal(ccfc_shell_unsure(out), 0);
	text.len += 5;
	ccfc_shell_read(out, ccfc_buf_view(&text), &here);
	assert_int_equal(out->all.n, CCFC_SHELL_EFFECTS_MAX);
	assert_int_equal(out->why[CCFC_SHELL_WHY_LIMIT], 1);
	ccfc_buf_release(&text);

	text = repeat("(", 10000);
	ccfc_shell_read(out, ccfc_buf_view(&text), &here);
	assert_int_equal(out->why[CCFC_SHELL_WHY_SYNTAX], 1);
	ccfc_buf_release(&text);

	text = repeat("x=\"$x$x\";", 40);
	memcpy(text.ptr, "x=\"aaaa\"", 8);
	ccfc_buf_puts(&text, "rm f");
	read_in(out, text.ptr, &here);
	assert_int_equal(out->all.n, 0);
	assert_int_equal(out->why[CCFC_SHELL_WHY_LIMIT], 1);
	ccfc_buf_release(&text);
}

/* Loops in loops end, and so do shells in shells. */
static void test_rounds(void **state)
{
	struct ccfc_shell_effects *out = *state;

	read_in(out,
		"for a in {1,2,3,4,5,6,7,8}{1,2,3,4,5,6,7,8}; do "
		"for b in {1,2,3,4,5,6,7,8}{1,2,3,4,5,6,7,8}; do "
		"for c in 1 2 3 4 5 6 7 8 9; do :; done; done; done; rm f",
		&here);
	assert_int_equal(out->all.n, 0);
	assert_int_equal(out->why[CCFC_SHELL_WHY_LIMIT], 1);
	read_in(out, "bash -c \"bash -c 'bash -c \\\"bash -c ls\\\"'\"", &here);
	assert_int_equal(out->why[CCFC_SHELL_WHY_PROGRAM], 1);
	read_in(out, "bash -c \"bash -c 'bash -c ls'\"", &here);
	assert_true(ccfc_shell_writes_nothing(out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_without_places),
		cmocka_unit_test(test_long_directory),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_powershell),
		cmocka_unit_test(test_happened),
		cmocka_unit_test(test_unsure_before),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_bulk),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_rounds),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
