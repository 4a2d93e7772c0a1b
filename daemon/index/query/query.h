/*
 * Questions to the index. Answers are arrays of ids in the caller's arena,
 * in a defined order; nothing here changes the index.
 */
#ifndef CCFC_INDEX_QUERY_QUERY_H
#define CCFC_INDEX_QUERY_QUERY_H

#include "base/err.h"
#include "index/index.h"

/* Which changes count. Zeroed, it is "all states, any time, everything". */
struct ccfc_filter {
	uint32_t states; /* bit (1 << state); 0: all */
	uint32_t proofs; /* bit (1 << enum ccfc_proof); 0: all */
	bool has_from, has_to;
	int64_t from, to;	   /* inclusive */
	struct ccfc_slice project; /* normal path; the session's project is it
				    * or lies below it; empty: any */
	uint32_t session;	   /* 0: any */
	const struct ccfc_slice *tools;
	uint32_t ntools;
	const struct ccfc_slice *extensions; /* ".ts" */
	uint32_t nextensions;
	const struct ccfc_slice *directories; /* normal paths */
	uint32_t ndirectories;
	struct ccfc_glob *glob; /* on the file's path; NULL: any */
};

#define CCFC_STATE_BIT(s)   (1u << (s))
#define CCFC_STATES_APPLIED CCFC_STATE_BIT(CCFC_STATE_APPLIED)

bool ccfc_filter_accepts(const struct ccfc_index *index,
			 const struct ccfc_filter *filter,
			 const struct ccfc_change *change);
/* The first checks only the path, the second everything else. */
bool ccfc_filter_accepts_path(const struct ccfc_filter *filter,
			      struct ccfc_slice path);
bool ccfc_filter_accepts_change(const struct ccfc_index *index,
				const struct ccfc_filter *filter,
				const struct ccfc_change *change);
/* Checks only session and project. */
bool ccfc_filter_accepts_session(const struct ccfc_index *index,
				 const struct ccfc_filter *filter,
				 uint32_t session);
/* Checks only the dates. */
bool ccfc_filter_accepts_time(const struct ccfc_filter *filter, int64_t time);

/*
 * The session that `ref` means: a whole id, a unique prefix of one, the
 * absolute path of a transcript, the id of one of its agents, or a word (see
 * ccfc_query_word). CCFC_ENOTFOUND, or CCFC_EAMBIGUOUS with the candidates in
 * the hint.
 */
int ccfc_query_session(uint32_t *out, const struct ccfc_index *index,
		       struct ccfc_slice ref, struct ccfc_err *err);
/* All sessions that `ref` may mean; the caller frees out->items. */
void ccfc_query_meant(struct ccfc_ids *out, const struct ccfc_index *index,
		      struct ccfc_slice ref);
/* CCFC_EAMBIGUOUS: "session REF: 3 sessions WHY", some of them in the hint. */
int ccfc_query_ambiguous(const struct ccfc_index *index,
			 const struct ccfc_ids *ids, struct ccfc_slice ref,
			 const char *why, struct ccfc_err *err);

/*
 * Words for sessions: "@" is the latest, "@-2" the second before the latest,
 * "@/text/" the one with that text in its title. ":" and a directory may
 * follow: then only sessions of the project there count. CCFC_EINVAL: it is no
 * word.
 */
bool ccfc_query_is_word(struct ccfc_slice ref);
int ccfc_query_word(uint32_t *out, const struct ccfc_index *index,
		    struct ccfc_slice ref, struct ccfc_err *err);
void ccfc_query_word_means(struct ccfc_ids *out, const struct ccfc_index *index,
			   struct ccfc_slice ref);

/*
 * The project of the directory `here`: itself if a session worked there or
 * below, else the nearest directory above it where one did; empty: none.
 * Borrowed from `here` or the index.
 */
struct ccfc_slice ccfc_query_project_here(const struct ccfc_index *index,
					  struct ccfc_slice here);
/* The only project whose path ends with that name. */
int ccfc_query_project_named(struct ccfc_slice *out,
			     const struct ccfc_index *index,
			     struct ccfc_slice name, struct ccfc_err *err);
