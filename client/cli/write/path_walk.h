/*
 * Walks the directories of a file to be written, one after another, without
 * following a link. So a link that is swapped in after the check is not
 * followed.
 */
#ifndef CCFC_CLI_WRITE_PATH_WALK_H
#define CCFC_CLI_WRITE_PATH_WALK_H

/*
 * Opens the directory that is `up` above the one of the file `path` (absolute
 * and normal), or the nearest existing one above; *missing counts the missing
 * ones. -1 and errno: ENOTDIR or ELOOP: a link or a file is in place of a
 * directory.
 */
int ccfc_path_walk_open(const char *path, unsigned up, unsigned *missing);

#endif
