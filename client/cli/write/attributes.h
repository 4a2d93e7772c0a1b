/*
 * What a file has besides content, mode and owner, kept when it is replaced:
 * its access control list, its "user." attributes and its SELinux label. Does
 * nothing on systems other than Linux.
 */
#ifndef CCFC_CLI_WRITE_ATTRIBUTES_H
#define CCFC_CLI_WRITE_ATTRIBUTES_H

/*
 * Gives the open file `to` those of `from`; an ACL that `to` has from its
 * directory, and `from` has not, goes. 0, or -1 and errno.
 */
int ccfc_attr_copy(int to, int from);

#endif
