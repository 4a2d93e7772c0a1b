/* Loads libmicrohttpd; see mhd.h. It stays loaded. */
#include "http/mhd.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

struct ccfc_mhd ccfc_mhd;

static const char *const names[] = {
#define X(name) "MHD_" #name,
	CCFC_MHD_FUNCTIONS(X)
#undef X
};

#define NAMES (sizeof(names) / sizeof(*names))

/*
 * In ISO C a pointer from dlsym is no function pointer, so the bytes of the
 * pointers are copied.
 */
static bool find_symbols(struct ccfc_mhd *out, void *library)
{
	void *found[NAMES];

	_Static_assert(sizeof(found) == sizeof(*out), "one for each name");
	for (size_t i = 0; i < NAMES; i++) {
		found[i] = dlsym(library, names[i]);
		if (!found[i])
			return false;
	}
	memcpy(out, found, sizeof(found));
	return true;
}

int ccfc_mhd_load(struct ccfc_err *err)
{
	void *library;

	if (ccfc_mhd.run)
		return 0;
	library = dlopen(CCFC_MICROHTTPD, RTLD_NOW | RTLD_LOCAL);
	if (library && find_symbols(&ccfc_mhd, library))
		return 0;
	ccfc_err_set(err, CCFC_EIO, "%s cannot be loaded: %s", CCFC_MICROHTTPD,
		     library ? "it is another version" : dlerror());
	ccfc_err_hint(err, "install libmicrohttpd");
	if (library)
		dlclose(library);
	return CCFC_EIO;
}
