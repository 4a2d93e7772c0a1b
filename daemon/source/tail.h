/*
 * Reads a transcript from a cursor on: complete lines only.
 *
 * A cursor says how far a file was read. It advances at '\n', never on parse
 * success; except after the last newline, if the caller found a whole record
 * there (ccfc_tail_rest). A file is recognized by a hash of the bytes just
 * before the cursor (the marker); device and inode prove nothing. If the file
 * is shorter than the cursor or the marker does not match, the file was
 * truncated, replaced or rewritten: CCFC_TAIL_RESET, and the caller starts over
 * with a cleared cursor.
 *
 * One struct ccfc_tail serves all files, one after the other; it owns the
 * read buffer. Files are opened read-only and never blocking (a FIFO in the
 * way ends as CCFC_TAIL_GONE), only regular files are read, with pread, never
 * mapped. One thread at a time.
 */
#ifndef CCFC_SOURCE_TAIL_H
#define CCFC_SOURCE_TAIL_H

#include "base/err.h"
#include "base/slice.h"
#include "source/attic.h"

#include <stdint.h>

#define CCFC_TAIL_MARKER_MAX 256u
/* Readable bytes after every line, which the JSON parser may read. */
#define CCFC_TAIL_PADDING	   64u
#define CCFC_TAIL_DEFAULT_MAX_LINE (256u << 20)

struct ccfc_cursor {
	uint64_t dev;
	uint64_t ino;
	uint64_t offset;     /* after the last line returned */
	uint64_t marker;     /* hash of the marker_len bytes before offset */
	uint32_t marker_len; /* min(offset, CCFC_TAIL_MARKER_MAX) */
	uint64_t probe;	     /* bytes from offset to here hold no newline; not
			      * kept in the store, 0 is always right */
};

enum ccfc_tail_status {
	CCFC_TAIL_OPEN,	 /* opened: read lines with ccfc_tail_next */
	CCFC_TAIL_RESET, /* not the file of the cursor */
	CCFC_TAIL_GONE,	 /* neither a regular file nor a kept copy */
	CCFC_TAIL_ERROR, /* one exists and cannot be read; see err */
};

struct ccfc_line {
	const char *ptr; /* without the newline; CCFC_TAIL_PADDING readable
			  * bytes follow; valid until the next call */
	size_t len;
	uint64_t offset; /* of the line's first byte in the file */
	bool too_long;	 /* longer than max_line: skipped, ptr is NULL, len
			  * is its length */
};

struct ccfc_tail;

struct ccfc_tail *ccfc_tail_new(size_t max_line);
void ccfc_tail_free(struct ccfc_tail *tail);

/*
 * The attic has bytes that are gone: deleted files, and bytes that a file no
 * longer has. NULL, as at first: none. Not between open and close.
 */
void ccfc_tail_use(struct ccfc_tail *tail, const struct ccfc_attic *attic);
const struct ccfc_attic *ccfc_tail_attic(const struct ccfc_tail *tail);

/*
 * Has a descriptor to open a file or a kept copy been missing since
 * ccfc_tail_new? Then something was not read, although nothing is lost.
 */
bool ccfc_tail_is_starved(const struct ccfc_tail *tail);

/* Does this errno mean that there is no such file? */
bool ccfc_tail_means_gone(int errnum);

/*
 * Opens `path` to read from `cursor` on. On CCFC_TAIL_OPEN dev and ino of a
 * cursor with offset 0 are set; on any other status nothing is open and the
 * cursor is untouched. A changed dev/ino with a matching marker (a file that
 * was copied over or moved) is the same file: dev and ino are updated.
 */
enum ccfc_tail_status ccfc_tail_open(struct ccfc_tail *tail, const char *path,
				     struct ccfc_cursor *cursor,
				     struct ccfc_err *err);

/*
 * As ccfc_tail_open, for the bytes that the attic has of a transcript, as it
 * was when its lines were read as generation `gen`, whether its file exists or
 * not.
 */
enum ccfc_tail_status ccfc_tail_open_gen(struct ccfc_tail *tail,
					 const char *path, uint32_t gen,
					 struct ccfc_cursor *cursor,
					 struct ccfc_err *err);

/*
 * Is the open file also the file of the cursor `other`? Answered from the open
 * descriptor, whatever its path means by now. Unreadable bytes count as a
 * match.
 */
bool ccfc_tail_holds(struct ccfc_tail *tail, const struct ccfc_cursor *other);
/*
 * The same for a marker of `len` bytes, which may be fewer than a cursor's. No
 * bytes match any file that has `offset` bytes.
 */
bool ccfc_tail_matches(struct ccfc_tail *tail, uint64_t offset, uint64_t marker,
		       uint32_t len);

/*
 * The next complete line, with cursor->offset after it: 1; 0: no complete line
 * is left; negative: a read error. The cursor's marker is valid again only
 * after ccfc_tail_close.
 */
int ccfc_tail_next(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
		   struct ccfc_line *line, struct ccfc_err *err);

/*
 * The bytes after the last newline, once ccfc_tail_next has returned 0: 1, and
 * `line` is as if there were a newline; 0: there is nothing, nothing new since
 * the last read, or more than `max`; negative: a read error. The cursor stays,
 * until ccfc_tail_take advances it by the `len` bytes that the caller used. A
 * newline that follows at once does not count as a line.
 */
int ccfc_tail_rest(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
		   struct ccfc_line *line, size_t max, struct ccfc_err *err);
void ccfc_tail_take(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
		    size_t len);

/* Brings the cursor's marker up to date and closes the file. */
void ccfc_tail_close(struct ccfc_tail *tail, struct ccfc_cursor *cursor);

/*
 * For questions that may be cancelled: as soon as `over` is true, nothing more
 * is read, and ccfc_tail_next and ccfc_tail_read_at fail with CCFC_EAGAIN.
 * `over` is called before each read, except while a line longer than max_line
 * is skipped.
 */
void ccfc_tail_until(struct ccfc_tail *tail, bool (*over)(void *ctx),
		     void *ctx);
/* Is `over` true, or was it? For loops that read nothing. */
bool ccfc_tail_is_over(struct ccfc_tail *tail);

/*
 * One line at a known place, for content on request: reads `len` bytes at
 * `offset` of `path`. The slice lies in the tail's buffer (padded), valid until
 * the next call on `tail`. CCFC_ENOTFOUND: the file is gone or too short. Must
 * not be called between open and close.
 */
int ccfc_tail_read_at(struct ccfc_tail *tail, struct ccfc_slice *out,
		      const char *path, uint64_t offset, size_t len,
		      struct ccfc_err *err);

/*
 * As ccfc_tail_read_at, for a line that was read as generation `gen` of a
 * transcript that was rewritten since: only the attic may have the line's
 * bytes. With CCFC_ATTIC_LAST it does the same as ccfc_tail_read_at.
 */
int ccfc_tail_read_gen(struct ccfc_tail *tail, struct ccfc_slice *out,
		       const char *path, uint32_t gen, uint64_t offset,
		       size_t len, struct ccfc_err *err);

/*
 * May these bytes have a CCFC_ATTIC_NOTE? False: certainly not. Only known of a
 * kept transcript of which something was just read.
 */
bool ccfc_tail_may_have_note(const struct ccfc_tail *tail, const char *path,
			     uint64_t offset, size_t len);

/*
 * Lines that may be read from now on. The attic (source/attic.h) gets the list
 * when the first kept transcript is opened. The list must live as long as the
 * tail, or until the next call.
 */
void ccfc_tail_expect(struct ccfc_tail *tail,
		      const struct ccfc_attic_line *lines, uint32_t n);

#endif