/*
 * Files that sessions changed, below `project` (empty: anywhere), and whose
 * path ends with `name`, at most `max`. Returns how many there are.
 */
uint32_t ccfc_query_files_named(uint32_t *files, uint32_t max,
				const struct ccfc_index *index,
				struct ccfc_slice project,
				struct ccfc_slice name);

/* A stretch of time; both ends belong to it. */
struct ccfc_period {
	int64_t from, to;
};

/*
 * When a call may have changed files: from the call to a little after its
 * result. The ends are INT64_MIN and INT64_MAX where they are not known.
 */
struct ccfc_period ccfc_query_window(const struct ccfc_index *index,
				     const struct ccfc_change *change);
/*
 * As ccfc_query_window. `exact_end`: a mark gives the end, so CCFC_WINDOW_LATE
 * was not added.
 */
struct ccfc_period ccfc_query_exact_window(const struct ccfc_index *index,
					   const struct ccfc_change *change,
					   bool *exact_end);

/* How many ccfc_query_commands gives at most. */
#define CCFC_QUERY_COMMANDS_MAX 4096u

/*
 * Commands that may have changed files which nothing names
 * (ccfc_index_is_unknown), and that ran in one of the spans; in no order. False
 * when there are too many; `out` has some of them then.
 */
bool ccfc_query_commands(struct ccfc_ids *out, const struct ccfc_index *index,
			 const struct ccfc_period *spans, uint32_t n);

/* The change of that very id, CCFC_ID_NONE if there is none. */
uint32_t ccfc_query_change_id(const struct ccfc_index *index,
			      struct ccfc_slice id);

/*
 * The change that `ref` means: a whole id, or a unique prefix of one that has
 * at least 6 characters. What is behind a '#' may be cut as well: "call#part"
 * has a prefix of each. CCFC_ENOTFOUND, or CCFC_EAMBIGUOUS with the candidates
 * in the hint.
 */
int ccfc_query_change(uint32_t *out, const struct ccfc_index *index,
		      struct ccfc_slice ref, struct ccfc_err *err);
/* The same; of several changes of one call any one, if `ref` has no '#'. */
int ccfc_query_call(uint32_t *out, const struct ccfc_index *index,
		    struct ccfc_slice ref, struct ccfc_err *err);

/*
 * The command and the file that `id`, "<id of the command>#<hash of the path>",
 * may be an inferred change of: the index has no such changes (excerpt.h).
 * The command's id may be a unique prefix, the hash is whole. False when there
 * is no such command or file.
 */
bool ccfc_query_inferred(uint32_t *command, uint32_t *file,
			 const struct ccfc_index *index, struct ccfc_slice id);

/* How sure it is that the change is its call's (proof.c). */
enum ccfc_proof ccfc_query_proof(const struct ccfc_index *index,
				 const struct ccfc_change *change);
/* Can only its command have made what was seen of a change (proof.c)? */
bool ccfc_query_is_surely_seen(const struct ccfc_index *index,
			       const struct ccfc_change *change);
/*
 * The other calls that may have made an ambiguous change: changes of the file,
 * and commands that may have changed it, by time. The caller frees `out`.
 */
void ccfc_query_rivals(struct ccfc_ids *out, const struct ccfc_index *index,
		       const struct ccfc_change *change);

/*
 * Of a shell change of a file: did no other command of the project run, whose
 * effects are not known, between the changes in front of and behind it?
 */
bool ccfc_query_is_alone(const struct ccfc_index *index,
			 const struct ccfc_change *change);

/* Is the file below a directory that the session worked in? */
bool ccfc_query_is_at_home(const struct ccfc_index *index, uint32_t session,
			   struct ccfc_slice path);

/* How many commands of a session have unknown effects? */
uint32_t ccfc_query_unknown(const struct ccfc_index *index, uint32_t session);
/* These commands, by time; `out` is the caller's to free. */
void ccfc_query_unknown_commands(struct ccfc_ids *out,
				 const struct ccfc_index *index,
				 uint32_t session);

/* A run of changes that belong together: one file's, or one session's. */
struct ccfc_group {
	uint32_t key;		 /* file or session */
	const uint32_t *changes; /* by time, then place, then id */
	uint32_t nchanges;
	int64_t first, last; /* times of the first and last of them */
};

