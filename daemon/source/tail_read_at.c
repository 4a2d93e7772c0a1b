/*
 * Reads one line at a known place; see tail.h. A question reads many lines of
 * few transcripts: the kept ones that were read last stay open.
 */
#include "source/tail_impl.h"

#include "base/alloc.h"

#include <stdlib.h>

static void close_kept(struct ccfc_tail *tail)
{
	for (uint32_t i = 0; i < CCFC_TAIL_OPEN_KEPT && tail->kept[i].path;
	     i++) {
		ccfc_input_close(&tail->kept[i].in);
		free(tail->kept[i].path);
		tail->kept[i].path = NULL;
	}
}

static void announce_expected(struct ccfc_tail *tail)
{
	if (tail->announced || !tail->nexpected)
		return;
	tail->announced = true;
	tail->attic->expect(tail->attic->ctx, tail->expected, tail->nexpected);
}

static void end_expected(struct ccfc_tail *tail)
{
	if (tail->announced)
		tail->attic->expect(tail->attic->ctx, NULL, 0);
	tail->announced = false;
}

void ccfc_tail_use(struct ccfc_tail *tail, const struct ccfc_attic *attic)
{
	end_expected(tail);
	close_kept(tail);
	tail->attic = attic;
}

const struct ccfc_attic *ccfc_tail_attic(const struct ccfc_tail *tail)
{
	return tail->attic;
}

void ccfc_tail_expect(struct ccfc_tail *tail,
		      const struct ccfc_attic_line *lines, uint32_t n)
{
	end_expected(tail);
	tail->expected = lines;
	tail->nexpected = n;
}

static int read_open(struct ccfc_tail *tail, const struct ccfc_input *in,
		     uint64_t offset, size_t len, struct ccfc_err *err)
{
	size_t cap = tail->cap;
	ssize_t n;

	if (offset > in->size || len > in->size - offset)
		return ccfc_err_set(err, CCFC_ENOTFOUND, "file is too short");
	while (cap < len)
		cap *= 2;
	if (cap > tail->cap)
		ccfc_tail_set_capacity(tail, cap);
	n = ccfc_input_read(in, tail->mem, len, offset);
	if (n < 0) {
		ccfc_tail_note_errno(tail);
		return ccfc_tail_read_error(err, offset);
	}
	if ((size_t)n < len)
		return ccfc_err_set(err, CCFC_ENOTFOUND, "file is too short");
	return 0;
}

/* The place of an open kept transcript, or where the list ends. */
static uint32_t find_kept(const struct ccfc_tail *tail, const char *path,
			  uint32_t gen)
{
	uint32_t i = 0;

	while (i < CCFC_TAIL_OPEN_KEPT && tail->kept[i].path &&
	       (tail->kept[i].gen != gen || strcmp(tail->kept[i].path, path)))
		i++;
	return i;
}

static bool is_kept_open(const struct ccfc_tail *tail, const char *path,
			 uint32_t gen)
{
	uint32_t i = find_kept(tail, path, gen);

	return i < CCFC_TAIL_OPEN_KEPT && tail->kept[i].path;
}

/* Makes the open kept transcript the first in the list; NULL: see err. */
static const struct ccfc_input *open_kept(struct ccfc_tail *tail,
					  const char *path, uint32_t gen,
					  struct ccfc_err *err)
{
	enum ccfc_input_status status;
	struct ccfc_tail_kept found;
	uint32_t i = find_kept(tail, path, gen);

	if (i < CCFC_TAIL_OPEN_KEPT && tail->kept[i].path) {
		found = tail->kept[i];
	} else {
		status = ccfc_input_open_kept(&found.in, tail->attic, path, gen,
					      err);
		if (status == CCFC_INPUT_GONE)
			ccfc_err_set(err, CCFC_ENOTFOUND, "%s: is gone", path);
		if (status == CCFC_INPUT_ERROR)
			ccfc_tail_note_errno(tail);
		if (status != CCFC_INPUT_OPEN)
			return NULL;
		announce_expected(tail);
		found.path = ccfc_strdup(path);
		found.gen = gen;
		if (i == CCFC_TAIL_OPEN_KEPT) {
			i--;
			ccfc_input_close(&tail->kept[i].in);
			free(tail->kept[i].path);
		}
	}
	memmove(tail->kept + 1, tail->kept, i * sizeof(found));
	tail->kept[0] = found;
	return &tail->kept[0].in;
}

static int read_kept(struct ccfc_tail *tail, const char *path, uint32_t gen,
		     uint64_t offset, size_t len, struct ccfc_err *err)
{
	const struct ccfc_input *in = open_kept(tail, path, gen, err);

	return in ? read_open(tail, in, offset, len, err) : err->code;
}

/*
 * From the kept copy, if it is open; or from the file, or from the attic if the
 * file does not have the bytes.
 */
static int read_present(struct ccfc_tail *tail, const char *path,
			uint64_t offset, size_t len, struct ccfc_err *err)
{
	struct ccfc_input in;
	int r = CCFC_ENOTFOUND;

	/* It is open since the file did not have bytes a moment ago. */
	if (is_kept_open(tail, path, CCFC_ATTIC_LAST) &&
	    !read_kept(tail, path, CCFC_ATTIC_LAST, offset, len, err))
		return 0;
	switch (ccfc_input_open(&in, NULL, path, err)) {
	case CCFC_INPUT_ERROR:
		ccfc_tail_note_errno(tail);
		return err->code;
	case CCFC_INPUT_OPEN:
		r = read_open(tail, &in, offset, len, err);
		ccfc_input_close(&in);
		break;
	default:
		ccfc_err_set(err, r, "%s: is gone", path);
	}
	if (r != CCFC_ENOTFOUND || !tail->attic)
		return r;
	return read_kept(tail, path, CCFC_ATTIC_LAST, offset, len, err);
}

bool ccfc_tail_may_have_note(const struct ccfc_tail *tail, const char *path,
			     uint64_t offset, size_t len)
{
	uint32_t i = find_kept(tail, path, CCFC_ATTIC_LAST);

	return i == CCFC_TAIL_OPEN_KEPT || !tail->kept[i].path ||
	       tail->attic->may_have_note(tail->kept[i].in.kept, offset, len);
}

int ccfc_tail_read_gen(struct ccfc_tail *tail, struct ccfc_slice *out,
		       const char *path, uint32_t gen, uint64_t offset,
		       size_t len, struct ccfc_err *err)
{
	struct ccfc_err own;
	int r;

	if (!err)
		err = &own;
	if (len > tail->max_line)
		return ccfc_err_set(err, CCFC_ETOOBIG, "%s: line of %zu bytes",
				    path, len);
	ccfc_tail_free_large_buffer(tail);
	r = ccfc_tail_fail_if_over(tail, err);
	if (r)
		return r;
	r = gen == CCFC_ATTIC_LAST
		    ? read_present(tail, path, offset, len, err)
		    : read_kept(tail, path, gen, offset, len, err);
	if (!r)
		*out = ccfc_slice(tail->mem, len);
	return r;
}

int ccfc_tail_read_at(struct ccfc_tail *tail, struct ccfc_slice *out,
		      const char *path, uint64_t offset, size_t len,
		      struct ccfc_err *err)
{
	return ccfc_tail_read_gen(tail, out, path, CCFC_ATTIC_LAST, offset, len,
				  err);
}
