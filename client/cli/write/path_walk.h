/*
 * The way to a file that is to be written: its directories, one after another,
 * without following a link. Who swaps one in after it was decided where to
 * write is not followed.
 */
#ifndef CCFC_CLI_WRITE_PATH_WALK_H
#define CCFC_CLI_WRITE_PATH_WALK_H

/*
 * Opens the directory that is `up` above the one of the file `path` (absolute
 * and normal), or the nearest on the way to it that there is; *missing is how
 * many there are not. -1 and errno: ENOTDIR or ELOOP where a link or a file is
 * in the place of a directory.
 */
int ccfc_path_walk_open(const char *path, unsigned up, unsigned *missing);

#endif
