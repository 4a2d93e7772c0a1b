/* One file replaced, made or removed, in a real directory. */
#include "tree.h"

#include "cli/write/replace.h"

#include <signal.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

static struct ccfc_target t;
static struct ccfc_err err;

static void look(const char *name)
{
	assert_int_equal(ccfc_target_init(&t, in_tree(name), &err), 0);
	assert_int_equal(ccfc_target_look(&t, &err), 0);
	assert_int_equal(ccfc_target_name_temp(&t, &err), 0);
}

static int prepare(const char *text)
{
	return ccfc_target_prepare(&t, ccfc_slice_str(text), NULL, &err);
}

/* All steps, which must go well. */
static void replace(const char *name, const char *text)
{
	look(name);
	if (text)
		assert_int_equal(prepare(text), 0);
	assert_int_equal(ccfc_target_commit(&t, &err), 0);
	assert_int_equal(ccfc_target_sync(&t, &err), 0);
	ccfc_target_release(&t);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(lstat(in_tree(name), &st), 0);
	return st.st_mode & 07777;
}

static void test_replaces(void **state)
{
	(void)state;
	put_file("a", "old\n");
	assert_int_equal(chmod(in_tree("a"), 0751), 0);
	replace("a", "new\n");
	check_file("a", "new\n");
	assert_int_equal(mode_of("a"), 0751);
	replace("a", "");
	check_file("a", "");
	assert_int_equal(count_in("."), 1);
}

static void test_owner_is_kept(void **state)
{
	struct stat st;

	(void)state;
	put_file("a", "old\n");
	if (chown(in_tree("a"), 12345, 54321) < 0)
		skip();
	assert_int_equal(chmod(in_tree("a"), 06755), 0);
	replace("a", "new\n");
	assert_int_equal(stat(in_tree("a"), &st), 0);
	assert_int_equal(st.st_uid, 12345);
	assert_int_equal(st.st_gid, 54321);
	assert_int_equal(st.st_mode & 07777, 06755);
}

/* What would become ours is not touched. */
static void test_owner_that_cannot_be_kept(void **state)
{
	int r;

	(void)state;
	put_file("a", "old\n");
	assert_int_equal(chmod(tree_top, 0777), 0);
	if (seteuid(65534) < 0)
		skip();
	look("a");
	r = prepare("new\n");
	ccfc_target_release(&t);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(r, CCFC_EDENIED);
	assert_non_null(strstr(err.what, "cannot keep the owner"));
	check_file("a", "old\n");
	assert_int_equal(count_in("."), 1);
}

static void test_makes(void **state)
{
	(void)state;
	umask(027);
	replace("a", "new\n");
	replace("x/y/z/b", "deep\n");
	umask(022);
	check_file("a", "new\n");
	assert_int_equal(mode_of("a"), 0640);
	check_file("x/y/z/b", "deep\n");
	assert_int_equal(mode_of("x/y"), 0750);
	assert_int_equal(count_in("x/y/z"), 1);
}

static void test_as_it_was(void **state)
{
	struct ccfc_attr as = { 0604, getuid(), getgid() };

	(void)state;
	look("a");
	assert_int_equal(
		ccfc_target_prepare(&t, CCFC_SLICE_LIT("x"), &as, &err), 0);
	assert_int_equal(ccfc_target_commit(&t, &err), 0);
	ccfc_target_release(&t);
	assert_int_equal(mode_of("a"), 0604);
}

static void test_removes(void **state)
{
	(void)state;
	put_file("a", "old\n");
	replace("a", NULL);
	check_file("a", NULL);
	replace("a", NULL); /* is not there: nothing to do */
	assert_int_equal(count_in("."), 0);
}

static void check_refused(const char *name, const char *why)
{
	assert_int_equal(ccfc_target_init(&t, in_tree(name), &err), 0);
	assert_int_equal(ccfc_target_look(&t, &err), CCFC_EDENIED);
	assert_non_null(strstr(err.what, why));
	assert_non_null(strstr(err.what, name));
	ccfc_target_release(&t);
}

static void test_regular_files_only(void **state)
{
	(void)state;
	put_file("a", "old\n");
	assert_int_equal(symlink("a", in_tree("link")), 0);
	assert_int_equal(symlink("gone", in_tree("dangling")), 0);
	assert_int_equal(mkdir(in_tree("dir"), 0700), 0);
	assert_int_equal(mkfifo(in_tree("pipe"), 0600), 0);
	check_refused("link", "is a symbolic link");
	check_refused("dangling", "is a symbolic link");
	check_refused("dir", "is a directory");
	check_refused("pipe", "is a named pipe");
	check_file("a", "old\n");
}

static void test_a_file_for_a_directory(void **state)
{
	(void)state;
	put_file("a", "old\n");
	assert_int_equal(ccfc_target_init(&t, in_tree("a/b"), &err),
			 CCFC_EDENIED);
	ccfc_target_release(&t);
	assert_int_equal(ccfc_target_init(&t, "/", &err), CCFC_EDENIED);
	ccfc_target_release(&t);
	assert_int_equal(ccfc_target_init(&t, "C:/x", &err), CCFC_EDENIED);
	ccfc_target_release(&t);
}

static void check_link_refused(const char *name)
{
	err = (struct ccfc_err){ 0 };
	assert_int_equal(ccfc_target_init(&t, in_tree(name), &err),
			 CCFC_EDENIED);
	assert_non_null(strstr(err.what, "a symbolic link or a file"));
	ccfc_target_release(&t);
}

