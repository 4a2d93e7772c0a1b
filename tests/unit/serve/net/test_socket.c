/* The socket in the file system: modes, what is in the way, who cleans up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "echo.h"

static void test_modes(void **state)
{
	struct fixture *f = *state;
	char dir[80];
	struct stat st;

	snprintf(dir, sizeof(dir), "%s/run", f->dir);
	assert_int_equal(lstat(f->path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(lstat(dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(ccfc_server_clients(f->server), 0);
}

/* Somebody listens there: that one stays, and goes on. */
static void test_in_use(void **state)
{
	struct fixture *f = *state, second = { 0 };
	struct ccfc_err err;

	memcpy(second.path, f->path, sizeof(second.path));
	assert_int_equal(listen_on(&second, &err), CCFC_EBUSY);
	assert_non_null(strstr(err.what, f->path));
	assert_null(second.server);
	assert_serving(f);
}

/* A daemon that goes late must not take its successor's socket with it. */
static void test_successor(void **state)
{
	struct fixture *f = *state;
	struct fixture second = { .stop = eventfd(0, EFD_CLOEXEC) };
	struct ccfc_err err;

	memcpy(second.path, f->path, sizeof(second.path));
	assert_int_equal(unlink(f->path), 0);
	start(&second);
	stop(f);
	assert_serving(&second);
	stop(&second);
	close(second.stop);
	assert_int_equal(listen_on(f, &err), 0);
	assert_int_equal(pthread_create(&f->core, NULL, core, f), 0);
}

static void make_file(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "precious", 8), 8);
	close(fd);
}

static void assert_file(const char *path)
{
	char text[16] = "";
	int fd = open(path, O_RDONLY);

	assert_int_equal(read(fd, text, sizeof(text)), 8);
	assert_string_equal(text, "precious");
	close(fd);
}

static void test_in_the_way(void **state)
{
	struct fixture *f = make_dir();
	struct ccfc_err err;
	char target[96], run[80];
	struct stat st;

	(void)state;
	snprintf(run, sizeof(run), "%s/run", f->dir);
	snprintf(target, sizeof(target), "%s/target", f->dir);
	assert_int_equal(mkdir(run, 0700), 0);

	make_file(f->path);
	assert_int_equal(listen_on(f, &err), CCFC_EBUSY);
	assert_non_null(strstr(err.what, f->path));
	assert_file(f->path);
	unlink(f->path);

	assert_int_equal(mkdir(f->path, 0700), 0);
	assert_int_equal(listen_on(f, &err), CCFC_EBUSY);
	assert_int_equal(rmdir(f->path), 0);

	make_file(target);
	assert_int_equal(symlink(target, f->path), 0);
	assert_int_equal(listen_on(f, &err), CCFC_EBUSY);
	assert_int_equal(lstat(f->path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_file(target);
	unlink(target);
	assert_int_equal(listen_on(f, &err), CCFC_EBUSY); /* dangling */
	unlink(f->path);

	assert_int_equal(chmod(run, 0770), 0);
	assert_int_equal(listen_on(f, &err), CCFC_EDENIED);
	assert_int_equal(chmod(run, 0702), 0);
	assert_int_equal(listen_on(f, &err), CCFC_EDENIED);
	assert_null(f->server);
	remove_dir(f);
}

static void test_stale_socket(void **state)
{
	struct fixture *f = make_dir();
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	char run[80];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	snprintf(run, sizeof(run), "%s/run", f->dir);
	assert_int_equal(mkdir(run, 0700), 0);
	strcpy(sun.sun_path, f->path);
	assert_int_equal(bind(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
	close(fd);
	start(f);
	assert_serving(f);
	stop(f);
	remove_dir(f);
}

static void test_odd_paths(void **state)
{
	static const char *const names[] = { "a b", "100%41", "x?y#z", "ü" };
	struct ccfc_server_handlers handlers = { 0 };
	struct fixture *f = make_dir();
	struct ccfc_err err;
	char name[200];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char dir[96];
		int fd;

		snprintf(dir, sizeof(dir), "%s/%s", f->dir, names[i]);
		snprintf(name, sizeof(name), "%s/%s", dir, names[i]);
		assert_int_equal(
			ccfc_server_new(&f->server, name, &handlers, &err), 0);
		fd = peer_connect(name);
		assert_true(fd >= 0);
		close(fd);
		ccfc_server_free(f->server);
		assert_int_equal(rmdir(dir), 0);
	}
	memset(name, 'x', sizeof(name));
	memcpy(name, f->dir, strlen(f->dir));
	name[strlen(f->dir)] = '/';
	name[108] = '\0';
	assert_int_equal(ccfc_server_new(&f->server, name, &handlers, &err),
			 CCFC_EINVAL);
	assert_non_null(strstr(err.hint, "CCFC_SOCKET"));
	name[107] = '\0';
	assert_int_equal(ccfc_server_new(&f->server, name, &handlers, &err), 0);
	ccfc_server_free(f->server);
	assert_int_equal(ccfc_server_new(&f->server, "s.sock", &handlers, &err),
			 CCFC_EINVAL);
	remove_dir(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_modes),
		T(test_in_use),
		T(test_successor),
		cmocka_unit_test(test_in_the_way),
		cmocka_unit_test(test_stale_socket),
		cmocka_unit_test(test_odd_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