struct ccfc_groups {
	struct ccfc_group *items;
	uint32_t n;
	uint64_t nchanges; /* of all groups */
};

/* The session's files, by first change, then path. See grouping.h. */
void ccfc_query_session_files(struct ccfc_groups *out,
			      const struct ccfc_index *index, uint32_t session,
			      const struct ccfc_filter *filter,
			      struct ccfc_arena *arena);

/* The sessions that changed the file, most recent first, then by id. */
void ccfc_query_file_sessions(struct ccfc_groups *out,
			      const struct ccfc_index *index, uint32_t file,
			      const struct ccfc_filter *filter,
			      struct ccfc_arena *arena);

/* The file of that normal path, 0 if none. */
uint32_t ccfc_query_file(const struct ccfc_index *index,
			 struct ccfc_slice path);

/* Has the file a change that the filter accepts? Paths do not count. */
bool ccfc_query_has(const struct ccfc_index *index, uint32_t file,
		    const struct ccfc_filter *filter);

/*
 * Where in index->log the events after `seq` begin. One whose change has a
 * later seq is stale: that change stands again further on.
 */
uint32_t ccfc_query_log(const struct ccfc_index *index, uint64_t seq);

/* The backup of a session's file that its last snapshot names, or NULL. */
const struct ccfc_backup_ref *ccfc_query_backup(const struct ccfc_index *index,
						uint32_t session,
						uint32_t file);

struct ccfc_backup_refs {
	const struct ccfc_backup_ref **items;
	uint32_t n;
};

/*
 * All backups of a session's file, however the snapshots spell its path, by
 * ccfc_query_backup_time, then version, then name. A key may be relative to an
 * unknown directory: then the names of its backups identify the file.
 */
void ccfc_query_backups(struct ccfc_backup_refs *out,
			const struct ccfc_index *index, uint32_t session,
			uint32_t file, struct ccfc_arena *arena);

/*
 * The sessions whose snapshots name the file of that normal path, rising, also
 * if nobody changed it. They are added to `out`.
 */
void ccfc_query_backup_sessions(struct ccfc_ids *out,
				const struct ccfc_index *index,
				struct ccfc_slice path);

struct ccfc_backup_paths {
	struct ccfc_slice *items; /* the caller frees them */
	uint32_t n, cap;
};

/*
 * The paths of all backups that a session's snapshots name, in order. Paths
 * relative to an unknown directory are left out.
 */
void ccfc_query_backup_paths(struct ccfc_backup_paths *out,
			     const struct ccfc_index *index, uint32_t session,
			     struct ccfc_arena *arena);

/* The recorded time of the backup, or else of its first snapshot. */
int64_t ccfc_query_backup_time(const struct ccfc_backup_ref *ref);

/*
 * The first 16 hex digits of the SHA-256 of a file's path: what the names of
 * its backups begin with.
 */
#define CCFC_BACKUP_HASH 16
void ccfc_query_backup_hash(char out[CCFC_BACKUP_HASH + 1],
			    struct ccfc_slice path);

/*
 * The prompt of a change: the last one of a person to its session, in the main
 * thread, by the time of the call; also for an agent's change. NULL: not known.
 */
const struct ccfc_prompt *ccfc_query_prompt(const struct ccfc_index *index,
					    const struct ccfc_change *change);

/* created or renamed if the group's first change did so, else the last's op. */
enum ccfc_op ccfc_query_group_op(const struct ccfc_index *index,
				 const struct ccfc_group *group);

struct ccfc_totals {
	uint64_t sessions; /* seen */
	uint64_t files;	   /* with an applied change */
	uint64_t by_state[CCFC_STATE_COUNT];
	uint64_t shell_changes;	   /* applied */
	uint64_t commands;	   /* that are kept */
	uint64_t unknown_commands; /* those whose effects are not known */
	uint64_t sources_present, sources_gone;
	uint64_t bytes; /* read so far, of present sources */
	uint64_t lines[CCFC_RECORD_KINDS];
	uint64_t too_long;
	uint64_t damaged;
};

void ccfc_query_totals(struct ccfc_totals *out, const struct ccfc_index *index);

#endif
