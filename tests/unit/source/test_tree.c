/* The tree on real directories with real events. */
#include "seen.h"

#include <sys/resource.h>

static void test_rescan(void **state)
{
	static const char *const ours[] = {
		P "/p/s1.jsonl",
		P "/p/agent-1.jsonl",
		P "/p/s1/subagents/agent-2.jsonl",
		P "/p/s1/subagents/workflows/w/agent-3.jsonl",
		P "/q/\xff\xfe.jsonl",
	};
	static const char *const others[] = {
		P "/x.jsonl",
		P "/p/journal.jsonl",
		P "/p/memory/a.jsonl",
		P "/p/s1/tool-results/agent-4.jsonl",
		P "/p/s1/subagents/agent-2.meta.json",
		P "/p/s1/subagents/deep/agent-5.jsonl",
	};
	struct ccfc_tree *tree;

	(void)state;
	tmp_mkdir(P "/p/s1/subagents/workflows/w");
	tmp_mkdir(P "/p/s1/subagents/deep");
	tmp_mkdir(P "/p/s1/tool-results");
	tmp_mkdir(P "/p/memory");
	tmp_mkdir(P "/p/dir.jsonl");
	tmp_mkdir(P "/q");
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		tmp_write(ours[i], "{}\n");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		tmp_write(others[i], "{}\n");
	tree = new_tree(ROOT, 0);
	assert_int_equal(ccfc_tree_rescan(tree), 5);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		assert_int_equal(looks_at(ours[i]), 1);
	assert_int_equal(stats(tree).roots, 1);
	assert_int_equal(stats(tree).rescans, 1);
	/* projects, p, q, s1, subagents, workflows, w */
	assert_int_equal(stats(tree).dirs_watched, 7);
	assert_int_equal(stats(tree).dirs_polled, 0);
	assert_int_equal(ccfc_tree_timeout_ms(tree), -1);
	assert_false(has_news(tree, 0));
	assert_int_equal(ccfc_tree_drain(tree), 0);
	ccfc_tree_free(tree);
}

static void test_bad_roots(void **state)
{
	static char longer[PATH_MAX + 1];
	const char *bad[] = { "relative", "", longer };
	struct ccfc_tree *tree;

	(void)state;
	memset(longer, '/', PATH_MAX);
	for (size_t i = 0; i < 3; i++)
		assert_true(ccfc_tree_new(&tree, &bad[i], 1, 0, on_look, NULL,
					  NULL) < 0);
	assert_int_equal(ccfc_tree_new(&tree, NULL, 0, 0, on_look, NULL, NULL),
			 0);
	assert_int_equal(ccfc_tree_rescan(tree), 0);
	ccfc_tree_free(tree);
	ccfc_tree_free(NULL);
}

