/* Settings; see config.h. */
#include "config.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/path.h"
#include "ingest/excluded.h"
#include "os/config_file.h"
#include "os/dirs.h"
#include "os/log.h"
#include "source/tail.h"
#include "web.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LINE_LIMIT (2000u << 20)
#define ARCHIVE_BYTES  ((uint64_t)10 << 30)
#define DAYS_MAX       100000

static const char help[] =
	"usage: ccfcd [--foreground] [options]\n"
	"\n"
	"Watches Claude Code's transcripts and answers ccfc. It runs in the\n"
	"foreground and logs to stderr; ccfc starts it by itself when needed.\n"
	"\n"
	"  --root=DIR        a Claude directory (default: $CLAUDE_CONFIG_DIR\n"
	"                    or ~/.claude, and those of the config file)\n"
	"  --state-dir=DIR   where the index is kept\n"
	"  --socket=PATH     where to listen\n"
	"  --config=FILE     default ~/.config/ccfc/config\n"
	"  --log-level=L     error, warn, info or debug\n"
	"  --ready-fd=N      write one byte there when listening\n"
	"  --foreground      the default, for service files\n"
	"  --help, --version\n";

static void replace_string(char **slot, const char *value)
{
	free(*slot);
	*slot = ccfc_strdup(value);
}

/* Makes a path absolute and normal; a relative one starts at the cwd. */
static char *absolute_path(const char *path)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	char here[PATH_MAX];

	if (!getcwd(here, sizeof(here)))
		here[0] = '\0';
	if (!ccfc_path_normalise(&out, ccfc_slice_str(path),
				 ccfc_slice_str(here), CCFC_SLICE_NONE)) {
		ccfc_buf_release(&out);
		return ccfc_strdup(path);
	}
	return ccfc_buf_detach(&out, NULL);
}

static int parse_size(size_t *out, const char *text)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (end == text || errno || text[0] == '-' || v > MAX_LINE_LIMIT)
		return CCFC_EINVAL;
	if (*end == 'K' || *end == 'M' || *end == 'G')
		v <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 30, end++;
	if (*end || v < 1024 || v > MAX_LINE_LIMIT)
		return CCFC_EINVAL;
	*out = (size_t)v;
	return 0;
}

/* A number with K, M, G or T, or 0. */
static int parse_bytes(uint64_t *out, const char *text)
{
	static const char units[] = "KMGT";
	unsigned long long v;
	const char *unit;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (end == text || errno || text[0] < '0' || text[0] > '9')
		return CCFC_EINVAL;
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		unsigned shift = 10 * (unsigned)(unit - units + 1);

		if (v > UINT64_MAX >> shift)
			return CCFC_EINVAL;
		v <<= shift;
		end++;
	}
	*out = v;
	return *end ? CCFC_EINVAL : 0;
}

static int parse_days(int64_t *out, const char *text)
{
	char *end;
	long days = strtol(text, &end, 10);

	if (end == text || *end || days < 0 || days > DAYS_MAX)
		return CCFC_EINVAL;
	*out = (int64_t)days * 24 * 60 * 60;
	return 0;
}

static int parse_mode(enum ccfc_archive_mode *out, const char *text)
{
	static const char *const names[] = {
		[CCFC_ARCHIVE_ALL] = "all",
		[CCFC_ARCHIVE_CHANGES] = "changes",
		[CCFC_ARCHIVE_OFF] = "off",
	};

	for (int i = 0; i < 3; i++)
		if (!strcmp(text, names[i])) {
			*out = (enum ccfc_archive_mode)i;
			return 0;
		}
	return CCFC_EINVAL;
}

static int add_tool(struct ccfc_config *config, char *value)
{
	char *words[5] = { 0 };
	char *save = NULL;
	int n = 0;

	for (char *w = strtok_r(value, " \t", &save); w && n < 5;
	     w = strtok_r(NULL, " \t", &save))
		words[n++] = w;
	if (n < 2 || n > 4)
		return CCFC_EINVAL;
	ccfc_tools_add(&config->tools, words[0], words[1], words[2], words[3]);
	return 0;
}

static int set_mode(struct ccfc_config *config, const char *value)
{
	static const char *const modes[] = { "off", "paths", "content" };

	for (int i = 0; i < 3; i++)
		if (!strcmp(value, modes[i])) {
			config->observe.mode = (enum ccfc_observe_mode)i;
			return 0;
		}
	return CCFC_EINVAL;
}

static void add_line(char **lines, const char *line)
{
	struct ccfc_buf all = CCFC_BUF_INIT;

	if (*lines)
		ccfc_buf_puts(&all, *lines);
	ccfc_buf_printf(&all, "%s\n", line);
	free(*lines);
	*lines = ccfc_buf_detach(&all, NULL);
}

