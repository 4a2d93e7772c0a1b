/*
 * Fuzzes the config file. Whatever it holds, what is read from it makes sense:
 * no setting is out of its bounds, and each root is a place.
 */
#include "base/path.h"
#include "config.h"
#include "fuzz.h"
#include "os/log.h"

#include <getopt.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "ccfcd", state[] = "--state-dir=/s", file[64];
	char *argv[] = { name, file, state, NULL };
	struct ccfc_config config;
	struct ccfc_err err;
	int fd;

	if (size > FUZZ_MAX)
		return 0;
	fd = fuzz_file(data, size);
	snprintf(file, sizeof(file), "--config=/proc/self/fd/%d", fd);
	optind = 0; /* getopt starts anew */
	if (!ccfc_config_read(&config, 3, argv, &err)) {
		FUZZ_REQUIRE(config.max_line >= 1024);
		FUZZ_REQUIRE(config.max_line <= 2000u << 20);
		FUZZ_REQUIRE(config.log_level >= CCFC_LOG_ERROR);
		FUZZ_REQUIRE(config.log_level <= CCFC_LOG_DEBUG);
		for (size_t i = 0; i < config.roots.n; i++)
			FUZZ_REQUIRE(ccfc_path_is_absolute(
				ccfc_slice_str(config.roots.items[i])));
	} else {
		FUZZ_REQUIRE(err.what[0] != '\0');
	}
	ccfc_config_release(&config);
	close(fd);
	return 0;
}
