/*
 * Allocation that cannot fail: out of memory ends the process with one line on
 * stderr. In exchange every size from outside is limited before use
 * (ccfc/client.h says so too).
 */
#ifndef CCFC_BASE_ALLOC_H
#define CCFC_BASE_ALLOC_H

#include <stddef.h>

void *ccfc_malloc(size_t size);
void *ccfc_calloc(size_t n, size_t size);
void *ccfc_realloc(void *p, size_t size);
/* `size` is a multiple of `alignment`, which is a power of two. */
void *ccfc_aligned_alloc(size_t alignment, size_t size);
char *ccfc_strndup(const char *s, size_t n);
char *ccfc_strdup(const char *s);

/*
 * For long-lived processes. stay_small, called at the start, makes large freed
 * blocks go back to the system at once; give_back returns freed memory after
 * much work. Both do nothing without glibc's allocator.
 */
void ccfc_alloc_stay_small(void);
void ccfc_alloc_give_back(void);

/*
 * Makes room for one more element in a vector {T *items; uint32_t n, cap;}.
 * `vec` is evaluated several times.
 */
#define CCFC_VEC_GROW(vec)                                                     \
	do {                                                                   \
		if ((vec).n == (vec).cap) {                                    \
			(vec).cap = (vec).cap ? (vec).cap * 2 : 4;             \
			(vec).items = ccfc_realloc(                            \
				(vec).items,                                   \
				(size_t)(vec).cap * sizeof(*(vec).items));     \
		}                                                              \
	} while (0)

#define CCFC_VEC_PUSH(vec, value)                                              \
	do {                                                                   \
		CCFC_VEC_GROW(vec);                                            \
		(vec).items[(vec).n++] = (value);                              \
	} while (0)

#endif
