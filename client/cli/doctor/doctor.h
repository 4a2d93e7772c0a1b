/*
 * The checks of `ccfc doctor` and their findings. Each group of checks is a
 * file, doctor_*.c, that adds findings; checks change nothing. Nearly every
 * finding that is not "ok" has a command that fixes it and can be pasted into a
 * shell.
 */
#ifndef CCFC_CLI_DOCTOR_DOCTOR_H
#define CCFC_CLI_DOCTOR_DOCTOR_H

#include "cli/doctor/transcripts_on_disk.h"
#include "cli/frame/cli.h"
#include "cli/setup/service_manager.h"
#include "os/claude_dir.h"
#include "wire/obj.h"
#include "wire/pack.h"

enum ccfc_level {
	CCFC_LEVEL_OK,
	CCFC_LEVEL_NOTE, /* good to know */
	CCFC_LEVEL_WARN, /* works, but not as well as it could */
	CCFC_LEVEL_FAIL, /* does not work */
};

struct ccfc_finding {
	enum ccfc_level level;
	const char *check;    /* a name that does not change */
	struct ccfc_buf what; /* what was found */
	struct ccfc_buf why;  /* why that matters; may be empty */
	struct ccfc_buf fix;  /* a command; may be empty */
};

struct ccfc_doctor {
	struct ccfc_cli *cli;
	int64_t now;			/* milliseconds */
	struct ccfc_buf state;		/* the directory; empty: not known */
	struct ccfc_buf socket;		/* its path; empty: not known */
	struct ccfc_claude_roots roots; /* the daemon's, if there is one */
	struct ccfc_user_service service;
	struct ccfc_err service_err; /* code 0: the manager answered */
	struct ccfc_err daemon_err;  /* code 0: the daemon answered */
	struct ccfc_reply *info;     /* server.info; NULL: no answer */
	struct ccfc_reply *sources;  /* source.list; NULL: none */
	struct ccfc_transcripts transcripts;
	struct {
		struct ccfc_finding **items;
		uint32_t n, cap;
	} findings;
};

/* ---- doctor.c ---- */

/* Finds the directories, and asks the daemon if one runs. */
void ccfc_doctor_init(struct ccfc_doctor *d, struct ccfc_cli *cli);
void ccfc_doctor_release(struct ccfc_doctor *d);

/* Adds a finding to fill in; it lives as long as the doctor. */
struct ccfc_finding *ccfc_doctor_add(struct ccfc_doctor *d,
				     enum ccfc_level level, const char *check);

/* The same, with the text of `what`. */
struct ccfc_finding *ccfc_doctor_say(struct ccfc_doctor *d,
				     enum ccfc_level level, const char *check,
				     const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The daemon's server.info; NONE if there is none. */
struct ccfc_obj ccfc_doctor_info(const struct ccfc_doctor *d);

/* Appends a word quoted for a shell. */
void ccfc_doctor_quote(struct ccfc_buf *out, const char *word);

/* Append the commands that stop the running daemon, and that start one. */
void ccfc_doctor_stop(const struct ccfc_doctor *d, struct ccfc_buf *out);
void ccfc_doctor_start(const struct ccfc_doctor *d, struct ccfc_buf *out);

/* The worst level of all findings. */
enum ccfc_level ccfc_doctor_worst(const struct ccfc_doctor *d);

/* Both append to cli->out. */
void ccfc_doctor_print(const struct ccfc_doctor *d);
void ccfc_doctor_print_json(const struct ccfc_doctor *d);

/* ---- the checks ---- */

void ccfc_doctor_daemon(struct ccfc_doctor *d);
void ccfc_doctor_service(struct ccfc_doctor *d);
void ccfc_doctor_files(struct ccfc_doctor *d);
void ccfc_doctor_watch(struct ccfc_doctor *d);
void ccfc_doctor_sources(struct ccfc_doctor *d);
void ccfc_doctor_store(struct ccfc_doctor *d, bool deep);
void ccfc_doctor_retention(struct ccfc_doctor *d);

#endif