/* Many events for one path are one look. */
static void test_coalesce(void **state)
{
	struct ccfc_tree *tree = new_tree(ROOT "///", 0);

	(void)state;
	tmp_mkdir(P "/p");
	ccfc_tree_rescan(tree);
	for (int i = 0; i < 100; i++) {
		tmp_append(P "/p/a.jsonl", "{}\n");
		tmp_append(P "/p/b.jsonl", "{}\n");
		tmp_append(P "/p/other.txt", "x");
	}
	assert_int_equal(drain(tree), 2);
	assert_int_equal(looks_at(P "/p/a.jsonl"), 1);
	assert_int_equal(looks_at(P "/p/b.jsonl"), 1);
	tmp_append(P "/p/a.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);
	assert_int_equal(chmod(tmp_path(P "/p/b.jsonl"), 0600), 0);
	assert_int_equal(drain(tree), 1);
	assert_int_equal(looks_at(P "/p/b.jsonl"), 1);
	assert_false(has_news(tree, 0));
	ccfc_tree_free(tree);
}

/* Directories, and files in them before anybody can watch them. */
static void test_new_directories(void **state)
{
	struct ccfc_tree *tree = new_tree(ROOT, 0);

	(void)state;
	ccfc_tree_rescan(tree);
	tmp_mkdir(P "/p/s/subagents/workflows/w");
	tmp_write(P "/p/s.jsonl", "{}\n");
	tmp_write(P "/p/s/subagents/agent-1.jsonl", "{}\n");
	tmp_write(P "/p/s/subagents/workflows/w/agent-2.jsonl", "{}\n");
	assert_int_equal(drain(tree), 3);
	assert_int_equal(looks_at(P "/p/s.jsonl"), 1);
	assert_int_equal(looks_at(P "/p/s/subagents/agent-1.jsonl"), 1);
	/* And they are watched. */
	tmp_append(P "/p/s/subagents/workflows/w/agent-2.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);
	assert_int_equal(stats(tree).dirs_watched, 6);
	ccfc_tree_free(tree);
}

static void test_burst(void **state)
{
	struct ccfc_tree *tree = new_tree(ROOT, 0);
	char rel[128];
	int looks = 0;

	(void)state;
	ccfc_tree_rescan(tree);
	for (int i = 0; i < 500; i++) {
		snprintf(rel, sizeof(rel), P "/p%d", i);
		tmp_mkdir(rel);
		snprintf(rel, sizeof(rel), P "/p%d/s.jsonl", i);
		tmp_write(rel, "{}\n");
		/* In the middle of it: some are found twice, none is lost. */
		if (i % 100 == 50)
			looks += drain(tree);
	}
	looks += drain(tree);
	assert_true(looks >= 500);
	assert_int_equal(seen.n, 500);
	assert_int_equal(stats(tree).dirs_watched, 501);
	ccfc_tree_free(tree);
}

static void test_rename_and_delete(void **state)
{
	struct ccfc_tree *tree = new_tree(ROOT, 0);

	(void)state;
	tmp_mkdir(P "/p/s/subagents");
	tmp_mkdir(P "/q");
	tmp_write(P "/p/s.jsonl", "{}\n");
	tmp_write(P "/p/s/subagents/agent-1.jsonl", "{}\n");
	ccfc_tree_rescan(tree);
	assert_int_equal(stats(tree).dirs_watched, 5);

	/* A transcript and its directory move to another project. */
	tmp_rename(P "/p/s.jsonl", P "/q/s.jsonl");
	tmp_rename(P "/p/s", P "/q/s");
	assert_int_equal(drain(tree), 4);
	assert_int_equal(find_seen(tmp_path(P "/p/s.jsonl"))->size, -1);
	assert_int_equal(find_seen(tmp_path(P "/q/s.jsonl"))->size, 3);
	assert_int_equal(looks_at(P "/p/s/subagents/agent-1.jsonl"), 1);
	assert_int_equal(looks_at(P "/q/s/subagents/agent-1.jsonl"), 1);
	assert_int_equal(stats(tree).dirs_watched, 5);
	tmp_append(P "/q/s/subagents/agent-1.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);
	assert_int_equal(looks_at(P "/q/s/subagents/agent-1.jsonl"), 1);

	/* A project directory moves out of the tree with all that is in it. */
	tmp_rename(P "/q", "away");
	assert_int_equal(drain(tree), 2);
	assert_int_equal(stats(tree).dirs_watched, 2);
	tmp_append("away/s.jsonl", "{}\n");
	assert_false(has_news(tree, 0));

	/* And comes back. */
	tmp_rename("away", P "/r");
	assert_int_equal(drain(tree), 2);
	assert_int_equal(looks_at(P "/r/s/subagents/agent-1.jsonl"), 1);

	tmp_unlink(P "/r/s.jsonl");
	assert_int_equal(drain(tree), 1);
	assert_int_equal(find_seen(tmp_path(P "/r/s.jsonl"))->size, -1);
	/* It is forgotten: a rescan does not look at it again. */
	assert_int_equal(ccfc_tree_rescan(tree), 1);
	ccfc_tree_free(tree);
}

/* Loops end, and what has two names is entered by one of them; its transcripts
 * want a look by both. */
static void test_symlinks(void **state)
{
	struct ccfc_tree *tree = new_tree(ROOT, 0);

	(void)state;
	tmp_mkdir(P "/p");
	tmp_mkdir("outside/s/subagents");
	tmp_write(P "/p/a.jsonl", "{}\n");
	tmp_write("outside/b.jsonl", "{}\n");
	tmp_write("outside/s/subagents/agent-1.jsonl", "{}\n");
	assert_int_equal(symlink("..", tmp_path(P "/p/loop")), 0);
	assert_int_equal(symlink("p", tmp_path(P "/self")), 0);
	assert_int_equal(symlink(tmp_path("outside"), tmp_path(P "/x")), 0);
	assert_int_equal(ccfc_tree_rescan(tree), 4);
	assert_int_equal(looks_at(P "/self/a.jsonl"), 1);
	assert_int_equal(looks_at(P "/x/b.jsonl"), 1);
	assert_int_equal(stats(tree).dirs_watched, 5);
	tmp_append("outside/s/subagents/agent-1.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);
	assert_int_equal(looks_at(P "/x/s/subagents/agent-1.jsonl"), 1);

	/* A symlink that comes later; its second name takes over. */
	tmp_unlink(P "/x");
	assert_int_equal(symlink(tmp_path("outside"), tmp_path(P "/y")), 0);
	assert_int_equal(symlink(tmp_path("outside"), tmp_path(P "/z")), 0);
	drain(tree);
	assert_int_equal(looks_at(P "/x/b.jsonl"), 1);
	assert_int_equal(looks_at(P "/y/b.jsonl"), 1);
	assert_int_equal(looks_at(P "/z/b.jsonl"), 1);
	tmp_append("outside/b.jsonl", "{}\n");
	drain(tree);
	assert_int_equal(looks_at(P "/y/b.jsonl"), 1);
	assert_int_equal(looks_at(P "/z/b.jsonl"), 0);
	tmp_unlink(P "/y");
	drain(tree);
	assert_int_equal(looks_at(P "/y/b.jsonl"), 1);
	assert_int_equal(looks_at(P "/z/b.jsonl"), 1);
	ccfc_tree_free(tree);
}

/* No event tells of changes behind a symlinked file, so it is polled. */
static void test_linked_file(void **state)
{
	struct ccfc_tree *tree = new_tree(ROOT, 0);

	(void)state;
	tmp_mkdir(P "/p");
	tmp_write("far.jsonl", "{}\n");
	ccfc_tree_rescan(tree);
	assert_int_equal(ccfc_tree_timeout_ms(tree), -1);
	assert_int_equal(
		symlink(tmp_path("far.jsonl"), tmp_path(P "/p/l.jsonl")), 0);
	assert_int_equal(drain(tree), 1);
	assert_true(ccfc_tree_timeout_ms(tree) > 0);
	tmp_append("far.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);
	assert_int_equal(find_seen(tmp_path(P "/p/l.jsonl"))->size, 6);
	tmp_unlink(P "/p/l.jsonl");
	drain(tree);
	assert_int_equal(ccfc_tree_timeout_ms(tree), -1);
	ccfc_tree_free(tree);
}

static void test_watch_limit(void **state)
{
	struct ccfc_tree *tree = new_tree(ROOT, 2);

	(void)state;
	tmp_mkdir(P "/p/s/subagents");
	tmp_mkdir(P "/q");
	tmp_write(P "/p/a.jsonl", "{}\n");
	tmp_write(P "/q/b.jsonl", "{}\n");
	tmp_write(P "/p/s/subagents/agent-1.jsonl", "{}\n");
	assert_int_equal(ccfc_tree_rescan(tree), 3);
	assert_int_equal(stats(tree).dirs_watched, 2);
	assert_int_equal(stats(tree).dirs_polled, 3);
	assert_true(ccfc_tree_timeout_ms(tree) > 0);
	tmp_append(P "/p/a.jsonl", "{}\n");
	tmp_append(P "/q/b.jsonl", "{}\n");
	tmp_append(P "/p/s/subagents/agent-1.jsonl", "{}\n");
	tmp_write(P "/q/c.jsonl", "{}\n");
	drain(tree);
	assert_int_equal(find_seen(tmp_path(P "/p/a.jsonl"))->size, 6);
	assert_int_equal(find_seen(tmp_path(P "/q/b.jsonl"))->size, 6);
	assert_int_equal(looks_at(P "/q/c.jsonl"), 1);
	assert_int_equal(
		find_seen(tmp_path(P "/p/s/subagents/agent-1.jsonl"))->size, 6);
	tmp_unlink(P "/q/c.jsonl");
	tmp_rename(P "/p/s", P "/q/s");
	drain(tree);
	assert_int_equal(find_seen(tmp_path(P "/q/c.jsonl"))->size, -1);
	assert_int_equal(looks_at(P "/p/s/subagents/agent-1.jsonl"), 1);
	assert_int_equal(looks_at(P "/q/s/subagents/agent-1.jsonl"), 1);

	/* Nobody tells when a directory in a polled one can be read again. */
	tmp_mkdir(P "/q/t/subagents");
	tmp_write(P "/q/t/subagents/agent-2.jsonl", "{}\n");
	assert_int_equal(chmod(tmp_path(P "/q/t"), 0), 0);
	drain(tree);
	assert_int_equal(stats(tree).dirs_denied, 1);
	assert_int_equal(chmod(tmp_path(P "/q/t"), 0755), 0);
	drain(tree);
	assert_int_equal(stats(tree).dirs_denied, 0);
	assert_int_equal(looks_at(P "/q/t/subagents/agent-2.jsonl"), 1);
	ccfc_tree_free(tree);
}

/* The system has no inotify instance left for us: all is polled. */
static void test_no_inotify(void **state)
{
	struct rlimit limit, none;
	struct ccfc_tree *tree;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	tree = new_tree(ROOT, 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(ccfc_tree_fd(tree), -1);
	assert_int_equal(ccfc_tree_rescan(tree), 0);
	assert_true(ccfc_tree_timeout_ms(tree) > 0);
	tmp_mkdir(P "/p");
	tmp_write(P "/p/a.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);
	tmp_rename(ROOT, "elsewhere");
	assert_int_equal(drain(tree), 1);
	assert_int_equal(stats(tree).dirs_polled, 0);
	tmp_rename("elsewhere", ROOT);
	assert_int_equal(drain(tree), 1);
	assert_int_equal(stats(tree).dirs_polled, 2);
	ccfc_tree_free(tree);
}

static int queue_size(void)
{
	FILE *f = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
	int n = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%d", &n) != 1)
		n = 0;
	fclose(f);
	return n;
}

/* A real overflow: what happened after the queue was full is found. */
static void test_overflow(void **state)
{
	struct ccfc_tree *tree = new_tree(ROOT, 0);
	int n = queue_size();
	int fd[2];

	(void)state;
	if (n <= 0 || n > 1 << 18) {
		ccfc_tree_free(tree);
		print_message("the event queue cannot be filled here\n");
		skip();
	}
	tmp_mkdir(P "/p");
	tmp_write(P "/p/a.jsonl", "");
	tmp_write(P "/p/b.jsonl", "");
	tmp_write(P "/p/c.jsonl", "");
	ccfc_tree_rescan(tree);
	fd[0] = open(tmp_path(P "/p/a.jsonl"), O_WRONLY);
	fd[1] = open(tmp_path(P "/p/b.jsonl"), O_WRONLY);
	for (int i = 0; i <= n; i++)
		assert_int_equal(write(fd[i % 2], "x", 1), 1);
	close(fd[0]);
	close(fd[1]);
	tmp_unlink(P "/p/c.jsonl");
	tmp_mkdir(P "/q");
	tmp_write(P "/q/d.jsonl", "");
	assert_int_equal(drain(tree), 4);
	assert_int_equal(looks_at(P "/p/c.jsonl"), 1);
	assert_int_equal(looks_at(P "/q/d.jsonl"), 1);
	assert_int_equal(stats(tree).overflows, 1);
	assert_int_equal(stats(tree).rescans, 2);
	tmp_append(P "/q/d.jsonl", "x");
	assert_int_equal(drain(tree), 1);
	ccfc_tree_free(tree);
}

/* The root appears level by level, goes, and comes back. */
static void test_root_later(void **state)
{
	struct ccfc_tree *tree = new_tree("a/b/.claude", 0);

	(void)state;
	assert_int_equal(ccfc_tree_rescan(tree), 0);
	assert_int_equal(ccfc_tree_timeout_ms(tree), -1);
	tmp_mkdir("a");
	assert_int_equal(drain(tree), 0);
	tmp_mkdir("a/b");
	assert_int_equal(drain(tree), 0);
	tmp_mkdir("a/b/.claude");
	assert_int_equal(drain(tree), 0);
	tmp_mkdir("a/b/.claude/projects");
	tmp_mkdir("a/b/.claude/projects/p");
	tmp_write("a/b/.claude/projects/p/s.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);
	assert_int_equal(stats(tree).dirs_watched, 2);

	/* Moved away as a whole, by an ancestor: nothing below says so. */
	tmp_rename("a/b", "a/c");
	assert_int_equal(drain(tree), 1);
	assert_int_equal(stats(tree).dirs_watched, 0);
	tmp_rename("a/c", "a/b");
	assert_int_equal(drain(tree), 1);
	tmp_append("a/b/.claude/projects/p/s.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);

	/* Deleted piece by piece, and made anew all at once. */
	tmp_unlink("a/b/.claude/projects/p/s.jsonl");
	assert_int_equal(rmdir(tmp_path("a/b/.claude/projects/p")), 0);
	assert_int_equal(rmdir(tmp_path("a/b/.claude/projects")), 0);
	assert_int_equal(rmdir(tmp_path("a/b/.claude")), 0);
	assert_int_equal(drain(tree), 1);
	assert_int_equal(stats(tree).dirs_watched, 0);
	tmp_mkdir("a/b/.claude/projects/q");
	tmp_write("a/b/.claude/projects/q/s.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);
	assert_int_equal(looks_at("a/b/.claude/projects/q/s.jsonl"), 1);

	/* Gone and there again before anybody looks. */
	tmp_rename("a/b/.claude", "old");
	tmp_mkdir("a/b/.claude/projects/r");
	tmp_write("a/b/.claude/projects/r/t.jsonl", "{}\n");
	assert_int_equal(drain(tree), 2);
	assert_int_equal(looks_at("a/b/.claude/projects/q/s.jsonl"), 1);
	assert_int_equal(looks_at("a/b/.claude/projects/r/t.jsonl"), 1);
	ccfc_tree_free(tree);
}

/* A root behind a symlink that is pointed elsewhere. */
static void test_root_symlink(void **state)
{
	struct ccfc_tree *tree = new_tree("link", 0);

	(void)state;
	tmp_mkdir("one/projects/p");
	tmp_mkdir("two/projects/p");
	tmp_write("one/projects/p/a.jsonl", "{}\n");
	tmp_write("two/projects/p/b.jsonl", "{}\n");
	assert_int_equal(symlink("one", tmp_path("link")), 0);
	assert_int_equal(ccfc_tree_rescan(tree), 1);
	assert_int_equal(looks_at("link/projects/p/a.jsonl"), 1);
	assert_int_equal(symlink("two", tmp_path("link2")), 0);
	tmp_rename("link2", "link");
	assert_int_equal(drain(tree), 2);
	assert_int_equal(looks_at("link/projects/p/b.jsonl"), 1);
	ccfc_tree_free(tree);
}

/* Two roots that lead to the same place, and share what leads there. */
static void test_two_roots(void **state)
{
	const char *roots[3];
	struct ccfc_tree *tree;

	(void)state;
	tmp_mkdir(P "/p");
	tmp_write(P "/p/a.jsonl", "{}\n");
	assert_int_equal(symlink(".claude", tmp_path("home/same")), 0);
	roots[0] = tmp_path(ROOT);
	roots[1] = tmp_path("home/same");
	roots[2] = tmp_path("home/missing");
	assert_int_equal(
		ccfc_tree_new(&tree, roots, 3, 0, on_look, &seen, NULL), 0);
	assert_int_equal(ccfc_tree_rescan(tree), 2);
	assert_int_equal(looks_at(P "/p/a.jsonl"), 1);
	assert_int_equal(looks_at("home/same/projects/p/a.jsonl"), 1);
	tmp_mkdir("home/missing/projects/p");
	tmp_write("home/missing/projects/p/b.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);
	tmp_append(P "/p/a.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);
	ccfc_tree_free(tree);
}

/* The way to one root leads through a directory of another one's tree. */
static void test_shared_watch(void **state)
{
	const char *roots[2];
	struct ccfc_tree *tree;

	(void)state;
	tmp_mkdir(P "/p");
	tmp_mkdir("else");
	tmp_write(P "/p/a.jsonl", "{}\n");
	assert_int_equal(symlink(tmp_path(P "/p"), tmp_path("link")), 0);
	roots[0] = tmp_path(ROOT);
	roots[1] = tmp_path("link");
	assert_int_equal(
		ccfc_tree_new(&tree, roots, 2, 0, on_look, &seen, NULL), 0);
	assert_int_equal(ccfc_tree_rescan(tree), 1);
	assert_int_equal(symlink("else", tmp_path("link2")), 0);
	tmp_rename("link2", "link");
	assert_int_equal(drain(tree), 0);
	tmp_append(P "/p/a.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);
	ccfc_tree_free(tree);
}

static void test_denied(void **state)
{
	struct ccfc_tree *tree = new_tree(ROOT, 0);

	(void)state;
	tmp_mkdir(P "/p");
	tmp_mkdir(P "/q");
	tmp_write(P "/p/a.jsonl", "{}\n");
	tmp_write(P "/q/b.jsonl", "{}\n");
	assert_int_equal(chmod(tmp_path(P "/p"), 0), 0);
	assert_int_equal(ccfc_tree_rescan(tree), 1);
	assert_int_equal(stats(tree).dirs_denied, 1);
	/* It is said, and tried again some time. */
	assert_int_equal(ccfc_tree_failures(tree)->n, 1);
	assert_string_equal(ccfc_tree_failures(tree)->items[0].path,
			    tmp_path(P "/p"));
	assert_string_equal(ccfc_tree_failures(tree)->items[0].why,
			    "Permission denied");
	assert_int_not_equal(ccfc_tree_timeout_ms(tree), -1);
	assert_int_equal(chmod(tmp_path(P "/p"), 0755), 0);
	assert_int_equal(drain(tree), 1);
	assert_int_equal(stats(tree).dirs_denied, 0);
	assert_int_equal(ccfc_tree_failures(tree)->n, 0);
	assert_int_equal(ccfc_tree_timeout_ms(tree), -1);
	tmp_append(P "/p/a.jsonl", "{}\n");
	assert_int_equal(drain(tree), 1);

	/* Taken away from one that was watched: its files want a look. */
	assert_int_equal(chmod(tmp_path(P "/q"), 0), 0);
	assert_int_equal(drain(tree), 1);
	assert_int_equal(looks_at(P "/q/b.jsonl"), 1);
	assert_int_equal(stats(tree).dirs_denied, 1);
	assert_int_equal(chmod(tmp_path(P "/q"), 0755), 0);
	assert_int_equal(drain(tree), 1);
	assert_int_equal(stats(tree).dirs_denied, 0);

	/* The projects directory itself has nobody above that would tell. */
	ccfc_tree_free(tree);
	assert_int_equal(chmod(tmp_path(P), 0), 0);
	tree = new_tree(ROOT, 0);
	assert_int_equal(ccfc_tree_rescan(tree), 0);
	assert_int_not_equal(ccfc_tree_timeout_ms(tree), -1);
	assert_int_equal(chmod(tmp_path(P), 0755), 0);
	drain(tree);
	assert_int_equal(looks_at(P "/p/a.jsonl"), 1);
	assert_int_equal(ccfc_tree_timeout_ms(tree), -1);
	ccfc_tree_free(tree);
}

/* Paths beyond PATH_MAX are left out, and nothing else happens. */
static void test_long_paths(void **state)
{
	struct ccfc_tree *tree;
	char rel[PATH_MAX] = "";
	char name[201];
	size_t room = PATH_MAX - strlen(tmp_dir) - 40;

	(void)state;
	memset(name, 'd', 200);
	name[200] = '\0';
	while (strlen(rel) + 202 < room) {
		strcat(rel, name);
		strcat(rel, "/");
	}
	strcat(rel, "projects");
	tmp_mkdir(rel);
	assert_int_equal(chdir(tmp_path(rel)), 0);
	assert_int_equal(mkdir("p", 0755), 0);
	memset(name, 's', 199);
	assert_int_equal(mkdir(name, 0755), 0);
	*strrchr(rel, '/') = '\0';
	tree = new_tree(rel, 0);
	ccfc_tree_rescan(tree);
	assert_int_equal(chdir(name), 0);
	assert_int_equal(mkdir(name, 0755), 0);
	assert_int_equal(mkdir("t", 0755), 0);
	ccfc_tree_drain(tree);
	ccfc_tree_rescan(tree);
	ccfc_tree_free(tree);
	/* What has too long a path must be cleared away step by step. */
	assert_int_equal(rmdir(name), 0);
	assert_int_equal(rmdir("t"), 0);
	assert_int_equal(chdir(".."), 0);
	assert_int_equal(rmdir(name), 0);
	assert_int_equal(chdir("/"), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rescan),	 TEST(test_bad_roots),
		TEST(test_coalesce),	 TEST(test_new_directories),
		TEST(test_burst),	 TEST(test_rename_and_delete),
		TEST(test_symlinks),	 TEST(test_linked_file),
		TEST(test_watch_limit),	 TEST(test_overflow),
		TEST(test_root_later),	 TEST(test_root_symlink),
		TEST(test_two_roots),	 TEST(test_denied),
		TEST(test_long_paths),	 TEST(test_no_inotify),
		TEST(test_shared_watch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
