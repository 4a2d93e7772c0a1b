/* The progress of a scan of all transcripts, for replies. */
#ifndef CCFC_SOURCE_SCAN_PROGRESS_H
#define CCFC_SOURCE_SCAN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct ccfc_scan_progress {
	bool running; /* first scan or rebuild under way */
	uint32_t files_done, files_total;
	uint64_t bytes_done, bytes_total;
};

#endif
