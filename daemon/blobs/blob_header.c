/* The header of a blob's file; see blobs_internal.h. */
#include "blobs/blobs_internal.h"

#include "base/hash.h"

static void put_number(unsigned char out[8], uint64_t v)
{
	for (int i = 0; i < 8; i++)
		out[i] = (unsigned char)(v >> (8 * i));
}

static uint64_t get_number(const char *in)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v |= (uint64_t)(unsigned char)in[i] << (8 * i);
	return v;
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

bool ccfc_blob_read_header(struct ccfc_blob_header *out,
			   struct ccfc_slice bytes)
{
	*out = (struct ccfc_blob_header){ 0 };
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
