/*
 * Random numbers for property tests. A run is repeatable; with CCFC_SOAK each
 * run has another seed. The seed is printed first, so that the output of a
 * failure has it; CCFC_TEST_SEED repeats such a run.
 */
#ifndef CCFC_TEST_SEED_H
#define CCFC_TEST_SEED_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t seed_state;

static inline void seed_start(void)
{
	const char *given = getenv("CCFC_TEST_SEED");
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (given)
		seed_state = strtoull(given, NULL, 10);
	else if (getenv("CCFC_SOAK"))
		seed_state = (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 32;
	else
		seed_state = 20251210;
	fprintf(stderr, "CCFC_TEST_SEED=%" PRIu64 "\n", seed_state);
}

/* splitmix64 */
static inline uint64_t seed_next(void)
{
	uint64_t z = seed_state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* 0 … n - 1 */
static inline uint32_t seed_below(uint32_t n)
{
	return (uint32_t)(seed_next() % n);
}

#endif
