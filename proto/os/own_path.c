/* The path of the running program; each system has its own interface. */
#include "os/own_path.h"

#include <limits.h>
#include <stdint.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif
#ifdef __FreeBSD__
#include <sys/types.h>
/* The next one needs the types of the one before. */
#include <sys/sysctl.h>
#endif

/* The number of bytes written to `path`; 0: none. */
static size_t ask_system(char *path, size_t size)
{
#if defined(__APPLE__)
	uint32_t n = (uint32_t)size;

	return _NSGetExecutablePath(path, &n) ? 0 : strlen(path);
#elif defined(__FreeBSD__)
	int name[] = { CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1 };

	return sysctl(name, 4, path, &size, NULL, 0) || !size ? 0 : size - 1;
#else
	ssize_t n = readlink("/proc/self/exe", path, size);

	return n > 0 && (size_t)n < size ? (size_t)n : 0;
#endif
}

bool ccfc_own_path(struct ccfc_buf *out)
{
	char path[PATH_MAX];
	size_t n = ask_system(path, sizeof(path));

	if (!n || path[0] != '/')
		return false;
	ccfc_buf_append(out, path, n);
	return true;
}
