/* Allocation that ends the process instead of failing; see alloc.h. */
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static void *abort_if_null(void *p, size_t size)
{
	if (!p && size) {
		fprintf(stderr, "ccfc: out of memory (%zu bytes)\n", size);
		abort();
	}
	return p;
}

void *ccfc_malloc(size_t size)
{
	return abort_if_null(malloc(size), size);
}

void *ccfc_calloc(size_t n, size_t size)
{
	return abort_if_null(calloc(n, size), n && size);
}

void *ccfc_realloc(void *p, size_t size)
{
	return abort_if_null(realloc(p, size), size);
}

void *ccfc_aligned_alloc(size_t alignment, size_t size)
{
	return abort_if_null(aligned_alloc(alignment, size), size);
}

char *ccfc_strndup(const char *s, size_t n)
{
	char *p = ccfc_malloc(n + 1);

	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *ccfc_strdup(const char *s)
{
	return ccfc_strndup(s, strlen(s));
}

/* glibc would otherwise learn that large blocks are worth keeping. */
void ccfc_alloc_stay_small(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
	mallopt(M_ARENA_MAX, 2);
#endif
}

void ccfc_alloc_give_back(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
