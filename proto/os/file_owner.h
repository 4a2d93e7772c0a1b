/* May anybody but the user and root have written to a file? */
#ifndef CCFC_OS_FILE_OWNER_H
#define CCFC_OS_FILE_OWNER_H

enum ccfc_owner {
	CCFC_OWNER_FINE,
	CCFC_OWNER_UNKNOWN,   /* it cannot be checked */
	CCFC_OWNER_OTHER,     /* another user's */
	CCFC_OWNER_EVERYBODY, /* everybody may write */
	CCFC_OWNER_GROUP,     /* a group that is not the user's may */
};

/*
 * Checks the file and the directories above it, up to `root`; without a root
 * (NULL) only its own directory.
 */
enum ccfc_owner ccfc_owner_look(const char *path, const char *root);

#endif
