/* The header of a blob's file; see blobs_internal.h. */
#include "blobs/blobs_internal.h"

#include "base/hash.h"

static void put_bytes(unsigned char *out, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = (unsigned char)(v >> (8 * i));
}

static uint64_t get_bytes(const char *in, int n)
{
	uint64_t v = 0;

	for (int i = 0; i < n; i++)
		v |= (uint64_t)(unsigned char)in[i] << (8 * i);
	return v;
}

static void put_number(unsigned char out[8], uint64_t v)
{
	put_bytes(out, v, 8);
}

static uint64_t get_number(const char *in)
{
	return get_bytes(in, 8);
}

static uint64_t sum_of(const struct ccfc_blob_header *header,
		       uint64_t frame_hash)
{
	unsigned char bytes[24];

	put_number(bytes, header->len);
	put_number(bytes + 8, header->first);
	put_number(bytes + 16, frame_hash);
	return ccfc_hash(bytes, sizeof(bytes));
}

/* --- a content in parts --- */

/* An entry of the table: two ends and a checksum. */
#define ENTRY 16u

size_t ccfc_blob_table_size(uint32_t parts)
{
	return CCFC_BLOB_HEADER_PARTS + (size_t)parts * ENTRY;
}

static bool read_parts_header(struct ccfc_blob_header *out,
			      struct ccfc_slice bytes)
{
	uint64_t parts;

	if (bytes.len < CCFC_BLOB_HEADER_PARTS)
		return false;
	parts = get_number(bytes.ptr + 16);
	if (parts < 2 || parts > CCFC_BLOB_PARTS_MAX)
		return false;
	out->parts = (uint32_t)parts;
	out->size = (unsigned)ccfc_blob_table_size(out->parts);
	out->sum = get_number(bytes.ptr + 8);
	if (bytes.len < out->size ||
	    out->sum != ccfc_hash(bytes.ptr + 16, out->size - 16))
		return false;
	out->len = get_bytes(bytes.ptr + out->size - ENTRY, 4);
	return true;
}

bool ccfc_blob_read_table(struct ccfc_blob_table *out,
			  const struct ccfc_blob_header *header,
			  struct ccfc_slice bytes)
{
	const char *at = bytes.ptr + CCFC_BLOB_HEADER_PARTS;
	uint32_t end = 0, frame_end = 0;

	out->parts.n = header->parts;
	for (uint32_t i = 0; i < header->parts; i++, at += ENTRY) {
		out->parts.ends[i] = (uint32_t)get_bytes(at, 4);
		out->frame_ends[i] = (uint32_t)get_bytes(at + 4, 4);
		out->hashes[i] = get_number(at + 8);
		if (out->parts.ends[i] < end || out->frame_ends[i] < frame_end)
			return false;
		end = out->parts.ends[i];
		frame_end = out->frame_ends[i];
	}
	return true;
}

void ccfc_blob_write_table(unsigned char *to,
			   const struct ccfc_blob_table *table)
{
	uint32_t n = table->parts.n;
	unsigned char *at = to + CCFC_BLOB_HEADER_PARTS;

	memcpy(to, CCFC_BLOB_MARK_PARTS, 8);
	put_number(to + 16, n);
	for (uint32_t i = 0; i < n; i++, at += ENTRY) {
		put_bytes(at, table->parts.ends[i], 4);
		put_bytes(at + 4, table->frame_ends[i], 4);
		put_number(at + 8, table->hashes[i]);
	}
	put_number(to + 8, ccfc_hash(to + 16, ccfc_blob_table_size(n) - 16));
}

/* --- all contents --- */

bool ccfc_blob_read_header(struct ccfc_blob_header *out,
			   struct ccfc_slice bytes)
{
	*out = (struct ccfc_blob_header){ 0 };
	if (ccfc_slice_starts(bytes, CCFC_BLOB_MARK_PARTS))
		return read_parts_header(out, bytes);
	if (bytes.len >= CCFC_BLOB_HEADER &&
	    ccfc_slice_starts(bytes, CCFC_BLOB_MARK)) {
		out->has_sum = true;
		out->size = CCFC_BLOB_HEADER;
		out->first = get_number(bytes.ptr + 16);
		out->sum = get_number(bytes.ptr + 24);
	} else if (bytes.len >= CCFC_BLOB_HEADER_1 &&
		   ccfc_slice_starts(bytes, CCFC_BLOB_MARK_1)) {
		out->size = CCFC_BLOB_HEADER_1;
	} else {
		return false;
	}
	out->len = get_number(bytes.ptr + 8);
	return out->first <= out->len;
}

void ccfc_blob_write_header(unsigned char to[CCFC_BLOB_HEADER],
			    struct ccfc_blob_header *header,
			    uint64_t frame_hash)
{
	header->sum = sum_of(header, frame_hash);
	memcpy(to, CCFC_BLOB_MARK, 8);
	put_number(to + 8, header->len);
	put_number(to + 16, header->first);
	put_number(to + 24, header->sum);
}

bool ccfc_blob_header_fits(const struct ccfc_blob_header *header,
			   uint64_t frame_hash)
{
	return !header->has_sum || header->sum == sum_of(header, frame_hash);
}
