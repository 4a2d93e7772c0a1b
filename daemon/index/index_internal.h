/*
 * Shared by the files of index/ only. The store uses the ccfc_index_add_…
 * functions to load rows.
 */
#ifndef CCFC_INDEX_INDEX_INTERNAL_H
#define CCFC_INDEX_INDEX_INTERNAL_H

#include "index/index.h"

/* A line being merged. */
struct ccfc_incoming {
	struct ccfc_index *index;
	const struct ccfc_record *record;
	struct ccfc_place place;
	struct ccfc_slice cwd; /* the record's; Windows paths in normal form */
	uint32_t session;
	uint32_t agent;
	/* row of the session source; CCFC_ID_NONE: none */
	uint32_t session_source;
	bool aside; /* an agent's line, in any file */
};

/* session_merge.c: what the line says about its session. */
void ccfc_index_merge_session(const struct ccfc_incoming *line);
void ccfc_index_merge_backup(const struct ccfc_incoming *line,
			     const struct ccfc_backup *backup);

/* This session may now be the one active last. */
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

/* merge.c: a directory as the index keeps it: Windows paths in normal form. */
struct ccfc_slice ccfc_index_directory(struct ccfc_index *index,
				       struct ccfc_slice path);

/*
 * session_source.c: the time of the last record before the line, in the same
 * transcript and session; CCFC_TIME_NONE: there is none.
 */
int64_t ccfc_index_time_before(const struct ccfc_incoming *line);

/* session_source.c: counts a message; notes a title; finds
 * line->session_source. */
void ccfc_index_merge_session_source(struct ccfc_incoming *line);
void ccfc_index_merge_naming(const struct ccfc_incoming *line);

/* model_message.c: the message of the line; CCFC_ID_NONE: it is not one. */
uint32_t ccfc_index_merge_message(const struct ccfc_incoming *line);
/* The id of the record's message, as rows of messages have it. */
uint64_t ccfc_index_message_id(const struct ccfc_record *record);
/* Copies the more complete usage into the first row of a message. */
void ccfc_index_adopt_usage(struct ccfc_index *index, uint32_t first,
			    const struct ccfc_model_message *row);
/* A line of the user in an agent's transcript, after the last message. */
void ccfc_index_merge_answer(const struct ccfc_incoming *line);
/*
 * tool_call.c: a call with the files that it reads, and whether it has a row of
 * its own; a result. Both return the call's row.
 */
uint32_t ccfc_index_merge_call(const struct ccfc_incoming *line, uint32_t say,
			       const struct ccfc_call *call, bool kept);
uint32_t ccfc_index_merge_call_result(const struct ccfc_incoming *line,
				      const struct ccfc_result *result);
/* Makes the owner's row of each message of the batch its first row. */
void ccfc_index_settle_messages(struct ccfc_index *index);
/* Touches messages that depend on a session whose ties have changed. */
void ccfc_index_touch_turned_messages(struct ccfc_index *index);
void ccfc_index_touch_message(struct ccfc_index *index, uint32_t say);

