/*
 * Standard output; see out.h.
 *
 * The pager: on a terminal nothing is written until the output is longer than
 * the screen or has ended. In the first case a pager is started and gets the
 * held-back output and all that follows; in the second the output is printed
 * directly.
 */
#include "cli/out/out.h"

#include "cli/out/hyperlink.h"
#include "cli/out/pager.h"
#include "cli/out/safe.h"
#include "cli/out/width.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WRITE_AT (64 * 1024)

static unsigned env_number(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);
	unsigned long n = text ? strtoul(text, NULL, 10) : 0;

	return n && n < 100000 ? (unsigned)n : otherwise;
}

void ccfc_out_init(struct ccfc_out *out, int fd)
{
	struct winsize ws;

	*out = (struct ccfc_out){ .fd = fd };
	if (ioctl(fd, TIOCGWINSZ, &ws) < 0) {
		/* Closed: the next thing to be opened may get its number. */
		if (errno == EBADF)
			out->error = errno;
		return;
	}
	out->tty = true;
	out->width = ws.ws_col ? ws.ws_col : env_number("COLUMNS", 80);
	out->rows = ws.ws_row ? ws.ws_row : env_number("LINES", 24);
	ccfc_out_set_color(out, CCFC_COLOR_AUTO);
	ccfc_out_set_links(out, CCFC_COLOR_AUTO);
}

void ccfc_out_set_links(struct ccfc_out *out, enum ccfc_color when)
{
	out->links = when == CCFC_COLOR_ALWAYS ||
		     (when == CCFC_COLOR_AUTO && out->tty &&
		      ccfc_hyperlink_is_known());
}

void ccfc_out_set_color(struct ccfc_out *out, enum ccfc_color color)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	out->color = color == CCFC_COLOR_ALWAYS;
	if (color == CCFC_COLOR_AUTO)
		out->color = out->tty && !(no && *no) && term &&
			     strcmp(term, "dumb");
}

static void write_buffered(struct ccfc_out *out)
{
	size_t done = 0;

	while (!out->error && done < out->buf.len) {
		ssize_t n = write(out->fd, out->buf.ptr + done,
				  out->buf.len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			out->error = errno;
	}
	ccfc_buf_clear(&out->buf);
}

/* Is the buffered output higher than the screen? Long lines wrap. */
static bool is_high(const struct ccfc_out *out)
{
	const char *p = out->buf.ptr, *end = p + out->buf.len;
	size_t rows = 0;

	while (p < end && rows < out->rows) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;

		rows += 1 + (size_t)(stop - p) / (out->width + 1);
		p = stop + 1;
	}
	return rows >= out->rows;
}

static void start_pager(struct ccfc_out *out)
{
	int fd = ccfc_pager_start(&out->pager);

	out->paged = false;
	if (fd >= 0)
		out->fd = fd;
}

void ccfc_out_check(struct ccfc_out *out)
{
	if (out->buf.len < WRITE_AT)
		return;
	if (out->paged)
		start_pager(out);
	write_buffered(out);
}

bool ccfc_out_flush(struct ccfc_out *out)
{
	write_buffered(out);
	return !out->error;
}

int ccfc_out_finish(struct ccfc_out *out, struct ccfc_err *err)
{
	int error;

	if (out->paged && is_high(out))
		start_pager(out);
	write_buffered(out);
	if (out->pager) {
		close(out->fd);
		ccfc_pager_wait(out->pager);
	}
	error = out->error;
	ccfc_buf_release(&out->buf);
	if (!error || error == EPIPE || out->dispensable)
		return 0;
	ccfc_err_io(err, error, "writing the output");
	return CCFC_EIO;
}

const char *ccfc_out_on(const struct ccfc_out *out, enum ccfc_style style)
{
	static const char *const codes[] = {
		[CCFC_STYLE_HEAD] = "\033[1m",
		[CCFC_STYLE_OLD] = "\033[31m",
		[CCFC_STYLE_NEW] = "\033[32m",
		[CCFC_STYLE_FAINT] = "\033[2m",
		[CCFC_STYLE_ALERT] = "\033[33m",
		[CCFC_STYLE_HUNK] = "\033[36m",
		[CCFC_STYLE_MATCH] = "\033[1;31m",
		[CCFC_STYLE_ID] = "\033[33m",
		[CCFC_STYLE_GOOD] = "\033[32m",
		[CCFC_STYLE_TIME] = "\033[34m",
	};

	return out->color ? codes[style] : "";
}

const char *ccfc_out_off(const struct ccfc_out *out)
{
	return out->color ? "\033[m" : "";
}

void ccfc_out_field(struct ccfc_out *out, struct ccfc_slice s)
{
	ccfc_safe_append(&out->buf, s, false);
}

void ccfc_out_content(struct ccfc_out *out, struct ccfc_slice s)
{
	if (out->tty)
		ccfc_safe_append(&out->buf, s, true);
	else
		ccfc_buf_slice(&out->buf, s);
}
