/*
 * The only C++ of the project: simdjson's first stage behind a C interface.
 * On-Demand uses the same stage: a vectorised pass that checks UTF-8 and finds
 * the tokens, with the kernel chosen at run time. json.c walks over the tokens.
 * Nothing here throws: simdjson returns error codes, and memory is allocated
 * with nothrow new.
 */
#include "transcript/json/json_simd.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <simdjson.h>

namespace
{

const size_t START = 64u << 10;
const size_t KEEP = 4u << 20;
const size_t DEPTH = 1; /* of simdjson's own walk, which is unused */

using stage = simdjson::internal::dom_parser_implementation;

[[noreturn]] void out_of_memory()
{
	std::fputs("ccfc: out of memory\n", stderr);
	std::abort();
}

} // namespace

struct ccfc_simd {
	std::unique_ptr<stage> impl;
	size_t capacity;
};

static void set_capacity(ccfc_simd *simd, size_t capacity)
{
	simd->impl.reset();
	if (simdjson::get_active_implementation()
		    ->create_dom_parser_implementation(capacity, DEPTH,
						       simd->impl))
		out_of_memory();
	simd->capacity = capacity;
}

static void make_room(ccfc_simd *simd, size_t len)
{
	size_t capacity = simd->capacity;

	while (capacity < len)
		capacity *= 2;
	if (capacity != simd->capacity)
		set_capacity(simd, capacity);
}

ccfc_simd *ccfc_simd_new(void)
{
	ccfc_simd *simd = new (std::nothrow) ccfc_simd();

	if (!simd)
		out_of_memory();
	set_capacity(simd, START);
	return simd;
}

void ccfc_simd_free(ccfc_simd *simd)
{
	delete simd;
}

uint32_t ccfc_simd_scan(ccfc_simd *simd, const uint32_t **at, const char *text,
			size_t len)
{
	uint32_t *found;
	uint32_t n;

	if (!len || len > CCFC_SIMD_MAX)
		return 0;
	make_room(simd, len);
	if (simd->impl->stage1(reinterpret_cast<const uint8_t *>(text), len,
			       simdjson::stage1_mode::regular))
		return 0;
	found = simd->impl->structural_indexes.get();
	n = simd->impl->n_structural_indexes;
	found[n] = found[n + 1] = static_cast<uint32_t>(len);
	*at = found;
	return n;
}

void ccfc_simd_trim(ccfc_simd *simd)
{
	if (simd->capacity > KEEP)
		set_capacity(simd, START);
}
