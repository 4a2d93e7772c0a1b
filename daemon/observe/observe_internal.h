/*
 * The inside of the observer: its projects with their directories and files.
 * Only its own thread uses them; observer.c has what it shares with the core.
 */
#ifndef CCFC_OBSERVE_INTERNAL_H
#define CCFC_OBSERVE_INTERNAL_H

#include "observe/ignore.h"
#include "observe/live_sessions.h"
#include "observe/observe.h"
#include "source/watch.h"

#include <limits.h>

#define CCFC_OBS_NOTED 256u

struct ccfc_obs_dir;
struct ccfc_obs_project;

/* A file, as of the last look. */
struct ccfc_obs_file {
	struct ccfc_obs_file *chain;	    /* of the table */
	struct ccfc_obs_file *next, **link; /* of the directory */
	struct ccfc_obs_file *marked_next, **marked_link;
	struct ccfc_obs_dir *dir;
	uint64_t hash;
	uint64_t ino, size;
	int64_t mtime, ctime; /* in ns */
	uint64_t base;	      /* where its content is in the base file */
	struct ccfc_blob_key key;
	/* In ms since 1970: when it was marked first, and when the change of
	 * its last mark was noticed. `last` may be earlier. */
	int64_t first, last;
	int64_t held;	/* the file was unchanged until then */
	uint32_t steps; /* changes since it was marked first */
	int64_t due;	/* when to look, by the monotonic clock */
	long client;	/* that renamed it to this name; 0: none */
	bool known;	/* the following are valid */
	bool exists;
	bool has_base;	      /* its content is in the base file */
	bool has_key;	      /* its content is a blob */
	bool found;	      /* found when the directory was read last */
	uint32_t dir_changes; /* of its directory, at its last event */
	bool mixed; /* a client replaced it, and something else happened */
	uint32_t pending; /* its place in `pending`, from 1 on; 0: none */
	char name[];
};

struct ccfc_obs_dir {
	struct ccfc_obs_dir *chain; /* of the table by wd */
	struct ccfc_obs_dir *parent, *children, *sibling;
	struct ccfc_obs_project *project;
	struct ccfc_obs_file *files;
	struct ccfc_ignore_level level;
	int wd;
	bool fresh; /* made while its parent was watched: its files are new */
	bool whole; /* the directory was read: an unknown name is a new file */
	bool queued;
	int64_t read; /* when it was read last, in ms since 1970 */
	/* `noticed` and `drained` of struct ccfc_obs when it was queued. */
	int64_t noticed, drained;
	uint32_t changes; /* names that came and went */
	char *path;	  /* with a slash at the end */
};

struct ccfc_obs_session {
	char *id;
	long pid;	 /* 0: known to be live only by its lines */
	int pidfd;	 /* readable when it ends; -1: there is none */
	int64_t expires; /* by the monotonic clock; if pid is 0 */
};

/* A client without a note, whose process may still run. */
struct ccfc_obs_leaving {
	struct ccfc_client_end end;
	int pidfd; /* as in struct ccfc_obs_session */
};

struct ccfc_obs_project {
	char *root; /* with a slash at the end */
	char *problem;
	struct ccfc_obs_dir *top;
	/*
	 * Lists above those of `top`: git's own, then one for each directory
	 * from the repository's root down to the project (mostly none).
	 */
	struct ccfc_ignore_level global, exclude;
	struct {
		struct ccfc_ignore_level **items;
		uint32_t n, cap;
	} above;
	const struct ccfc_ignore_level *patterns; /* the nearest of them */
	struct {
		struct ccfc_obs_session *items;
		uint32_t n, cap;
	} sessions;
	uint32_t dirs, files;
	bool cut;
	bool silent; /* a part is on a silent filesystem */
};

