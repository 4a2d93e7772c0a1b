/*
 * The disk beside the transcripts: while a session is live, its project is
 * watched. Each change of a file there is reported with its time and, depending
 * on the settings, with the content before and after.
 *
 * The observer does not know who changed a file: inotify does not say. The
 * times are compared with those of the transcripts' lines.
 *
 * A session is live while its client's process is alive (live_sessions.h), or,
 * without a note, for a while after its last line. Its project is the git work
 * tree around its directory, else that directory. Not watched: files that
 * git's lists or the settings exclude, .git and the like, Claude directories,
 * ccfc's own directory, and a project that is the user's home or above it.
 *
 * All reading happens on a thread of its own, which sleeps while nothing
 * changes. Nothing is ever written in a project, and only regular files are
 * opened.
 *
 * The functions below are for the core thread.
 */
#ifndef CCFC_OBSERVE_OBSERVE_H
#define CCFC_OBSERVE_OBSERVE_H

#include "blobs/blobs.h"

/* Contents of larger files are not kept. */
#define CCFC_OBSERVE_CONTENT_MAX ((size_t)1 << 20)

enum ccfc_observe_mode {
	CCFC_OBSERVE_OFF,
	CCFC_OBSERVE_PATHS, /* which files changed, and when */
	CCFC_OBSERVE_CONTENT,
};

struct ccfc_observe_settings {
	enum ccfc_observe_mode mode;
	const char *exclude; /* patterns as in .gitignore; NULL: none */
	uint32_t dirs;	     /* most directories that are watched, in all */
	uint32_t files;	     /* most files that are known, in all */
	uint64_t bytes;	     /* of contents, while a session is live */
	struct ccfc_blob_limits kept;
	int sweep; /* ms between removals of contents that are too old */
};

/* One side of a change. */
struct ccfc_disk_side {
	struct ccfc_blob_key key; /* of its content, if `content` */
	uint64_t size;
	int64_t mtime; /* in ms */
	bool known;    /* the other fields are valid */
	bool exists;
	bool content; /* the bytes were kept */
};

/* A sighting: a file that has changed. */
struct ccfc_sighting {
	char *path;
	/*
	 * In ms since 1970. The change began at `since` or earlier; the last
	 * change was at `time`. For a single change both are the same, but for
	 * a tick of the system's clock. States in between were not seen.
	 */
	int64_t since, time;
	/*
	 * Until `held` the file was certainly as `before`. `held` is earlier
	 * than `since` if the file may have changed several times, or if its
	 * own time is not known.
	 */
	int64_t held;
	/*
	 * The pid in the temporary name from which the file was renamed, as
	 * clients do, if nothing else happened to the file at that time; 0:
	 * none.
	 */
	long client;
	char *session; /* of that client; NULL: not known */
	struct ccfc_disk_side before, after;
	bool own; /* `time` is the file's own time, not the time of the event */
};

struct ccfc_observe_env {
	const struct ccfc_observe_settings *settings;
	const char *const *roots; /* Claude directories */
	size_t nroots;
	const char *state_dir;
	const char *home; /* may be NULL */
	struct ccfc_blobs *blobs;
	/*
	 * True for sessions that do not make their project live. Called on the
	 * observer's thread. May be NULL.
	 */
	bool (*ignores)(void *ctx, struct ccfc_slice session,
			struct ccfc_slice cwd);
	void *ctx;
};

struct ccfc_observer;

/*
 * Starts the thread. What `env` points to outlives the observer. With the mode
 * CCFC_OBSERVE_OFF nothing is watched: the thread only removes contents that
 * are too old.
 */
int ccfc_observer_new(struct ccfc_observer **out,
		      const struct ccfc_observe_env *env, struct ccfc_err *err);
/* Ends the thread; sightings that were not taken are lost. May be NULL. */
void ccfc_observer_free(struct ccfc_observer *observer);

/* Readable when there are sightings to take. */
int ccfc_observer_fd(const struct ccfc_observer *observer);

/* A line of the session has just come; its directory is `cwd`. */
void ccfc_observer_active(struct ccfc_observer *observer,
			  struct ccfc_slice session, struct ccfc_slice cwd);

/* A client that has ended; handed out after its sightings. */
struct ccfc_client_end {
	char *session;
	long pid;
};

/* The arguments are valid during the call. */
struct ccfc_observer_fns {
	void (*saw)(void *ctx, const struct ccfc_sighting *sighting);
	void (*ended)(void *ctx, const struct ccfc_client_end *end);
};

/* Hands out the sightings in order, then the clients that have ended. */
void ccfc_observer_take(struct ccfc_observer *observer,
			const struct ccfc_observer_fns *fns, void *ctx);

/* The state of the observer. */
struct ccfc_observed_project {
	char *root;
	char *problem; /* why it is not watched; NULL: it is */
	uint32_t sessions, dirs, files;
	bool cut; /* a bound was hit: a part of it is not watched */
	/* a part is on a filesystem without events for all changes */
	bool silent;
};

struct ccfc_observe_stats {
	struct ccfc_observed_project *projects;
	uint32_t nprojects;
	uint64_t seen;	/* changes, since the start */
	uint64_t bytes; /* of contents kept for live sessions */
	bool reading;	/* some projects are still being read */
	bool cut;	/* not all contents could be kept */
};

/* The caller releases it. */
void ccfc_observer_stats(struct ccfc_observer *observer,
			 struct ccfc_observe_stats *out);
void ccfc_observe_stats_release(struct ccfc_observe_stats *stats);

#endif
