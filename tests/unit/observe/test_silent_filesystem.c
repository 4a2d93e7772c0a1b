/* Which filesystems tell of changes, by the numbers of the kernel's headers. */
#include "observe/silent_filesystem.h"

#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_named(unsigned long type, const char *name)
{
	const char *problem = ccfc_obs_silent(type);

	assert_non_null(problem);
	assert_non_null(strstr(problem, name));
}

static void test_silent(void **state)
{
	(void)state;
	assert_named(NFS_SUPER_MAGIC, "(NFS)");
	assert_named(SMB_SUPER_MAGIC, "(SMB)");
	assert_named(SMB2_SUPER_MAGIC, "(SMB)");
	assert_named(CIFS_SUPER_MAGIC, "(CIFS)");
	assert_named(FUSE_SUPER_MAGIC, "(FUSE)");
	assert_named(V9FS_MAGIC, "(9P)");
	assert_named(AFS_SUPER_MAGIC, "(AFS)");
	assert_named(AFS_FS_MAGIC, "(AFS)");
	assert_named(CODA_SUPER_MAGIC, "(Coda)");
	assert_named(CEPH_SUPER_MAGIC, "(Ceph)");
	assert_named(OCFS2_SUPER_MAGIC, "(OCFS2)");
	assert_named(PROC_SUPER_MAGIC, "(proc)");
	assert_named(SYSFS_MAGIC, "(sysfs)");
}

static void test_not_silent(void **state)
{
	static const unsigned long types[] = {
		EXT4_SUPER_MAGIC,
		BTRFS_SUPER_MAGIC,
		XFS_SUPER_MAGIC,
		TMPFS_MAGIC,
		RAMFS_MAGIC,
		F2FS_SUPER_MAGIC,
		OVERLAYFS_SUPER_MAGIC,
		MSDOS_SUPER_MAGIC,
		ECRYPTFS_SUPER_MAGIC,
		EROFS_SUPER_MAGIC_V1,
		0,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		assert_null(ccfc_obs_silent(types[i]));
}

/* A word of statfs may be signed and wider than the number. */
static void test_sign(void **state)
{
	(void)state;
	assert_named((unsigned long)(long)(int32_t)CIFS_SUPER_MAGIC, "(CIFS)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_not_silent),
		cmocka_unit_test(test_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