struct ccfc_obs {
	struct ccfc_observe_env env;
	struct ccfc_watch *watch;
	struct ccfc_ignore *exclude; /* of the settings */
	struct {
		struct ccfc_obs_project **items;
		uint32_t n, cap;
	} projects;
	struct ccfc_obs_dir **dirs; /* chains by wd */
	struct ccfc_obs_file **files;
	uint32_t dirs_mask, files_mask;
	uint32_t ndirs, nfiles;
	struct {
		struct ccfc_obs_dir **items; /* to be read; NULL: dropped */
		uint32_t n, cap, at;
	} queue;
	/* In the order of their first marks. */
	struct ccfc_obs_file *marked, **marked_end;
	int base; /* descriptor of the base file; -1: none */
	uint64_t base_len;
	bool base_cut;
	/* The last file that was renamed from a client's temporary name. */
	uint32_t cookie;
	long cookie_pid;
	uint32_t moved; /* the cookie of what was renamed last */
	struct {
		struct ccfc_obs_leaving *items;
		uint32_t n, cap;
	} leaving;
	/* The last sessions that had a client's note. */
	char *noted[CCFC_OBS_NOTED];
	uint64_t nnoted;
	/* In ms since 1970. `reading`: when no event waited, or events began to
	 * be read. Events being read are not older than `drained`. `woke`: when
	 * the thread woke up; CCFC_TIME_NONE: it did not sleep. */
	int64_t reading, drained, woke;
	/* When the present changes were noticed; CCFC_TIME_NONE: now. A
	 * directory may be read long after the event that queued it. */
	int64_t noticed;
	struct ccfc_buf content; /* of the file that is being looked at */
	/* Sightings of the last looks that are not handed on yet. */
	struct {
		struct ccfc_obs_pending {
			struct ccfc_sighting sighting;
			struct ccfc_obs_file *file; /* NULL: dropped */
		} * items;
		uint32_t n, cap;
	} pending;
	/* Gets each sighting, and owns its strings. */
	void (*emit)(void *ctx, struct ccfc_sighting *sighting);
	/* Gets each client that ended, and owns the session's id. */
	void (*ended)(void *ctx, struct ccfc_client_end *end);
	void *ctx;
};

/* --- obs_table.c: directories and files --- */

struct ccfc_obs_dir *ccfc_obs_dir_by_wd(const struct ccfc_obs *obs, int wd);
/* `path` ends with a slash. Looks at all directories. */
struct ccfc_obs_dir *ccfc_obs_dir_by_path(const struct ccfc_obs *obs,
					  struct ccfc_slice path);
/* Takes `path`, which ends with a slash. */
struct ccfc_obs_dir *ccfc_obs_dir_add(struct ccfc_obs *obs,
				      struct ccfc_obs_project *project,
				      struct ccfc_obs_dir *parent, char *path,
				      int wd);
/* Drops the directory and all that is below it, without sightings. */
void ccfc_obs_dir_drop(struct ccfc_obs *obs, struct ccfc_obs_dir *dir);
/*
 * Gives the directory, with all that is below it, to another project: below
 * `parent`, or as its top if that is NULL.
 */
void ccfc_obs_dir_move(struct ccfc_obs_dir *dir,
		       struct ccfc_obs_project *project,
		       struct ccfc_obs_dir *parent);
struct ccfc_obs_dir *ccfc_obs_child(const struct ccfc_obs_dir *dir,
				    const char *name);
struct ccfc_obs_file *ccfc_obs_file_find(const struct ccfc_obs *obs,
					 const struct ccfc_obs_dir *dir,
					 const char *name);
/* NULL: there are too many. */
struct ccfc_obs_file *ccfc_obs_file_add(struct ccfc_obs *obs,
					struct ccfc_obs_dir *dir,
					const char *name);
void ccfc_obs_file_drop(struct ccfc_obs *obs, struct ccfc_obs_file *file);
/* When the present changes were noticed, in ms since 1970. */
int64_t ccfc_obs_noticed(const struct ccfc_obs *obs);
/* Marks the file to be looked at in `wait` ms. */
void ccfc_obs_mark(struct ccfc_obs *obs, struct ccfc_obs_file *file, int wait);
void ccfc_obs_unmark(struct ccfc_obs *obs, struct ccfc_obs_file *file);
/* False: too long. */
bool ccfc_obs_path(char out[PATH_MAX], const struct ccfc_obs_dir *dir,
		   const char *name);

/* --- obs_walk.c: watching --- */

