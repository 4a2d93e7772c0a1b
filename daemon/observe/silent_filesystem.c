/*
 * Filesystems without events for all changes: there are none for changes by
 * other machines, by the host, or by a process behind the filesystem. Without
 * an event there is no look, and an old state would be reported as exact. An
 * overlay is not among them: it has events for all changes made through it.
 */
#include "observe/silent_filesystem.h"

#include <stddef.h>

#define TELLS_NOT(name) "its filesystem (" name ") does not tell of changes"

const char *ccfc_obs_silent(unsigned long type)
{
	static const struct {
		unsigned long type;
		const char *problem;
	} silent[] = {
		{ 0x6969, TELLS_NOT("NFS") },
		{ 0x517b, TELLS_NOT("SMB") },
		{ 0xff534d42, TELLS_NOT("CIFS") },
		{ 0xfe534d42, TELLS_NOT("SMB") },
		{ 0x65735546, TELLS_NOT("FUSE") },
		{ 0x01021997, TELLS_NOT("9P") },
		{ 0x5346414f, TELLS_NOT("AFS") },
		{ 0x6b414653, TELLS_NOT("AFS") },
		{ 0x73757245, TELLS_NOT("Coda") },
		{ 0x00c36400, TELLS_NOT("Ceph") },
		{ 0x0bd00bd0, TELLS_NOT("Lustre") },
		{ 0x47504653, TELLS_NOT("GPFS") },
		{ 0x19830326, TELLS_NOT("BeeGFS") },
		{ 0x01161970, TELLS_NOT("GFS2") },
		{ 0x7461636f, TELLS_NOT("OCFS2") },
		{ 0x786f4256, TELLS_NOT("VirtualBox") },
		{ 0xbacbacbc, TELLS_NOT("VMware") },
		{ 0x7c7c6673, TELLS_NOT("Parallels") },
		{ 0x9fa0, TELLS_NOT("proc") },
		{ 0x62656572, TELLS_NOT("sysfs") },
	};

	/* As in the kernel: 32 bits, whatever the word of statfs is. */
	for (size_t i = 0; i < sizeof(silent) / sizeof(*silent); i++)
		if ((type & 0xffffffff) == silent[i].type)
			return silent[i].problem;
	return NULL;
}
