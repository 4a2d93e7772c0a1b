/*
 * Standard output: one buffer, checked writes, colour and a pager on a
 * terminal. Commands append to `buf` with the functions of base/buf.h and call
 * ccfc_out_check now and then (after each row, say), which writes when the
 * buffer is large. The first write error is remembered; after it everything is
 * dropped, and ccfc_out_finish reports it.
 */
#ifndef CCFC_CLI_OUT_OUT_H
#define CCFC_CLI_OUT_OUT_H

#include "base/buf.h"
#include "base/err.h"

#include <sys/types.h>

enum ccfc_color { CCFC_COLOR_AUTO, CCFC_COLOR_ALWAYS, CCFC_COLOR_NEVER };

enum ccfc_style {
	CCFC_STYLE_HEAD,  /* column titles, section heads */
	CCFC_STYLE_OLD,	  /* removed lines of a change */
	CCFC_STYLE_NEW,	  /* added lines of a change */
	CCFC_STYLE_FAINT, /* notes */
	CCFC_STYLE_ALERT, /* states other than applied */
	CCFC_STYLE_HUNK,  /* line numbers of a hunk */
	CCFC_STYLE_MATCH, /* matches of a search */
	CCFC_STYLE_ID,	  /* ids of sessions and changes */
	CCFC_STYLE_GOOD,  /* what is going on, what went well */
	CCFC_STYLE_TIME,
};

struct ccfc_out {
	struct ccfc_buf buf;
	int fd;
	bool tty;
	bool color;
	bool links;	  /* paths in tables are links */
	bool paged;	  /* a pager may be started */
	bool dispensable; /* it is no failure that it cannot be written */
	unsigned width;	  /* columns of the terminal; 0: unlimited */
	unsigned rows;
	pid_t pager; /* 0: none */
	int error;   /* errno of the first write that failed */
};

/* Checks `fd`: a terminal, and its width? No pager, automatic colour. */
void ccfc_out_init(struct ccfc_out *out, int fd);
void ccfc_out_set_color(struct ccfc_out *out, enum ccfc_color color);
/* The same for links; auto: on terminals that are known to have them. */
void ccfc_out_set_links(struct ccfc_out *out, enum ccfc_color when);

/* Writes if the buffer is large. */
void ccfc_out_check(struct ccfc_out *out);

/* Writes now; false: the reader is gone or the write failed. */
bool ccfc_out_flush(struct ccfc_out *out);

/*
 * Writes the rest, waits for the pager and releases everything. A reader that
 * went away is not an error; a full disk is, unless the output is dispensable:
 * CCFC_EIO.
 */
int ccfc_out_finish(struct ccfc_out *out, struct ccfc_err *err);

/* Start and end of a style; "" without colour. */
const char *ccfc_out_on(const struct ccfc_out *out, enum ccfc_style style);
const char *ccfc_out_off(const struct ccfc_out *out);

/* Appends one field of a text format, always made safe. */
void ccfc_out_field(struct ccfc_out *out, struct ccfc_slice s);

/* Appends a line of content: made safe on a terminal only. */
void ccfc_out_content(struct ccfc_out *out, struct ccfc_slice s);

#endif