static int add_unobserved(struct ccfc_config *config, const char *pattern)
{
	add_line(&config->unobserved, pattern);
	config->observe.exclude = config->unobserved;
	return 0;
}

/* Adds a glob for projects. It is checked here, where its line is known. */
static int add_exclude(struct ccfc_config *config, const char *pattern)
{
	struct ccfc_excluded *check = NULL;
	int r = ccfc_excluded_new(&check, pattern, config->home, NULL);

	ccfc_excluded_free(check);
	if (!r)
		add_line(&config->exclude, pattern);
	return r;
}

/* A number with K, M or G behind it, from `min` to `max`. */
static int parse_number(uint64_t *out, const char *text, uint64_t min,
			uint64_t max)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (end == text || errno || text[0] == '-' || v > max)
		return CCFC_EINVAL;
	if (*end == 'K' || *end == 'M' || *end == 'G')
		v <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 30, end++;
	if (*end || v < min || v > max)
		return CCFC_EINVAL;
	*out = v;
	return 0;
}

/* The bounds of what is observed; CCFC_ENOTFOUND: it is another key. */
static int set_bound(struct ccfc_observe_settings *observe, const char *key,
		     const char *value)
{
	const uint64_t tib = (uint64_t)1 << 40;
	uint64_t v = 0;
	int r = CCFC_ENOTFOUND;

	if (!strcmp(key, "observe-dirs")) {
		r = parse_number(&v, value, 1, 1 << 20);
		observe->dirs = (uint32_t)v;
	} else if (!strcmp(key, "observe-files")) {
		r = parse_number(&v, value, 1, 1 << 22);
		observe->files = (uint32_t)v;
	} else if (!strcmp(key, "observe-bytes")) {
		r = parse_number(&observe->bytes, value, 0, tib);
	} else if (!strcmp(key, "keep-bytes")) {
		r = parse_number(&observe->kept.bytes, value, 1 << 20, tib);
	} else if (!strcmp(key, "keep-days")) {
		r = parse_number(&v, value, 1, 36500);
		observe->kept.age = (int64_t)v * 24 * 60 * 60;
	}
	return r;
}

static int set_web(struct ccfc_config *config, const char *value)
{
	uint64_t port = 0;
	int r = 0;

	if (!strcmp(value, "off"))
		config->web_port = CCFC_WEB_OFF;
	else if (!strcmp(value, "on"))
		config->web_port = 0;
	else
		r = parse_number(&port, value, 1, 65535);
	if (port)
		config->web_port = (int)port;
	return r;
}

static int set_key(void *data, const char *key, char *value)
{
	struct ccfc_config *config = data;

	if (!strcmp(key, "root"))
		return config->roots_are_given || ccfc_claude_roots_add(
							  &config->roots, value)
			       ? 0
			       : CCFC_EINVAL;
	if (!strcmp(key, "tool"))
		return add_tool(config, value);
	if (!strcmp(key, "max-line"))
		return parse_size(&config->max_line, value);
	if (!strcmp(key, "archive"))
		return parse_mode(&config->archive.mode, value);
	if (!strcmp(key, "archive-budget"))
		return parse_bytes(&config->archive.bytes, value);
	if (!strcmp(key, "archive-age"))
		return parse_days(&config->archive.age, value);
	if (!strcmp(key, "log-level")) {
		config->log_level = ccfc_log_level_from_text(value);
		return config->log_level < 0 ? CCFC_EINVAL : 0;
	}
	if (!strcmp(key, "web"))
		return set_web(config, value);
	if (!strcmp(key, "observe"))
		return set_mode(config, value);
	if (!strcmp(key, "exclude"))
		return add_exclude(config, value);
	if (!strcmp(key, "observe-exclude"))
		return add_unobserved(config, value);
	return set_bound(&config->observe, key, value);
}

static const struct option options[] = {
	{ "foreground", no_argument, NULL, 'f' },
	{ "root", required_argument, NULL, 'r' },
	{ "state-dir", required_argument, NULL, 's' },
	{ "socket", required_argument, NULL, 'k' },
	{ "config", required_argument, NULL, 'c' },
	{ "log-level", required_argument, NULL, 'l' },
	{ "ready-fd", required_argument, NULL, 'y' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'v' },
	{ NULL, 0, NULL, 0 },
};

static int bad_option(struct ccfc_err *err, const char *what)
{
	ccfc_err_set(err, CCFC_EINVAL, "%s", what);
	ccfc_err_hint(err, "see ccfcd --help");
	return CCFC_EINVAL;
}

static int parse_fd(int *out, const char *text)
{
	char *end;
	long fd = strtol(text, &end, 10);

	if (end == text || *end || fd < 3 || fd > 65535)
		return CCFC_EINVAL;
	*out = (int)fd;
	return 0;
}

