/*
 * The disk beside the transcripts: while a session is live, its project is
 * watched, and each file that changes there is told of, with the time and, if
 * the settings want it, with its content before and after.
 *
 * Who changed a file is not known here: inotify does not tell. The times are
 * there to be held against those of the transcripts' lines.
 *
 * A session is live while its client's process is (live_sessions.h), or, where
 * no note tells, for a while after its last line. Its project is the work tree
 * of git that its directory is in, else that directory. Not watched: what
 * .gitignore or the settings exclude, .git, Claude directories, our own
 * directory, and a project that would be the user's home or above it.
 *
 * All reading happens on a thread of its own, which sleeps while nothing
 * changes. Nothing is ever written in a project, only regular files are opened,
 * and what is not there when it is looked at was not there.
 *
 * The functions below are for the core's thread.
 */
#ifndef CCFC_OBSERVE_OBSERVE_H
#define CCFC_OBSERVE_OBSERVE_H

#include "blobs/blobs.h"

/* Content of larger files is not kept. */
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
	uint64_t bytes;	     /* of files' content, for a session's time only */
	struct ccfc_blob_limits kept;
	int sweep; /* ms after which what is too old is removed again */
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

/* A file that was seen to have changed. */
struct ccfc_sighting {
	char *path;
	/* By when it had begun to change since it was looked at before, and
	 * when it changed last; in ms since 1970. Of one change both are the
	 * same but for a tick of the system's clock. The state in between, if
	 * there was one, was not seen. */
	int64_t since, time;
	/*
	 * The file was as `before` until then for sure. This is earlier than
	 * `since` if the file may have changed several times, or if the time of
	 * its deletion is not known.
	 */
	int64_t held;
	/* The process that replaced the file the way clients do, if nothing
	 * else happened to the file at that time; 0: none. */
	long client;
	char *session; /* of that client; NULL: not known */
	struct ccfc_disk_side before, after;
	bool own; /* `time` is the file's own, and not when it was noticed */
};

struct ccfc_observe_env {
	const struct ccfc_observe_settings *settings;
	const char *const *roots; /* Claude directories */
	size_t nroots;
	const char *state_dir;
	const char *home; /* may be NULL */
	struct ccfc_blobs *blobs;
	/* Sessions that do not make their project live; on the observer's
	 * thread. May be NULL. */
	bool (*ignores)(void *ctx, struct ccfc_slice session,
			struct ccfc_slice cwd);
	void *ctx;
};

struct ccfc_observer;

/*
 * Starts the thread. What `env` points to outlives the observer. Where the mode
 * is CCFC_OBSERVE_OFF nothing is watched: all it does is to remove contents
 * from before when they are too old.
 */
int ccfc_observer_new(struct ccfc_observer **out,
		      const struct ccfc_observe_env *env, struct ccfc_err *err);
/* Ends it; what was not taken is lost. May be NULL. */
void ccfc_observer_free(struct ccfc_observer *observer);

/* Readable when there is something to take. */
int ccfc_observer_fd(const struct ccfc_observer *observer);

/* A line of the session has just come; its directory is `cwd`. */
void ccfc_observer_active(struct ccfc_observer *observer,
			  struct ccfc_slice session, struct ccfc_slice cwd);

/* A client that has ended; what was seen of it was handed out before. */
struct ccfc_client_end {
	char *session;
	long pid;
};

/* What is handed out is valid during the call. */
struct ccfc_observer_fns {
	void (*saw)(void *ctx, const struct ccfc_sighting *sighting);
	void (*ended)(void *ctx, const struct ccfc_client_end *end);
};

/* Hands out what was seen, in order, and then the clients that ended. */
void ccfc_observer_take(struct ccfc_observer *observer,
			const struct ccfc_observer_fns *fns, void *ctx);

/* How it is. */
struct ccfc_observed_project {
	char *root;
	char *problem; /* why it is not watched; NULL: it is */
	uint32_t sessions, dirs, files;
	bool cut; /* a bound was hit: a part of it is not watched */
	/* So is a part that is on a filesystem which does not tell. */
	bool silent;
};

struct ccfc_observe_stats {
	struct ccfc_observed_project *projects;
	uint32_t nprojects;
	uint64_t seen;	/* changes, since the start */
	uint64_t bytes; /* of content that is held for the sessions' time */
	bool reading;	/* projects are being read: not all is watched yet */
	bool cut;	/* not all content could be held */
};

/* The caller releases it. */
void ccfc_observer_stats(struct ccfc_observer *observer,
			 struct ccfc_observe_stats *out);
void ccfc_observe_stats_release(struct ccfc_observe_stats *stats);

#endif
