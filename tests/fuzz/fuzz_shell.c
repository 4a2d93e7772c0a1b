/*
 * Fuzzes the reader of shell commands. Whatever the bytes are, reading ends,
 * says the same each time, keeps its bounds, and every path is absolute and
 * normal.
 */
#include "base/path.h"
#include "fuzz.h"
#include "shell/shell.h"

static void check_path(struct ccfc_slice path)
{
	struct ccfc_buf again = CCFC_BUF_INIT;

	FUZZ_REQUIRE(ccfc_path_is_absolute(path));
	FUZZ_REQUIRE(!path.ptr[path.len]);
	FUZZ_REQUIRE(ccfc_path_normalise(&again, path, CCFC_SLICE_NONE,
					 CCFC_SLICE_NONE));
	FUZZ_REQUIRE(ccfc_slice_eq(ccfc_buf_view(&again), path));
	ccfc_buf_release(&again);
}

static void check_effects(const struct ccfc_shell_effects *effects)
{
	uint32_t unsure = ccfc_shell_unsure(effects);

	FUZZ_REQUIRE(effects->all.n <= CCFC_SHELL_EFFECTS_MAX);
	for (uint32_t i = 0; i < effects->all.n; i++) {
		const struct ccfc_shell_effect *e = &effects->all.items[i];
		bool moves = e->op == CCFC_SHELL_RENAME ||
			     e->op == CCFC_SHELL_COPY ||
			     e->op == CCFC_SHELL_LINK;

		check_path(e->path);
		FUZZ_REQUIRE(moves || !e->from.len);
		if (e->from.len)
			check_path(e->from);
		FUZZ_REQUIRE(e->unsure_before <= unsure);
		FUZZ_REQUIRE(!e->has_content || e->op == CCFC_SHELL_WRITE ||
			     e->op == CCFC_SHELL_APPEND);
	}
	FUZZ_REQUIRE(ccfc_shell_writes_nothing(effects) ==
		     (!effects->all.n && !unsure));
}

static void check_same(const struct ccfc_shell_effects *a,
		       const struct ccfc_shell_effects *b)
{
	FUZZ_REQUIRE(a->all.n == b->all.n);
	FUZZ_REQUIRE(!memcmp(a->why, b->why, sizeof(a->why)));
	for (uint32_t i = 0; i < a->all.n; i++) {
		const struct ccfc_shell_effect *x = &a->all.items[i];
		const struct ccfc_shell_effect *y = &b->all.items[i];

		FUZZ_REQUIRE(x->op == y->op && x->reach == y->reach);
		FUZZ_REQUIRE(ccfc_slice_eq(x->path, y->path));
		FUZZ_REQUIRE(ccfc_slice_eq(x->content, y->content));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ccfc_shell_env envs[] = {
		{ CCFC_SLICE_LIT("/home/dev/p"), CCFC_SLICE_LIT("/home/dev"),
		  CCFC_SHELL_BASH },
		{ CCFC_SLICE_NONE, CCFC_SLICE_NONE, CCFC_SHELL_BASH },
		{ CCFC_SLICE_LIT("C:/p"), CCFC_SLICE_NONE,
		  CCFC_SHELL_POWERSHELL },
	};
	struct ccfc_shell_effects effects, again;
	char *copy = fuzz_copy(data, size, 0, 0);

	ccfc_shell_effects_init(&effects);
	ccfc_shell_effects_init(&again);
	for (size_t i = 0; i < sizeof(envs) / sizeof(*envs); i++) {
		ccfc_shell_read(&effects, ccfc_slice(copy, size), &envs[i]);
		check_effects(&effects);
		ccfc_shell_read(&again, ccfc_slice(copy, size), &envs[i]);
		check_same(&effects, &again);
	}
	ccfc_shell_effects_release(&effects);
	ccfc_shell_effects_release(&again);
	free(copy);
	return 0;
}
