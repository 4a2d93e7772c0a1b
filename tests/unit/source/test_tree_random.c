/*
 * The tree as a property: after any sequence of steps and drains, what the
 * looks told equals what is there, and a cold walk finds nothing new.
 */
#include "seen.h"

static const char *random_project(void)
{
	static const char *const names[] = { "p", "q", "r" };

	return names[tmp_random(3)];
}

static void random_file(char rel[PATH_MAX])
{
	const char *project = random_project();
	int s = (int)tmp_random(3);

	switch (tmp_random(3)) {
	case 0:
		snprintf(rel, PATH_MAX, P "/%s/s%d.jsonl", project, s);
		break;
	case 1:
		snprintf(rel, PATH_MAX, P "/%s/s%d/subagents/agent-%d.jsonl",
			 project, s, (int)tmp_random(2));
		break;
	default:
		snprintf(rel, PATH_MAX,
			 P "/%s/s%d/subagents/workflows/w/agent-3.jsonl",
			 project, s);
	}
}

static void random_dir(char rel[PATH_MAX])
{
	if (tmp_random(2))
		snprintf(rel, PATH_MAX, P "/%s", random_project());
	else
		snprintf(rel, PATH_MAX, P "/%s/s%d", random_project(),
			 (int)tmp_random(3));
}

static void remove_tree(const char *rel)
{
	nftw(tmp_path(rel), tmp_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Anything that can happen to files and directories; may well fail. */
static void random_step(void)
{
	char a[PATH_MAX], b[PATH_MAX];

	switch (tmp_random(16)) {
	case 0:
		random_dir(a);
		remove_tree(a);
		break;
	case 1:
		random_dir(a);
		random_dir(b);
		rename(tmp_path(a), tmp_path(b));
		break;
	case 2:
	case 3:
		random_file(a);
		random_file(b);
		rename(tmp_path(a), tmp_path(b));
		break;
	case 4:
		random_file(a);
		unlink(tmp_path(a));
		break;
	case 5:
		if (!tmp_random(4))
			rename(tmp_path(P), tmp_path("p2"));
		else if (!tmp_random(4))
			rename(tmp_path("p2"), tmp_path(P));
		else if (!tmp_random(8))
			remove_tree(P);
		break;
	default:
		random_file(a);
		strcpy(b, a);
		*strrchr(b, '/') = '\0';
		tmp_mkdir(b);
		tmp_append(a, "{}\n");
	}
}

static int wrong_sizes(void)
{
	int wrong = 0;

	for (size_t i = 0; i < seen.n; i++) {
		struct stat st;
		off_t size = stat(seen.items[i].path, &st) ? -1 : st.st_size;

		wrong += seen.items[i].size != size;
	}
	return wrong;
}

static int run_random(uint64_t seed, uint32_t max_watches)
{
	struct ccfc_tree *tree = new_tree(ROOT, max_watches);
	struct ccfc_tree *cold;
	size_t known;
	int wrong;

	tmp_seed(seed);
	ccfc_tree_rescan(tree);
	for (int i = 0; i < 300; i++) {
		random_step();
		if (!tmp_random(6))
			ccfc_tree_drain(tree);
	}
	ccfc_tree_drain(tree);
	wrong = wrong_sizes();
	known = seen.n;
	cold = new_tree(ROOT, 0);
	ccfc_tree_rescan(cold);
	/* A cold walk finds nothing that was not known. */
	wrong += (int)(seen.n - known);
	if (!max_watches &&
	    stats(tree).dirs_watched != stats(cold).dirs_watched)
		wrong++;
	ccfc_tree_free(cold);
	ccfc_tree_free(tree);
	forget_seen();
	remove_tree("p2");
	tmp_mkdir(P);
	return wrong;
}

/* Whatever happens, after a drain the looks have told it all. */
static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++)
		for (uint32_t max = 0; max <= 8; max += 4)
			if (run_random(seed, max))
				fail_msg("seed %llu, max_watches %u",
					 (unsigned long long)seed, max);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_random, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
