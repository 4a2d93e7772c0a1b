/* A progress bar on stderr; see progress.h. */
#include "cli/out/progress.h"

#include "cli/out/render.h"

#include <sys/ioctl.h>
#include <unistd.h>

#define BAR_MIN 10
#define BAR_MAX 40

void ccfc_progress_init(struct ccfc_progress_bar *bar)
{
	struct winsize ws;

	*bar = (struct ccfc_progress_bar){ .permille = -1 };
	bar->tty = !ioctl(STDERR_FILENO, TIOCGWINSZ, &ws);
	if (bar->tty)
		bar->width = ws.ws_col ? ws.ws_col : 80;
}

/* By bytes if these are known: transcripts differ in size. */
static int permille_of(const struct ccfc_progress *p)
{
	int64_t done = p->bytes_done, total = p->bytes_total;

	if (total <= 0) {
		done = p->files_done;
		total = p->files_total;
	}
	if (total <= 0 || done < 0)
		return 0;
	return done >= total ? 1000
			     : (int)((double)done * 1000 / (double)total);
}

void ccfc_progress_text(struct ccfc_buf *out, unsigned width,
			const struct ccfc_progress *progress)
{
	struct ccfc_buf tail = CCFC_BUF_INIT;
	int permille = permille_of(progress);
	unsigned bar = BAR_MAX;

	ccfc_buf_printf(&tail, " %3d%%  %lld of %lld transcripts, ",
			permille / 10, (long long)progress->files_done,
			(long long)progress->files_total);
	ccfc_render_bytes(&tail, progress->bytes_done);
	if (width < tail.len + bar + 3)
		bar = width > tail.len + BAR_MIN + 3
			      ? width - (unsigned)tail.len - 3
			      : BAR_MIN;
	ccfc_buf_putc(out, '[');
	for (unsigned i = 0; i < bar; i++)
		ccfc_buf_putc(out,
			      i * 1000 < bar * (unsigned)permille ? '#' : '.');
	ccfc_buf_putc(out, ']');
	ccfc_buf_slice(out, ccfc_buf_view(&tail));
	ccfc_buf_release(&tail);
}

static void put_progress(const struct ccfc_buf *buf)
{
	/* A bar that could not be drawn is no reason to stop. */
	if (write(STDERR_FILENO, buf->ptr, buf->len) < 0)
		return;
}

void ccfc_progress_draw(void *data, const struct ccfc_progress *progress)
{
	struct ccfc_progress_bar *bar = data;
	struct ccfc_buf line = CCFC_BUF_INIT;
	int permille = permille_of(progress);

	if (!bar->tty || permille == bar->permille)
		return;
	bar->permille = permille;
	bar->drawn = true;
	ccfc_buf_putc(&line, '\r');
	ccfc_progress_text(&line, bar->width, progress);
	ccfc_buf_puts(&line, "\033[K");
	put_progress(&line);
	ccfc_buf_release(&line);
}

void ccfc_progress_end(struct ccfc_progress_bar *bar)
{
	struct ccfc_buf line = CCFC_BUF_INIT;

	if (!bar->drawn)
		return;
	ccfc_buf_puts(&line, "\r\033[K");
	put_progress(&line);
	ccfc_buf_release(&line);
}
