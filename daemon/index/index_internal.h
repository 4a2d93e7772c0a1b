/*
 * Shared by the files of index/ only. The store uses the ccfc_index_add_…
 * functions to load rows.
 */
#ifndef CCFC_INDEX_INDEX_INTERNAL_H
#define CCFC_INDEX_INDEX_INTERNAL_H

#include "index/index.h"

/* One line while it is merged. */
struct ccfc_incoming {
	struct ccfc_index *index;
	const struct ccfc_record *record;
	struct ccfc_place place;
	struct ccfc_slice cwd; /* the record's; a Windows path in normal form */
	uint32_t session;
	uint32_t agent;
	uint32_t session_source; /* of a message; CCFC_ID_NONE: none */
	bool aside;		 /* an agent's line, in whatever file */
};

/* session_merge.c: the line's facts about its session. */
void ccfc_index_merge_session(const struct ccfc_incoming *line);
void ccfc_index_merge_backup(const struct ccfc_incoming *line,
			     const struct ccfc_backup *backup);

/* The session may be the one that was active last. */
static inline void ccfc_index_note_end(struct ccfc_index *index,
				       const struct ccfc_session *session)
{
	if (session->end > index->latest)
		index->latest = session->end;
}

/* session_prompt.c: the line may be a prompt of the main thread. */
void ccfc_index_merge_prompt(const struct ccfc_incoming *line);

/* merge.c: the file of a path in the line; 0: not known. */
uint32_t ccfc_index_line_file(const struct ccfc_incoming *line,
			      struct ccfc_slice path);

/* merge.c: a directory as it is kept: a Windows path in normal form. */
struct ccfc_slice ccfc_index_directory(struct ccfc_index *index,
				       struct ccfc_slice path);

/*
 * session_source.c: when the last record in front of the line was written that
 * its transcript has of its session; CCFC_TIME_NONE: there is none.
 */
int64_t ccfc_index_time_before(const struct ccfc_incoming *line);

/* session_source.c: counts a message; notes a title; finds
 * line->session_source. */
void ccfc_index_merge_session_source(struct ccfc_incoming *line);
void ccfc_index_merge_naming(const struct ccfc_incoming *line);

/* model_message.c: the message of the line, CCFC_ID_NONE if it is none. */
uint32_t ccfc_index_merge_message(const struct ccfc_incoming *line);
/* Which message the record is of, as rows of messages have it. */
uint64_t ccfc_index_message_id(const struct ccfc_record *record);
/* The more complete usage counts, in the first row of a message. */
void ccfc_index_adopt_usage(struct ccfc_index *index, uint32_t first,
			    const struct ccfc_model_message *row);
/* A line of the user in an agent's transcript, behind the last message. */
void ccfc_index_merge_answer(const struct ccfc_incoming *line);
/*
 * tool_call.c: a call and what it looks at, and whether it has a row of its
 * own; a result. Both return the use.
 */
uint32_t ccfc_index_merge_call(const struct ccfc_incoming *line, uint32_t say,
			       const struct ccfc_call *call, bool kept);
uint32_t ccfc_index_merge_call_result(const struct ccfc_incoming *line,
				      const struct ccfc_result *result);
/* Lets the owner of each message of the batch be its first. */
void ccfc_index_settle_messages(struct ccfc_index *index);
/* Touches messages that hang on a session that was turned. */
void ccfc_index_touch_turned_messages(struct ccfc_index *index);
void ccfc_index_touch_message(struct ccfc_index *index, uint32_t say);

/* The same bytes of a transcript, at a later reading? */
static inline bool ccfc_place_is_again(const struct ccfc_place *fresh,
				       const struct ccfc_place *old)
{
	return fresh->source == old->source && fresh->offset == old->offset &&
	       fresh->len == old->len && fresh->gen > old->gen;
}

/*
 * observation.c: adds an observation to a change. True when the change has not
 * been seen in that transcript before.
 */
bool ccfc_index_merge_obs(struct ccfc_index *index, uint32_t change,
			  struct ccfc_observation *fresh);
/*
 * A compaction in the source follows the calls that are open there. True when
 * the change is one of them and was not known to be.
 */
