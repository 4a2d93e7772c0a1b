/*
 * Reads the texts, one after another; see texts.h.
 *
 * The file is read in pieces that are whole pages and land on page
 * boundaries. What is left of a piece when the next is wanted is moved to end
 * right before it, so that a head and its text always lie together:
 *
 *	|  free  | rest | piece just read …  | SLACK |
 *	mem      pos    page boundary        end
 *
 * After damage the next head is looked for at every eighth byte, and only
 * believed if its checksum is right: texts may hold anything.
 */
#include "store/texts/texts.h"

#include "base/alloc.h"
#include "store/texts/texts_format.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define PAGE	   4096u
#define SIZE_FIRST (1u << 20)
#define SLACK	   64u /* zeros behind what was read */

struct ccfc_texts_reader {
	int fd; /* borrowed */
	uint64_t start;
	uint64_t stop; /* read up to here */
	uint64_t next; /* offset in the file of mem[end] */
	size_t size;   /* of a piece */
	void *block;   /* as allocated; mem is its first page boundary */
	char *mem;
	size_t cap;
	size_t pos; /* where the next head is */
	size_t end;
	uint64_t damaged;
	int error; /* errno of a read that failed, 0 */
	bool verify;
	bool begun;
	bool cut; /* the file ended early; not counted as damage yet */
};

static uint64_t round_page(uint64_t n)
{
	return (n + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

struct ccfc_texts_reader *
ccfc_texts_reader_new(const struct ccfc_texts_view *view, size_t size)
{
	struct ccfc_texts_reader *r = ccfc_calloc(1, sizeof(*r));

	r->fd = view->fd;
	if (r->fd >= 0) {
		r->start = view->start;
		r->stop = view->end > view->start ? view->end : view->start;
	} else if (view->end > view->start) {
		r->error = EMFILE; /* there was no descriptor to be had */
	}
	r->size = round_page(size ? size : SIZE_FIRST);
	r->next = r->start & ~(uint64_t)(PAGE - 1);
	return r;
}

void ccfc_texts_reader_free(struct ccfc_texts_reader *r)
{
	if (!r)
		return;
	free(r->block);
	free(r);
}

void ccfc_texts_verify(struct ccfc_texts_reader *r, bool verify)
{
	r->verify = verify;
}

uint64_t ccfc_texts_damaged(const struct ccfc_texts_reader *r)
{
	return r->damaged;
}

/* Offset in the file of mem[pos]. */
static uint64_t offset_of(const struct ccfc_texts_reader *r)
{
	return r->next - (r->end - r->pos);
}

uint64_t ccfc_texts_scanned(const struct ccfc_texts_reader *r)
{
	uint64_t at = offset_of(r);

	return at > r->start ? at - r->start : 0;
}

/* Moves the rest so that it ends on a page boundary, `more` bytes of room
 * behind it. */
static void make_room_texts_read(struct ccfc_texts_reader *r, size_t more)
{
	size_t rest = r->end - r->pos;
	size_t to = round_page(rest);
	size_t cap = to + more;

	if (cap > r->cap) {
		char *block = ccfc_malloc(cap + PAGE + SLACK);
		char *mem = block + (PAGE - (uintptr_t)block % PAGE) % PAGE;

		if (rest)
			memcpy(mem + to - rest, r->mem + r->pos, rest);
		free(r->block);
		r->block = block;
		r->mem = mem;
		r->cap = cap;
	} else if (rest) {
		memmove(r->mem + to - rest, r->mem + r->pos, rest);
	}
	r->pos = to - rest;
	r->end = to;
}

int ccfc_texts_error(const struct ccfc_texts_reader *r)
{
	return r->error;
}

/* A file that is shorter than it should be, or cannot be read, ends here. */
static void end_early(struct ccfc_texts_reader *r, int error)
{
	r->stop = r->next;
	r->cut = !error;
	r->error = error;
}

static void read_piece(struct ccfc_texts_reader *r, size_t want)
{
	size_t done = 0;

	while (done < want) {
		ssize_t n = pread(r->fd, r->mem + r->end, want - done,
				  (off_t)r->next);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			end_early(r, n < 0 ? errno : 0);
			break;
		}
		done += (size_t)n;
		r->end += (size_t)n;
		r->next += (uint64_t)n;
	}
	memset(r->mem + r->end, 0, SLACK);
}

/* Are there `need` bytes from pos on? Reads on if they are not there yet. */
static bool have_bytes(struct ccfc_texts_reader *r, uint64_t need)
{
	size_t rest = r->end - r->pos;
	uint64_t more;

	if (rest >= need)
		return true;
	if (need - rest > r->stop - r->next || r->next >= r->stop)
		return false;
	more = round_page(need - rest);
	if (more < r->size)
		more = r->size;
	if (more > r->stop - r->next)
		more = r->stop - r->next;
	make_room_texts_read(r, (size_t)more);
	read_piece(r, (size_t)more);
	return r->end - r->pos >= need;
}

static bool makes_sense(const struct ccfc_text_head *head)
{
	return head->magic == CCFC_TEXT_MAGIC && head->len <= CCFC_TEXT_MAX &&
	       head->kind <= CCFC_TEXT_TASKS &&
	       head->role <= CCFC_ROLE_ASSISTANT;
}

/* The text at pos, if there is a whole one. */
static bool look_texts_read(struct ccfc_texts_reader *r,
			    struct ccfc_text_head *head, bool verify)
{
	if (!have_bytes(r, CCFC_TEXTS_HEAD))
		return false;
	memcpy(head, r->mem + r->pos, sizeof(*head));
	if (!makes_sense(head) || !have_bytes(r, ccfc_texts_room(head->len)))
		return false;
	return !verify ||
	       head->check == ccfc_texts_check(r->mem + r->pos, head->len);
}

/* Goes to the next text behind damage; false at the end. */
static bool find_next_text(struct ccfc_texts_reader *r,
			   struct ccfc_text_head *head)
{
	bool found = false;

	/* A text that a failed read has cut off may be undamaged. */
	if (r->error)
		return false;
	r->damaged++;
	while (!found && have_bytes(r, 8 + CCFC_TEXTS_HEAD)) {
		r->pos += 8;
		found = look_texts_read(r, head, true);
	}
	if (!found) {
		r->pos = r->end;
		r->next = r->stop;
		r->cut = false;
	}
	return found;
}

static bool at_end(struct ccfc_texts_reader *r)
{
	if (r->pos != r->end || r->next < r->stop)
		return false;
	r->damaged += r->cut;
	r->cut = false;
	return true;
}

/* The first piece begins on a page boundary, before the first head. */
static void begin_texts_read(struct ccfc_texts_reader *r)
{
	size_t skip = (size_t)(r->start - r->next);

	r->begun = true;
	if (r->start < r->stop && have_bytes(r, skip + 1))
		r->pos += skip;
	else
		r->next = r->stop;
}

int ccfc_texts_next(struct ccfc_texts_reader *r, struct ccfc_text_head *head,
		    struct ccfc_slice *text)
{
	if (!r->begun)
		begin_texts_read(r);
	if (!look_texts_read(r, head, r->verify) &&
	    (at_end(r) || !find_next_text(r, head)))
		return 0;
	*text = ccfc_slice(r->mem + r->pos + CCFC_TEXTS_HEAD, head->len);
	r->pos += (size_t)ccfc_texts_room(head->len);
	return 1;
}

void ccfc_texts_view_release(struct ccfc_texts_view *view)
{
	if (view->fd >= 0)
		close(view->fd);
	view->fd = -1;
	view->start = view->end = 0;
}
