/* A progress bar on stderr, if that is a terminal. */
#ifndef CCFC_CLI_OUT_PROGRESS_H
#define CCFC_CLI_OUT_PROGRESS_H

#include "base/buf.h"

#include <ccfc/client.h>

struct ccfc_progress_bar {
	bool tty;
	bool drawn;
	unsigned width;
	int permille; /* of the last drawing */
};

void ccfc_progress_init(struct ccfc_progress_bar *bar);

/* A ccfc_progress_fn; `data` is the bar. */
void ccfc_progress_draw(void *data, const struct ccfc_progress *progress);

/* Removes the bar. */
void ccfc_progress_end(struct ccfc_progress_bar *bar);

/* The text of the bar, without the carriage return; for ccfc_progress_draw. */
void ccfc_progress_text(struct ccfc_buf *out, unsigned width,
			const struct ccfc_progress *progress);

#endif