bool ccfc_index_swallow(struct ccfc_index *index, uint32_t change,
			uint32_t source);

/* merge.c: the better of two results counts. */
void ccfc_index_merge_outcome(struct ccfc_index *index,
			      struct ccfc_outcome *old,
			      const struct ccfc_outcome *fresh);

/* merge.c: the line's call and result as rows have them. */
struct ccfc_observation ccfc_index_observe(const struct ccfc_incoming *line,
					   const struct ccfc_call *call);
struct ccfc_outcome ccfc_index_outcome(const struct ccfc_incoming *line,
				       const struct ccfc_result *result);
/* merge.c: keeps a result until its call comes. */
void ccfc_index_keep_orphan(const struct ccfc_incoming *line,
			    const struct ccfc_result *result);
/* merge.c: a result that came before the call of `change`. */
void ccfc_index_adopt_orphan(struct ccfc_index *index, uint32_t change,
			     struct ccfc_slice id);

/*
 * shell_command.c: a call of a shell. False: it certainly changes nothing, and
 * is not kept.
 */
bool ccfc_index_merge_command(const struct ccfc_incoming *line,
			      const struct ccfc_call *call);
/* The files of a command that a result names. */
void ccfc_index_merge_run(const struct ccfc_incoming *line, uint32_t command,
			  const struct ccfc_result *result);
/* A note says that a command has ended. */
void ccfc_index_merge_ended(const struct ccfc_incoming *line);
/* The row of a command's change of a file; ID_NONE: it has none. */
uint32_t ccfc_index_shell_change(struct ccfc_index *index, uint32_t command,
				 uint32_t file);
/* Merges the targets in the text of a command. */
void ccfc_index_merge_target(struct ccfc_index *index, uint32_t change,
			     uint8_t op, uint32_t other_file, int64_t time);
/* Merges a file that a result names. */
void ccfc_index_merge_recorded(struct ccfc_index *index, uint32_t change,
			       const struct ccfc_outcome *outcome);
/* Makes a row a command's, unless it is one. */
void ccfc_index_be_command(struct ccfc_index *index, uint32_t change);
/* Attaches a loaded shell change to its command; false: there is none. */
bool ccfc_index_hang(struct ccfc_index *index, uint32_t change);
/* Copies the command's facts to a shell change. False: it belongs to nobody. */
bool ccfc_index_take_command(struct ccfc_index *index, uint32_t change);

/* settle.c: gives the changes of a command its owner and its state. */
void ccfc_index_settle_files(struct ccfc_index *index, uint32_t command);

/* session_merge.c: adds a name to a sorted set; its string, 0: it is none. */
uint32_t ccfc_index_add_name(struct ccfc_index *index, struct ccfc_ids *set,
			     struct ccfc_slice name);
/*
 * session_merge.c: takes the lesser or the greater of two times; a known one
 * before none. True: it was taken.
 */
bool ccfc_index_take_time(int64_t *time, int64_t fresh, bool least);

/*
 * adopt.c: merges another store's row of a session, except its sets; its
 * strings are this index's.
 */
void ccfc_index_adopt_session(struct ccfc_index *index, uint32_t session,
			      const struct ccfc_session *row);
/*
 * adopt.c: a command, and a change of `file` that hangs on one, as another
 * store knew them; `other_file` and the result are this index's. The result of
 * a shell change counts where `has_result`.
 */
void ccfc_index_adopt_command(struct ccfc_index *index, uint32_t command,
			      const struct ccfc_change *row);
void ccfc_index_adopt_file(struct ccfc_index *index, uint32_t command,
			   uint32_t file, const struct ccfc_change *row,
			   bool has_result);
/* adopt.c: a call as another store knew it. */
void ccfc_index_adopt_call(struct ccfc_index *index,
			   const struct ccfc_tool_call *row);

/* Marks for the store; idempotent within a batch. */
void ccfc_index_mark_source(struct ccfc_index *index, uint32_t source);
void ccfc_index_mark_session(struct ccfc_index *index, uint32_t session);
void ccfc_index_mark_change(struct ccfc_index *index, uint32_t change);

