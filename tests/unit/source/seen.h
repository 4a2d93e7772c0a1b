/*
 * A tree under test, and what it said: each path with the size that it had at
 * the last look, which is all that a caller of the tree knows.
 *
 * Events are there when the system call that caused them has returned, so the
 * tests wait for no time to pass; poll() only checks that the descriptor says
 * so.
 */
#ifndef CCFC_TEST_SOURCE_SEEN_H
#define CCFC_TEST_SOURCE_SEEN_H

#include "source/tree.h"

#include "tmp.h"

#include <poll.h>

#define ROOT "home/.claude"
#define P    ROOT "/projects"
#define NEWS 5000 /* ms until a test gives up on news */

struct seen {
	char *path;
	enum ccfc_name_kind kind;
	int looks;  /* since the last clear */
	off_t size; /* at the last look; -1: gone */
};

static struct {
	struct seen *items;
	size_t n, cap;
} seen;

static struct seen *find_seen(const char *path)
{
	for (size_t i = 0; i < seen.n; i++)
		if (!strcmp(seen.items[i].path, path))
			return &seen.items[i];
	return NULL;
}

static struct seen *add_seen(const char *path)
{
	if (seen.n == seen.cap) {
		seen.cap = seen.cap ? 2 * seen.cap : 64;
		seen.items =
			realloc(seen.items, seen.cap * sizeof(*seen.items));
		assert_non_null(seen.items);
	}
	seen.items[seen.n] = (struct seen){ .path = strdup(path) };
	return &seen.items[seen.n++];
}

static void on_look(void *ctx, const char *path, const struct ccfc_name *name)
{
	struct seen *s = find_seen(path);
	struct stat st;

	assert_ptr_equal(ctx, &seen);
	assert_true(name->kind == CCFC_NAME_SESSION ||
		    name->kind == CCFC_NAME_AGENT);
	if (!s)
		s = add_seen(path);
	s->kind = name->kind;
	s->looks++;
	s->size = !stat(path, &st) && S_ISREG(st.st_mode) ? st.st_size : -1;
}

static void clear_looks(void)
{
	for (size_t i = 0; i < seen.n; i++)
		seen.items[i].looks = 0;
}

static void forget_seen(void)
{
	for (size_t i = 0; i < seen.n; i++)
		free(seen.items[i].path);
	free(seen.items);
	memset(&seen, 0, sizeof(seen));
}

static TMP_UNUSED int looks_at(const char *rel)
{
	struct seen *s = find_seen(tmp_path(rel));

	return s ? s->looks : 0;
}

static TMP_UNUSED struct ccfc_tree *new_tree(const char *root,
					     uint32_t max_watches)
{
	const char *roots[1];
	struct ccfc_tree *tree;

	roots[0] = tmp_path(root);
	assert_int_equal(ccfc_tree_new(&tree, roots, 1, max_watches, on_look,
				       &seen, NULL),
			 0);
	return tree;
}

static bool has_news(const struct ccfc_tree *tree, int ms)
{
	struct pollfd pfd = { .fd = ccfc_tree_fd(tree), .events = POLLIN };

	return poll(&pfd, 1, ms) == 1;
}

/* There is news; takes it in. */
static TMP_UNUSED int drain(struct ccfc_tree *tree)
{
	clear_looks();
	if (ccfc_tree_timeout_ms(tree) < 0)
		assert_true(has_news(tree, NEWS));
	return ccfc_tree_drain(tree);
}

static struct ccfc_tree_stats stats(const struct ccfc_tree *tree)
{
	struct ccfc_tree_stats out;

	ccfc_tree_stats(tree, &out);
	return out;
}

static int setup(void **state)
{
	tmp_make();
	tmp_mkdir(P);
	*state = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	forget_seen();
	tmp_drop();
	return 0;
}

#endif