/* Begins to watch; on failure sets the project's problem. */
void ccfc_obs_enter(struct ccfc_obs *obs, struct ccfc_obs_project *project);
/* Stops watching; an outer project takes over the directories. */
void ccfc_obs_leave(struct ccfc_obs *obs, struct ccfc_obs_project *project);
/* Are there directories to be read? */
bool ccfc_obs_has_unread(const struct ccfc_obs *obs);
/* Reads the next directories; false when none is left. */
bool ccfc_obs_walk(struct ccfc_obs *obs);
/* Queues a directory to be read; `all`: with those below it. */
void ccfc_obs_queue(struct ccfc_obs *obs, struct ccfc_obs_dir *dir, bool all);
void ccfc_obs_event(struct ccfc_obs *obs, const struct ccfc_watch_event *event);

/* --- obs_ignore.c: what is not observed --- */

/* Is a file or directory of that name ignored? */
bool ccfc_obs_ignores(const struct ccfc_obs *obs,
		      const struct ccfc_obs_dir *dir, const char *name,
		      bool is_dir);
/*
 * Do patterns that have just changed ignore a known file? Reading its directory
 * again drops the file, too.
 */
bool ccfc_obs_is_ignored_now(const struct ccfc_obs *obs,
			     const struct ccfc_obs_file *file);
/* Is a directory below the top of its project ignored? */
bool ccfc_obs_ignores_dir(const struct ccfc_obs *obs,
			  const struct ccfc_obs_dir *dir);
/* Reads the .gitignore of the directory (again). */
void ccfc_obs_read_patterns(struct ccfc_obs_dir *dir);
/* Reads the lists above the project's own; false: they exclude all of it. */
bool ccfc_obs_read_above(struct ccfc_obs *obs,
			 struct ccfc_obs_project *project);
void ccfc_obs_drop_patterns(struct ccfc_obs_project *project);

/* --- obs_look.c: the present state of a file --- */

/* The first look at a file that is not new: no sighting. */
void ccfc_obs_look_first(struct ccfc_obs *obs, struct ccfc_obs_file *file);
/* Looks at the files that are due; true: more are due already. */
bool ccfc_obs_look(struct ccfc_obs *obs);
/* Looks at marked files, due or not, until `max` sightings wait. */
void ccfc_obs_look_now(struct ccfc_obs *obs, uint32_t max);
/*
 * Hands on the sightings. Read all events before: after another event of the
 * same file, the content may be newer than the client's write, and is not
 * attributed to the client.
 */
void ccfc_obs_hand_on(struct ccfc_obs *obs);
/* Reports a file as deleted, because its directory is gone. */
void ccfc_obs_gone(struct ccfc_obs *obs, struct ccfc_obs_file *file);
/* Ms until the next file is due; -1: none is marked. */
int ccfc_obs_look_timeout(const struct ccfc_obs *obs);

/* --- obs_project.c: projects --- */

/* The root of the project around `cwd`, with a slash; the caller frees it. */
char *ccfc_obs_root(const char *cwd);
/* Why a project with this root is not watched; NULL: it can be. */
const char *ccfc_obs_refuse(const struct ccfc_obs *obs, const char *root);
/*
 * Updates the live sessions, and watches the projects of new ones. True: some
 * sessions have ended. Hand on all sightings before you drop ended sessions.
 */
bool ccfc_obs_sessions(struct ccfc_obs *obs, struct ccfc_live_sessions *live);
/* Drops sessions that are not live, and projects without a session. */
void ccfc_obs_drop_ended(struct ccfc_obs *obs,
			 const struct ccfc_live_sessions *live);
/* A line has come: its session is live for a while from now on. */
void ccfc_obs_active(struct ccfc_obs *obs, const char *session,
		     const char *cwd);
/* The session of a client's process; NULL: not known. */
const char *ccfc_obs_session_of(const struct ccfc_obs *obs, long pid);
/* Ms until the first session that is live by its lines expires; -1: none. */
int ccfc_obs_sessions_timeout(const struct ccfc_obs *obs);
void ccfc_obs_release(struct ccfc_obs *obs);

#endif