/* Marks a change for settle. */
void ccfc_index_touch_change(struct ccfc_index *index, uint32_t change);

/* The session of that id, made if it is new; 0 for an empty id. */
uint32_t ccfc_index_session(struct ccfc_index *index, struct ccfc_slice id);
/* The file of that normal path, made if it is new. */
uint32_t ccfc_index_file(struct ccfc_index *index, struct ccfc_slice path);
/* The change of that id, CCFC_ID_NONE if there is none. */
uint32_t ccfc_index_find_change(const struct ccfc_index *index,
				struct ccfc_slice id);
uint32_t ccfc_index_add_change(struct ccfc_index *index, struct ccfc_slice id);
uint32_t ccfc_index_find_orphan(const struct ccfc_index *index,
				struct ccfc_slice id);
uint32_t ccfc_index_add_orphan(struct ccfc_index *index, struct ccfc_slice id);
/* Its call has been seen: it is not an orphan any more. */
void ccfc_index_take_orphan(struct ccfc_index *index, uint32_t orphan);
/* Forgets orphans that were taken; when nothing is dirty. */
void ccfc_index_drop_taken(struct ccfc_index *index);
uint32_t ccfc_index_find_prompt(const struct ccfc_index *index,
				uint32_t session, uint64_t uuid);
/*
 * These and those below add a copy of the row. Links to other rows (`next`)
 * are set by them, whatever the row says.
 */
uint32_t ccfc_index_add_prompt(struct ccfc_index *index,
			       const struct ccfc_prompt *prompt);
/* Goes by the backup's session, key, version and name. */
uint32_t ccfc_index_find_backup(const struct ccfc_index *index,
				const struct ccfc_backup_ref *like);
uint32_t ccfc_index_add_backup(struct ccfc_index *index,
			       const struct ccfc_backup_ref *backup);
/*
 * A number for the last name of a path or key. Keys of the same file have the
 * same, or 0, which may be any: a name with dots in front.
 */
uint32_t ccfc_index_key_end(struct ccfc_slice path);
/* The first of a key's backups, which are chained by `next`. */
uint32_t ccfc_index_find_backups(const struct ccfc_index *index,
				 uint32_t session, uint32_t key);

/* Rows of what was said: found by their keys, made if they are new. */
uint32_t ccfc_index_session_source(struct ccfc_index *index, uint32_t source,
				   uint32_t session, uint32_t told);
/* The message's first row, CCFC_ID_NONE if there is none. */
uint32_t ccfc_index_find_message(const struct ccfc_index *index, uint64_t id);
/*
 * Adds a row to the message whose first row is given, or a new message if
 * CCFC_ID_NONE.
 */
uint32_t ccfc_index_add_message(struct ccfc_index *index, uint64_t id,
				uint32_t first);
uint32_t ccfc_index_find_call(const struct ccfc_index *index, uint64_t id);
uint32_t ccfc_index_add_call(struct ccfc_index *index, uint64_t id);
uint32_t ccfc_index_find_read(const struct ccfc_index *index, uint32_t use,
			      uint32_t file);
uint32_t ccfc_index_add_read(struct ccfc_index *index,
			     const struct ccfc_read_ref *look);
uint32_t ccfc_index_find_leaf(const struct ccfc_index *index, uint64_t uuid,
			      uint32_t session);
/* Has any session this message? */
bool ccfc_index_has_leaf(const struct ccfc_index *index, uint64_t uuid);
uint32_t ccfc_index_add_leaf(struct ccfc_index *index,
			     const struct ccfc_leaf *leaf);
uint32_t ccfc_index_find_summary(const struct ccfc_index *index, uint64_t leaf);
uint32_t ccfc_index_add_summary(struct ccfc_index *index,
				const struct ccfc_summary *summary);

/* Adds a copy of the row; false: there is one of its key. */
bool ccfc_index_add_disk_event(struct ccfc_index *index,
			       const struct ccfc_disk_event *event);
/* See ccfc_query_window. */
#define CCFC_WINDOW_LATE 100
/* A session without a line for so long runs nothing, in ms. */
#define CCFC_LONGEST_SILENCE (24 * 60 * 60 * 1000LL)

