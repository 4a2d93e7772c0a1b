/*
 * Attributes, apart from mode and owner, that are kept when a file is replaced:
 * its access control list, its "user." attributes and its SELinux label. Does
 * nothing on systems other than Linux.
 */
#ifndef CCFC_CLI_WRITE_ATTRIBUTES_H
#define CCFC_CLI_WRITE_ATTRIBUTES_H

/*
 * Copies them from `from` to the open file `to`; an ACL that `to` inherited
 * from its directory, and `from` lacks, is removed. 0, or -1 and errno.
 */
int ccfc_attr_copy(int to, int from);

#endif
