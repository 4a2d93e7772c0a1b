/*
 * Extended attributes of a file that is being replaced; see attributes.h. Other
 * attributes are not ours to set ("trusted."), or express trust in the old
 * content ("security.capability").
 */
#include "cli/write/attributes.h"

#ifdef __linux__

#include "base/alloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#define ACL   "system.posix_acl_access"
#define LABEL "security.selinux"

/* All names, each with its NUL; the caller frees them. */
static ssize_t list_attributes(char **out, int fd)
{
	ssize_t n = flistxattr(fd, NULL, 0);

	*out = NULL;
	if (n <= 0)
		return n < 0 && errno == ENOTSUP ? 0 : n;
	*out = ccfc_malloc((size_t)n);
	return flistxattr(fd, *out, (size_t)n);
}

static int copy_attribute(int to, int from, const char *name)
{
	ssize_t n = fgetxattr(from, name, NULL, 0);
	char *value;
	int r;

	if (n < 0)
		return -1;
	value = ccfc_malloc((size_t)n + 1);
	n = fgetxattr(from, name, value, (size_t)n);
	r = n < 0 ? -1 : fsetxattr(to, name, value, (size_t)n, 0);
	free(value);
	return r;
}

int ccfc_attr_copy(int to, int from)
{
	char *names;
	ssize_t n = list_attributes(&names, from);
	bool acl = false;
	int r = n < 0 ? -1 : 0;

	for (ssize_t i = 0; i < n && !r; i += (ssize_t)strlen(names + i) + 1) {
		const char *name = names + i;

		if (!strcmp(name, LABEL))
			copy_attribute(to, from,
				       name); /* may be the policy's */
		else if (!strncmp(name, "user.", 5) || !strcmp(name, ACL))
			r = copy_attribute(to, from, name);
		acl |= !strcmp(name, ACL);
	}
	if (!r && !acl && fremovexattr(to, ACL) < 0 && errno != ENODATA &&
	    errno != ENOTSUP)
		r = -1;
	free(names);
	return r;
}

#else

int ccfc_attr_copy(int to, int from)
{
	(void)to;
	(void)from;
	return 0;
}

#endif