/* disk/disk_join.c: may a call have made what was seen? Ordered: the surer, the
 * greater. */
enum ccfc_within { CCFC_WITHIN_NOT, CCFC_WITHIN_LATE, CCFC_WITHIN };
enum ccfc_within ccfc_index_within(const struct ccfc_index *index,
				   const struct ccfc_change *call,
				   const struct ccfc_disk_event *event);
/* Adds the commands that may have made it: one of each thread at most. */
void ccfc_index_ran_at(struct ccfc_ids *out, const struct ccfc_index *index,
		       const struct ccfc_disk_event *event);
/*
 * A change was settled: if it is a command, what was seen while it ran is given
 * to it, or to the one of its thread that it is rather. Adds commands whose
 * changes are others now.
 */
void ccfc_index_join_command(struct ccfc_index *index, uint32_t command,
			     struct ccfc_ids *news);
/*
 * The time that a command ran is another now than that of `old`: what was seen
 * then may be its no more, or another one's.
 */
void ccfc_index_join_again(struct ccfc_index *index, uint32_t command,
			   const struct ccfc_change *old);
/* Is it that command's, by the time, and no tool's? */
bool ccfc_index_is_of(const struct ccfc_index *index,
		      const struct ccfc_change *command,
		      const struct ccfc_disk_event *event);
/* disk/disk_effect.c: does `later` begin with what `e` ended with? */
bool ccfc_disk_leads_to(const struct ccfc_disk_event *e,
			const struct ccfc_disk_event *later);
/* Did neither a tool nor a command make it, as far as lines have come? */
bool ccfc_index_is_outside(const struct ccfc_index *index,
			   const struct ccfc_disk_event *event);
/* Gives an event to the commands that may have made it. */
void ccfc_index_join_event(struct ccfc_index *index, uint32_t event);
/* The last event of an observed change; false: there is none any more. */
bool ccfc_index_observed_at(const struct ccfc_index *index,
			    const struct ccfc_change *change,
			    struct ccfc_disk_event *out);

/*
 * disk/witness.c: which events of clients have lines may be something else now,
 * for this file.
 */
void ccfc_witness_touch(struct ccfc_index *index, uint32_t file);
/* Judges the files that were touched. */
void ccfc_witness_settle(struct ccfc_index *index);
/* After all rows were loaded. */
void ccfc_witness_load(struct ccfc_index *index);
/* Is the event what a witnessed change is known by? */
bool ccfc_witness_needs(const struct ccfc_index *index,
			const struct ccfc_disk_event *event);
/* The event of a witnessed change; NULL: it is gone. */
const struct ccfc_disk_event *ccfc_witness_event(const struct ccfc_index *index,
						 const struct ccfc_change *c);
/*
 * disk/disk_doubt.c: whose the seen changes of the file are may be something
 * else now; the same of all files that changed since `time`, or since the
 * session began.
 */
void ccfc_doubt_touch(struct ccfc_index *index, uint32_t file);
void ccfc_doubt_touch_since(struct ccfc_index *index, int64_t time);
void ccfc_doubt_touch_session(struct ccfc_index *index, uint32_t session);
/* Asks about the changes of the files that were touched. */
void ccfc_doubt_settle(struct ccfc_index *index);
/* After all rows were loaded: those that were never asked about. */
void ccfc_doubt_load(struct ccfc_index *index);

/* observation.c: do the session's transcripts show the change? */
bool ccfc_index_shows(const struct ccfc_index *index, uint32_t change,
		      uint32_t session);
/* settle.c: what a reader sees of a change, worked out anew. */
void ccfc_index_settle_change(struct ccfc_index *index, uint32_t change);
/* settle.c: what was seen of a change is not true any more. */
void ccfc_index_withdraw(struct ccfc_index *index, uint32_t change);

/* Forgets those that are gone; when nothing is dirty. */
void ccfc_index_drop_gone(struct ccfc_index *index);

/* command_marks.c: adds a copy of the row; false: there is one of its call. */
bool ccfc_index_add_mark(struct ccfc_index *index,
			 const struct ccfc_mark *mark);