/* No directory is reached by a link, however far it is from the file. */
static void test_directory_by_a_link(void **state)
{
	(void)state;
	assert_int_equal(mkdir(in_tree("real"), 0700), 0);
	assert_int_equal(mkdir(in_tree("real/deep"), 0700), 0);
	assert_int_equal(symlink("real", in_tree("link")), 0);
	assert_int_equal(symlink("gone", in_tree("dangling")), 0);
	put_file("real/a", "old\n");
	check_link_refused("link/a");
	check_link_refused("link/deep/a");
	check_link_refused("link/new/a");
	check_link_refused("dangling/a");
	check_link_refused("real/../real/a");
	check_file("real/a", "old\n");
}

/* A link that comes when directories have to be made leads nowhere. */
static void test_a_link_while_directories_are_made(void **state)
{
	(void)state;
	assert_int_equal(mkdir(in_tree("real"), 0700), 0);
	look("new/deep/a");
	assert_int_equal(t.missing, 2);
	assert_int_equal(symlink("real", in_tree("new")), 0);
	assert_int_equal(prepare("x"), CCFC_EDENIED);
	ccfc_target_release(&t);
	assert_int_equal(rmdir(in_tree("real")), 0);
}

/* Nor are directories removed through one. */
static void test_a_link_while_directories_are_removed(void **state)
{
	(void)state;
	assert_int_equal(mkdir(in_tree("real"), 0700), 0);
	assert_int_equal(mkdir(in_tree("real/deep"), 0700), 0);
	look("new/deep/a");
	assert_int_equal(symlink("real", in_tree("new")), 0);
	ccfc_target_drop_dirs(&t, 2);
	assert_int_equal(rmdir(in_tree("real/deep")), 0);
	ccfc_target_release(&t);
}

static void check_changed(void)
{
	assert_int_equal(ccfc_target_commit(&t, &err), CCFC_EDENIED);
	assert_non_null(strstr(err.what, "changed by somebody else"));
	ccfc_target_release(&t);
}

static void test_changed_meanwhile(void **state)
{
	(void)state;
	put_file("a", "old\n");
	look("a");
	assert_int_equal(prepare("new\n"), 0);
	put_file("a", "OLD\n");
	check_changed();
	check_file("a", "OLD\n");

	look("a");
	put_file("a", "mine\n");
	check_changed(); /* nor removed */
	check_file("a", "mine\n");

	look("a");
	assert_int_equal(prepare("new\n"), 0);
	assert_int_equal(unlink(in_tree("a")), 0);
	check_changed();
	check_file("a", NULL);

	look("a");
	assert_int_equal(prepare("new\n"), 0);
	put_file("a", "somebody's\n");
	check_changed();
	check_file("a", "somebody's\n");

	look("a");
	assert_int_equal(prepare("new\n"), 0);
	assert_int_equal(unlink(in_tree("a")), 0);
	assert_int_equal(symlink("elsewhere", in_tree("a")), 0);
	assert_int_equal(ccfc_target_commit(&t, &err), CCFC_EDENIED);
	ccfc_target_release(&t);
	assert_int_equal(count_in("."), 1); /* no temporary files */
}

/* Files may not grow beyond `size` bytes. */
static void limit_size(rlim_t size)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size ? size : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_no_room(void **state)
{
	int r[2];

	(void)state;
	put_file("a", "old\n");
	look("a");
	limit_size(4);
	r[0] = prepare("longer\n");
	limit_size(0);
	assert_int_equal(r[0], CCFC_EIO);
	assert_non_null(strstr(err.what, "File too large"));
	ccfc_target_release(&t);

	look("x/y/b");
	limit_size(4);
	r[1] = prepare("longer\n");
	limit_size(0);
	assert_int_equal(r[1], CCFC_EIO);
	ccfc_target_release(&t);
	check_file("a", "old\n");
	assert_int_equal(count_in("."), 1); /* nor is there a directory x */
}

static void test_attributes(void **state)
{
#ifdef __linux__
	char value[8] = "";

	(void)state;
	put_file("a", "old\n");
	if (setxattr(in_tree("a"), "user.note", "hey", 3, 0) < 0)
		skip();
	replace("a", "new\n");
	assert_int_equal(getxattr(in_tree("a"), "user.note", value, 8), 3);
	assert_string_equal(value, "hey");
#else
	(void)state;
	skip();
#endif
}

static void test_names_are_not_guessed(void **state)
{
	char first[CCFC_TEMP_MAX];

	(void)state;
	put_file("a", "old\n");
	look("a");
	memcpy(first, t.temp, sizeof(first));
	assert_int_equal(strlen(first), 22);
	assert_int_equal(ccfc_target_name_temp(&t, &err), 0);
	assert_string_not_equal(first, t.temp);
	/* one that is there is not used, be it a link to somewhere */
	assert_int_equal(symlink("a", in_tree(t.temp)), 0);
	assert_int_equal(prepare("new\n"), CCFC_EIO);
	assert_false(t.temp_made);
	ccfc_target_release(&t);
	check_file("a", "old\n");
	assert_int_equal(count_in("."), 2); /* the link is not ours */
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_replaces),
		TEST(test_owner_is_kept),
		TEST(test_owner_that_cannot_be_kept),
		TEST(test_makes),
		TEST(test_as_it_was),
		TEST(test_removes),
		TEST(test_regular_files_only),
		TEST(test_a_file_for_a_directory),
		TEST(test_directory_by_a_link),
		TEST(test_a_link_while_directories_are_made),
		TEST(test_a_link_while_directories_are_removed),
		TEST(test_changed_meanwhile),
		TEST(test_no_room),
		TEST(test_attributes),
		TEST(test_names_are_not_guessed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
