/* The owner of a file; see file_owner.h. */
#include "os/file_owner.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum ccfc_owner owner_of_path(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return CCFC_OWNER_UNKNOWN;
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return CCFC_OWNER_OTHER;
	if ((st.st_mode & S_IWOTH) &&
	    !(S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX)))
		return CCFC_OWNER_EVERYBODY;
	if ((st.st_mode & S_IWGRP) && st.st_gid != getegid())
		return CCFC_OWNER_GROUP;
	return CCFC_OWNER_FINE;
}

enum ccfc_owner ccfc_owner_look(const char *path, const char *root)
{
	char *dir = ccfc_strdup(path), *slash;
	enum ccfc_owner owner = owner_of_path(dir);

	while (!owner && (slash = strrchr(dir, '/')) && slash != dir) {
		*slash = '\0';
		owner = owner_of_path(dir);
		if (!root || !strcmp(dir, root))
			break;
	}
	free(dir);
	return owner;
}