/* The call is no command that is kept: nothing waits for it any more. */
void ccfc_index_drop_mark(struct ccfc_index *index, struct ccfc_slice call);
/* Forgets those that were taken; when nothing is dirty. */
void ccfc_index_drop_taken_marks(struct ccfc_index *index);
/* The mark that waited for a command, which is new. */
void ccfc_index_adopt_mark(struct ccfc_index *index, uint32_t command);
/* Merges the times of a mark; true: something is new. */
bool ccfc_index_adopt_times(struct ccfc_index *index,
			    struct ccfc_change *command,
			    const struct ccfc_mark *mark);
/* Its moments, as they count in `marked` of the index. */
uint64_t ccfc_index_moments(const struct ccfc_change *command);

/* shown.c: merges the file that a line says was shown to its session. */
void ccfc_index_merge_shown(const struct ccfc_incoming *line);
uint32_t ccfc_index_find_shown(const struct ccfc_index *index,
			       const struct ccfc_shown *like);
uint32_t ccfc_index_add_shown(struct ccfc_index *index,
			      const struct ccfc_shown *shown);

/* running_cost.c: merges what a line says that its session has cost by then. */
void ccfc_index_merge_costs(const struct ccfc_incoming *line);
uint32_t ccfc_index_find_running_cost(const struct ccfc_index *index,
				      const struct ccfc_running_cost *like);
/* Adds a row, or takes the greater cost into the one that is there. */
uint32_t ccfc_index_add_running_cost(struct ccfc_index *index,
				     const struct ccfc_running_cost *cost);

/*
 * conflict/contest.c: a change is about to be settled; it has been. Who saw a
 * file, and when, may be something else now.
 */
void ccfc_contest_leave(struct ccfc_index *index, uint32_t change);
void ccfc_contest_enter(struct ccfc_index *index, uint32_t change);
void ccfc_contest_see(struct ccfc_index *index, uint32_t file);
/*
 * conflict/outside_conflict.c: who changed the file from outside, and when, may
 * be something else now.
 */
void ccfc_outside_touch(struct ccfc_index *index, uint32_t file);
void ccfc_contested_release(struct ccfc_index *index);
/* conflict/conflict.c: all of a batch are settled. */
void ccfc_index_settle_conflicts(struct ccfc_index *index);
/* Adds a row that was stored, and what follows from it. */
void ccfc_index_add_conflict(struct ccfc_index *index,
			     const struct ccfc_conflict *conflict);
/* Says of each change that has a conflict how bad it is. */
void ccfc_index_mark_conflicts(struct ccfc_index *index);

/* settle.c: a new event; its number. */
uint64_t ccfc_index_raise(struct ccfc_index *index, uint32_t change,
			  uint32_t previous);

/* Adds an id to a list that has it at most once. */
void ccfc_ids_add(struct ccfc_ids *ids, uint32_t id);
void ccfc_ids_push(struct ccfc_ids *ids, uint32_t id);
void ccfc_ids_remove(struct ccfc_ids *ids, uint32_t id);

/*
 * owner.c: a total order of observations, by time, session, agent, what they
 * say, and the transcript's path; 0 only for the same line.
 */
int ccfc_index_compare_obs(const struct ccfc_index *index,
			   const struct ccfc_observation *a,
			   const struct ccfc_observation *b);
/*
 * Which of two sessions is the older, as rule 2 of owner.c has it: <0: a is.
 * 0 only when they are the same.
 */
int ccfc_index_compare_tied(struct ccfc_index *index, uint32_t a, uint32_t b);
/* Makes the owner's observation the change's first one. */
void ccfc_index_pick_owner(struct ccfc_index *index, uint32_t change);
/* Takes in the batch's facts about sessions; touches changes that hang on
 * them. */
void ccfc_index_settle_ties(struct ccfc_index *index);

/* settle.c: does the call's transcript show that no result will come? */
bool ccfc_index_is_closed(const struct ccfc_index *index,
			  const struct ccfc_observation *obs);

/* Puts a settled change on its file's and its owner's lists; and off them. */
void ccfc_index_link(struct ccfc_index *index, uint32_t change);
void ccfc_index_unlink(struct ccfc_index *index, uint32_t change);

#endif
