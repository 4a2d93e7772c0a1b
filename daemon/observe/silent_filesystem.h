/* Filesystems without events for all changes. */
#ifndef CCFC_OBSERVE_SILENT_FILESYSTEM_H
#define CCFC_OBSERVE_SILENT_FILESYSTEM_H

/*
 * Why a project on a filesystem of that type (f_type of statfs) cannot be
 * watched; NULL: it can. The text is static.
 */
const char *ccfc_obs_silent(unsigned long type);

#endif