static int set_option(struct ccfc_config *config, int opt, char **config_path,
		      char **log_level, struct ccfc_err *err)
{
	switch (opt) {
	case 'f':
		return 0;
	case 'r':
		config->roots_are_given = true;
		return ccfc_claude_roots_add(&config->roots, optarg)
			       ? 0
			       : bad_option(err, "--root: not a directory's "
						 "name");
	case 's':
		free(config->state_dir);
		config->state_dir = absolute_path(optarg);
		return 0;
	case 'k':
		free(config->socket_path);
		config->socket_path = absolute_path(optarg);
		return 0;
	case 'c':
		replace_string(config_path, optarg);
		return 0;
	case 'l':
		replace_string(log_level, optarg);
		if (ccfc_log_level_from_text(optarg) < 0)
			return bad_option(err, "--log-level: error, warn, "
					       "info or debug");
		return 0;
	case 'y':
		return parse_fd(&config->ready_fd, optarg)
			       ? bad_option(err, "--ready-fd: not a descriptor")
			       : 0;
	case 'h':
		fputs(help, stdout);
		return 1;
	case 'v':
		puts("ccfcd " CCFC_VERSION);
		return 1;
	default:
		return bad_option(err, "unknown option");
	}
}

static int read_options(struct ccfc_config *config, int argc, char **argv,
			char **config_path, char **log_level,
			struct ccfc_err *err)
{
	int opt, r;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		r = set_option(config, opt, config_path, log_level, err);
		if (r)
			return r;
	}
	if (optind < argc)
		return bad_option(err, "takes no arguments");
	return 0;
}

/* Paths that the command line did not give. */
static int set_default_paths(struct ccfc_config *config, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool own_state = config->state_dir != NULL;
	int r = 0;

	if (!config->state_dir) {
		r = ccfc_dirs_state(&path, err);
		if (!r)
			config->state_dir = ccfc_buf_detach(&path, NULL);
	}
	if (!r && !config->socket_path && own_state) {
		ccfc_buf_printf(&path, "%s/ccfc.sock", config->state_dir);
		config->socket_path = ccfc_buf_detach(&path, NULL);
	} else if (!r && !config->socket_path) {
		r = ccfc_dirs_socket(&path, err);
		if (!r)
			config->socket_path = ccfc_buf_detach(&path, NULL);
	}
	if (!r && !config->roots.n)
		r = ccfc_err_set(err, CCFC_EINVAL,
				 "no Claude directory: $HOME is not set");
	ccfc_buf_release(&path);
	return r;
}

static int read_config_file(struct ccfc_config *config, const char *given,
			    struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r = 0;

	if (given)
		return ccfc_config_file_read(given, true, set_key, config, err);
	if (!ccfc_dirs_config(&path, NULL))
		r = ccfc_config_file_read(path.ptr, false, set_key, config,
					  err);
	ccfc_buf_release(&path);
	return r;
}

int ccfc_config_read(struct ccfc_config *config, int argc, char **argv,
		     struct ccfc_err *err)
{
	char *config_path = NULL, *log_level = NULL;
	struct ccfc_buf home = CCFC_BUF_INIT;
	int r;

	memset(config, 0, sizeof(*config));
	config->max_line = CCFC_TAIL_DEFAULT_MAX_LINE;
	config->log_level = CCFC_LOG_INFO;
	config->web_port = CCFC_WEB_OFF;
	config->archive.bytes = ARCHIVE_BYTES;
	config->ready_fd = -1;
	config->observe = (struct ccfc_observe_settings){
		.mode = CCFC_OBSERVE_CONTENT,
		.dirs = 16384,
		.files = 65536,
		.bytes = (uint64_t)64 << 20,
		.kept = { (uint64_t)512 << 20, (int64_t)30 * 24 * 60 * 60 },
		.sweep = 24 * 60 * 60 * 1000,
	};
	ccfc_tools_init(&config->tools);
	if (!ccfc_dirs_home(&home, NULL))
		config->home = ccfc_buf_detach(&home, NULL);
	r = read_options(config, argc, argv, &config_path, &log_level, err);
	if (!r && !config->roots_are_given)
		ccfc_claude_roots_add_default(&config->roots);
	if (!r)
		r = read_config_file(config, config_path, err);
	if (!r && log_level)
		config->log_level = ccfc_log_level_from_text(log_level);
	if (!r)
		r = set_default_paths(config, err);
	ccfc_buf_release(&home);
	free(config_path);
	free(log_level);
	return r;
}

void ccfc_config_release(struct ccfc_config *config)
{
	ccfc_claude_roots_release(&config->roots);
	free(config->state_dir);
	free(config->socket_path);
	free(config->home);
	free(config->exclude);
	free(config->unobserved);
	ccfc_tools_release(&config->tools);
	memset(config, 0, sizeof(*config));
}
