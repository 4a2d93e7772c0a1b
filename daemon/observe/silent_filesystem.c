/*
 * Filesystems without events for changes by other machines, by the host, or by
 * a process behind the filesystem. Without an event there is no look, and an
 * old state would be reported as exact. An overlay is not in the list: it has
 * events for all changes made through it.
 */
#include "observe/silent_filesystem.h"

#include <stddef.h>

#define SILENT(name) "its filesystem (" name ") does not report all changes"

const char *ccfc_obs_silent(unsigned long type)
{
	static const struct {
		unsigned long type;
		const char *problem;
	} silent[] = {
		{ 0x6969, SILENT("NFS") },
		{ 0x517b, SILENT("SMB") },
		{ 0xff534d42, SILENT("CIFS") },
		{ 0xfe534d42, SILENT("SMB") },
		{ 0x65735546, SILENT("FUSE") },
		{ 0x01021997, SILENT("9P") },
		{ 0x5346414f, SILENT("AFS") },
		{ 0x6b414653, SILENT("AFS") },
		{ 0x73757245, SILENT("Coda") },
		{ 0x00c36400, SILENT("Ceph") },
		{ 0x0bd00bd0, SILENT("Lustre") },
		{ 0x47504653, SILENT("GPFS") },
		{ 0x19830326, SILENT("BeeGFS") },
		{ 0x01161970, SILENT("GFS2") },
		{ 0x7461636f, SILENT("OCFS2") },
		{ 0x786f4256, SILENT("VirtualBox") },
		{ 0xbacbacbc, SILENT("VMware") },
		{ 0x7c7c6673, SILENT("Parallels") },
		{ 0x9fa0, SILENT("proc") },
		{ 0x62656572, SILENT("sysfs") },
	};

	/* The kernel's type has 32 bits; f_type may have more. */
	for (size_t i = 0; i < sizeof(silent) / sizeof(*silent); i++)
		if ((type & 0xffffffff) == silent[i].type)
			return silent[i].problem;
	return NULL;
}