/* Are these the same bytes of a transcript, read again later? */
static inline bool ccfc_place_is_reread(const struct ccfc_place *fresh,
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
 * A compaction in the source follows the calls that are open there. True if the
 * change is one of them and this was not known.
 */
bool ccfc_index_note_compaction(struct ccfc_index *index, uint32_t change,
				uint32_t source);

/* merge.c: the better of two results counts. */
void ccfc_index_merge_outcome(struct ccfc_index *index,
			      struct ccfc_outcome *old,
			      const struct ccfc_outcome *fresh);

/* merge.c: the line's call and result as rows. */
struct ccfc_observation ccfc_index_observe(const struct ccfc_incoming *line,
					   const struct ccfc_call *call);
struct ccfc_outcome ccfc_index_outcome(const struct ccfc_incoming *line,
				       const struct ccfc_result *result);
/* merge.c: keeps a result until its call is read. */
void ccfc_index_keep_orphan(const struct ccfc_incoming *line,
			    const struct ccfc_result *result);
/* merge.c: takes a result that was read before the call of `change`. */
void ccfc_index_adopt_orphan(struct ccfc_index *index, uint32_t change,
			     struct ccfc_slice id);

/*
 * shell_command.c: a shell call. False: it certainly changes nothing, and is
 * not kept.
 */
bool ccfc_index_merge_command(const struct ccfc_incoming *line,
			      const struct ccfc_call *call);
/* The files of a command that a result names. */
void ccfc_index_merge_run(const struct ccfc_incoming *line, uint32_t command,
			  const struct ccfc_result *result);
/* Merges a note that a command has ended. */
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
/* Turns a row into a command's, unless it is one. */
void ccfc_index_make_command(struct ccfc_index *index, uint32_t change);
/* Attaches a loaded shell change to its command; false: there is none. */
bool ccfc_index_attach_change(struct ccfc_index *index, uint32_t change);
/* Copies the command's facts to a shell change. False: nobody owns it. */
bool ccfc_index_copy_command(struct ccfc_index *index, uint32_t change);

/* settle.c: gives the changes of a command its owner and its state. */
void ccfc_index_settle_files(struct ccfc_index *index, uint32_t command);

/*
 * session_merge.c: adds a name to a sorted set; returns its string, 0: the name
 * is empty.
 */
uint32_t ccfc_index_add_name(struct ccfc_index *index, struct ccfc_ids *set,
			     struct ccfc_slice name);
/*
 * session_merge.c: keeps the lesser or the greater of two times; a known time
 * wins over none. True: `fresh` was taken.
 */
bool ccfc_index_take_time(int64_t *time, int64_t fresh, bool least);

/*
 * adopt.c: merges another store's row of a session, except its sets; its
 * strings are this index's.
 */
void ccfc_index_adopt_session(struct ccfc_index *index, uint32_t session,
			      const struct ccfc_session *row);
/*
 * adopt.c: a command, and a change of `file` by one, as another store has them.
 * `other_file` and the result use this index's numbers. The result of a shell
 * change counts if `has_result`.
 */
void ccfc_index_adopt_command(struct ccfc_index *index, uint32_t command,
			      const struct ccfc_change *row);
void ccfc_index_adopt_file(struct ccfc_index *index, uint32_t command,
			   uint32_t file, const struct ccfc_change *row,
			   bool has_result);
/* adopt.c: a call as another store has it. */
void ccfc_index_adopt_call(struct ccfc_index *index,
			   const struct ccfc_tool_call *row);

/* Marks for the store; idempotent within a batch. */
void ccfc_index_mark_source(struct ccfc_index *index, uint32_t source);
void ccfc_index_mark_session(struct ccfc_index *index, uint32_t session);
void ccfc_index_mark_change(struct ccfc_index *index, uint32_t change);

/* Marks a change for settle. */
void ccfc_index_touch_change(struct ccfc_index *index, uint32_t change);

/* The session with that id, added if it is new; 0 for an empty id. */
uint32_t ccfc_index_session(struct ccfc_index *index, struct ccfc_slice id);
/* The file with that normal path, added if it is new. */
uint32_t ccfc_index_file(struct ccfc_index *index, struct ccfc_slice path);
/* The change with that id; CCFC_ID_NONE: there is none. */
uint32_t ccfc_index_find_change(const struct ccfc_index *index,
				struct ccfc_slice id);
uint32_t ccfc_index_add_change(struct ccfc_index *index, struct ccfc_slice id);
uint32_t ccfc_index_find_orphan(const struct ccfc_index *index,
				struct ccfc_slice id);
uint32_t ccfc_index_add_orphan(struct ccfc_index *index, struct ccfc_slice id);
/* Its call was read: it is no longer an orphan. */
void ccfc_index_take_orphan(struct ccfc_index *index, uint32_t orphan);
/* Removes orphans that were taken. Only when nothing is dirty. */
void ccfc_index_drop_taken(struct ccfc_index *index);
uint32_t ccfc_index_find_prompt(const struct ccfc_index *index,
				uint32_t session, uint64_t uuid);
/*
 * These functions, and those below, add a copy of the row. They set the links
 * to other rows (`next`), whatever the row has there.
 */
uint32_t ccfc_index_add_prompt(struct ccfc_index *index,
			       const struct ccfc_prompt *prompt);
/* Finds a backup with this session, key, version and name. */
uint32_t ccfc_index_find_backup(const struct ccfc_index *index,
				const struct ccfc_backup_ref *like);
uint32_t ccfc_index_add_backup(struct ccfc_index *index,
			       const struct ccfc_backup_ref *backup);
/*
 * A number for the last name of a path or key. Keys of the same file have the
 * same number, or 0, which matches any: a name that begins with dots.
 */
uint32_t ccfc_index_key_end(struct ccfc_slice path);
/* The first of a key's backups, which are chained by `next`. */
uint32_t ccfc_index_find_backups(const struct ccfc_index *index,
				 uint32_t session, uint32_t key);

/* Rows of messages and calls: found by their keys, added if they are new. */
uint32_t ccfc_index_session_source(struct ccfc_index *index, uint32_t source,
				   uint32_t session, uint32_t relayed_agent);
/* The message's first row; CCFC_ID_NONE: there is none. */
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
/* Does any session have this message? */
bool ccfc_index_has_leaf(const struct ccfc_index *index, uint64_t uuid);
uint32_t ccfc_index_add_leaf(struct ccfc_index *index,
			     const struct ccfc_leaf *leaf);
uint32_t ccfc_index_find_summary(const struct ccfc_index *index, uint64_t leaf);
uint32_t ccfc_index_add_summary(struct ccfc_index *index,
				const struct ccfc_summary *summary);

/* Adds a copy of the row; false: its key exists already. */
bool ccfc_index_add_disk_event(struct ccfc_index *index,
			       const struct ccfc_disk_event *event);
/* See ccfc_query_window. */
#define CCFC_WINDOW_LATE 100
/* A session without a line for this long runs nothing, in ms. */
#define CCFC_LONGEST_SILENCE (24 * 60 * 60 * 1000LL)

/*
 * disk/disk_join.c: may a call have made the sighting? Ordered: a greater value
 * is more certain.
 */
enum ccfc_within { CCFC_WITHIN_NOT, CCFC_WITHIN_LATE, CCFC_WITHIN };
enum ccfc_within ccfc_index_within(const struct ccfc_index *index,
				   const struct ccfc_change *call,
				   const struct ccfc_disk_event *event);
/* Adds the commands that may have made it: at most one of each thread. */
void ccfc_index_commands_at(struct ccfc_ids *out,
			    const struct ccfc_index *index,
			    const struct ccfc_disk_event *event);
/*
 * A change was settled. If it is a command, the sightings while it ran are
 * given to it, or to a command of its thread that fits better. Adds the
 * commands whose changes are affected.
 */
void ccfc_index_join_command(struct ccfc_index *index, uint32_t command,
			     struct ccfc_ids *news);
/*
 * The time of a command has changed from that of `old`. Sightings in either
 * period may now belong to another command, or to this one.
 */
void ccfc_index_join_again(struct ccfc_index *index, uint32_t command,
			   const struct ccfc_change *old);
/* Does it belong to that command by its time, and to no tool? */
bool ccfc_index_is_event_of(const struct ccfc_index *index,
			    const struct ccfc_change *command,
			    const struct ccfc_disk_event *event);
/* disk/disk_effect.c: does `later` begin with the result of `e`? */
bool ccfc_disk_leads_to(const struct ccfc_disk_event *e,
			const struct ccfc_disk_event *later);
/*
 * According to the lines read so far, did neither a tool nor a command make it?
 */
bool ccfc_index_is_outside(const struct ccfc_index *index,
			   const struct ccfc_disk_event *event);
/* Gives an event to the commands that may have made it. */
void ccfc_index_join_event(struct ccfc_index *index, uint32_t event);
/* The last event of an observed change; false: it is gone. */
bool ccfc_index_observed_at(const struct ccfc_index *index,
			    const struct ccfc_change *change,
			    struct ccfc_disk_event *out);

/*
 * disk/witness.c: the events of clients in this file may now have lines, or no
 * longer.
 */
void ccfc_witness_touch(struct ccfc_index *index, uint32_t file);
/* Judges the files that were touched. */
void ccfc_witness_settle(struct ccfc_index *index);
/* Called after all rows were loaded. */
void ccfc_witness_load(struct ccfc_index *index);
/* Does a witnessed change depend on the event? */
bool ccfc_witness_needs(const struct ccfc_index *index,
			const struct ccfc_disk_event *event);
/* The event of a witnessed change; NULL: it is gone. */
const struct ccfc_disk_event *ccfc_witness_event(const struct ccfc_index *index,
						 const struct ccfc_change *c);
/*
 * disk/disk_doubt.c: the observed changes of the file may now have another
 * author. The second does this for all files that changed since `time`, the
 * third since the session began.
 */
void ccfc_doubt_touch(struct ccfc_index *index, uint32_t file);
void ccfc_doubt_touch_since(struct ccfc_index *index, int64_t time);
void ccfc_doubt_touch_session(struct ccfc_index *index, uint32_t session);
/* Judges the changes of the files that were touched. */
void ccfc_doubt_settle(struct ccfc_index *index);
/* Called after all rows were loaded: judges changes that never were. */
void ccfc_doubt_load(struct ccfc_index *index);

/* observation.c: do the session's transcripts contain the change? */
bool ccfc_index_shows(const struct ccfc_index *index, uint32_t change,
		      uint32_t session);
/* settle.c: computes again what readers see of a change. */
void ccfc_index_settle_change(struct ccfc_index *index, uint32_t change);
/* settle.c: a change that was seen on disk turned out not to be one. */
void ccfc_index_withdraw(struct ccfc_index *index, uint32_t change);

/* Removes events that are gone. Only when nothing is dirty. */
void ccfc_index_drop_gone(struct ccfc_index *index);

/* command_marks.c: adds a copy of the row; false: its call has one already. */
bool ccfc_index_add_mark(struct ccfc_index *index,
			 const struct ccfc_mark *mark);
/* The call is not a kept command: its mark is dropped. */
void ccfc_index_drop_mark(struct ccfc_index *index, struct ccfc_slice call);
/* Removes marks that were taken. Only when nothing is dirty. */
void ccfc_index_drop_taken_marks(struct ccfc_index *index);
/* Takes the mark that waited for a new command. */
void ccfc_index_adopt_mark(struct ccfc_index *index, uint32_t command);
/* Merges the times of a mark; true: something has changed. */
bool ccfc_index_adopt_times(struct ccfc_index *index,
			    struct ccfc_change *command,
			    const struct ccfc_mark *mark);
/* Its times as they count in index->marked. */
uint64_t ccfc_index_moments(const struct ccfc_change *command);

/* shown.c: merges the file that the line's record showed to its session. */
void ccfc_index_merge_shown(const struct ccfc_incoming *line);
uint32_t ccfc_index_find_shown(const struct ccfc_index *index,
			       const struct ccfc_shown *like);
uint32_t ccfc_index_add_shown(struct ccfc_index *index,
			      const struct ccfc_shown *shown);

/* running_cost.c: merges the cost that a line records for its session. */
void ccfc_index_merge_costs(const struct ccfc_incoming *line);
uint32_t ccfc_index_find_running_cost(const struct ccfc_index *index,
				      const struct ccfc_running_cost *like);
/* Adds a row, or raises the cost of the existing row. */
uint32_t ccfc_index_add_running_cost(struct ccfc_index *index,
				     const struct ccfc_running_cost *cost);

/*
 * conflict/contest.c: called before and after a change is settled. Who saw a
 * file, and when, may have changed.
 */
void ccfc_contest_leave(struct ccfc_index *index, uint32_t change);
void ccfc_contest_enter(struct ccfc_index *index, uint32_t change);
void ccfc_contest_see(struct ccfc_index *index, uint32_t file);
/*
 * conflict/outside_conflict.c: edits of the file from outside may have changed.
 */
void ccfc_outside_touch(struct ccfc_index *index, uint32_t file);
void ccfc_contested_release(struct ccfc_index *index);
/* conflict/conflict.c: called after all changes of a batch are settled. */
void ccfc_index_settle_conflicts(struct ccfc_index *index);
/* Adds a stored row, and what follows from it. */
void ccfc_index_add_conflict(struct ccfc_index *index,
			     const struct ccfc_conflict *conflict);
/* Sets `conflict` of each change that has one. */
void ccfc_index_mark_conflicts(struct ccfc_index *index);

/* settle.c: adds an event; returns its number. */
uint64_t ccfc_index_raise(struct ccfc_index *index, uint32_t change,
			  uint32_t previous);

/* Adds an id to a list that has it at most once. */
void ccfc_ids_add(struct ccfc_ids *ids, uint32_t id);
void ccfc_ids_push(struct ccfc_ids *ids, uint32_t id);
void ccfc_ids_remove(struct ccfc_ids *ids, uint32_t id);

/*
 * owner.c: a total order of observations, by time, session, agent, their fields
 * and the transcript's path; 0 only for the same line.
 */
int ccfc_index_compare_obs(const struct ccfc_index *index,
			   const struct ccfc_observation *a,
			   const struct ccfc_observation *b);
/*
 * Which of two sessions is older, by rule 2 of owner.c? <0: a is. 0 only if
 * they are the same.
 */
int ccfc_index_compare_tied(struct ccfc_index *index, uint32_t a, uint32_t b);
/* Makes the owner's observation the first one of the change. */
void ccfc_index_pick_owner(struct ccfc_index *index, uint32_t change);
/*
 * Applies what the batch says about sessions; touches the changes that depend
 * on it.
 */
void ccfc_index_settle_ties(struct ccfc_index *index);

/* settle.c: does the call's transcript show that no result will follow? */
bool ccfc_index_is_closed(const struct ccfc_index *index,
			  const struct ccfc_observation *obs);

/* Adds a settled change to the lists of its file and its owner; removes it. */
void ccfc_index_link(struct ccfc_index *index, uint32_t change);
void ccfc_index_unlink(struct ccfc_index *index, uint32_t change);

#endif
