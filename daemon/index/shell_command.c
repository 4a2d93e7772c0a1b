/*
 * Commands of a shell, and the changes of files that hang on them.
 *
 * A command that surely changes nothing is not kept. Any other one is a
 * change row without a file, with the observations and the result of its
 * call; so owners, copies, forks and prompts are found as for any change.
 *
 * A shell change is the change "<tool_use id>#<hash of the path>": one row for
 * each file of a command, whether its text or its result names the file, and
 * whichever came first. It has no observations of its own: settle gives it
 * those of its command. What is its own:
 *
 * - PARSED: the text of a call surely has the file as its target. A copy of a
 *   call may stand in a transcript with another directory, and a relative path
 *   then means another file; so the least time of such a call is kept, and the
 *   change counts where that is the owner's.
 * - RECORDED: a result names it. `result` is then the best one that does.
 * - INFERRED: contents of the file tell of it (inferred_change.c).
 *
 * Of two files with the same hash the lesser path counts.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/time.h"
#include "base/utf8.h"
#include "index/index_internal.h"

#include <stdlib.h>

#define TEXT_CHARS 200u

/* --- rows --- */

static void touch_command(struct ccfc_index *index, uint32_t command)
{
	ccfc_index_mark_change(index, command);
	ccfc_index_touch_change(index, command);
}

/*
 * A note may come before the call, from another transcript. Until then it is
 * kept with the results that wait for their call, under a key of its own.
 */
static struct ccfc_slice note_key(struct ccfc_index *index,
				  struct ccfc_slice call)
{
	ccfc_buf_clear(&index->scratch);
	ccfc_buf_slice(&index->scratch, call);
	ccfc_buf_puts(&index->scratch, "#ended");
	return ccfc_buf_view(&index->scratch);
}

static void adopt_note(struct ccfc_index *index, uint32_t command)
{
	struct ccfc_change *c = &index->changes.items[command];
	struct ccfc_slice call = ccfc_slice(c->id, c->id_len);
	uint32_t note = ccfc_index_find_orphan(index, note_key(index, call));

	if (note == CCFC_ID_NONE)
		return;
	ccfc_index_take_time(&c->shell_time,
			     index->orphans.items[note].result.time, true);
	ccfc_index_take_orphan(index, note);
}

void ccfc_index_make_command(struct ccfc_index *index, uint32_t change)
{
	struct ccfc_change *c = &index->changes.items[change];

	if (ccfc_index_is_command(c))
		return;
	/* The same id as a write's: the write's file is not the command's. */
	if (c->settled)
		ccfc_index_unlink(index, change);
	c->settled = false;
	c->shell |= CCFC_SHELL_IS_COMMAND;
	adopt_note(index, change);
	ccfc_index_adopt_mark(index, change);
}

static void link_to_command(struct ccfc_index *index, uint32_t change,
			    uint32_t command)
{
	struct ccfc_change *c = &index->changes.items[change];

	c->command = command;
	c->next_file = index->changes.items[command].next_file;
	index->changes.items[command].next_file = change;
}

bool ccfc_index_attach_change(struct ccfc_index *index, uint32_t change)
{
	uint32_t command = index->changes.items[change].command;

	if (command >= change ||
	    !ccfc_index_is_command(&index->changes.items[command]))
		return false;
	link_to_command(index, change, command);
	return true;
}

void ccfc_index_shell_id(struct ccfc_buf *out,
			 const struct ccfc_change *command,
			 struct ccfc_slice path)
{
	ccfc_buf_append(out, command->id, command->id_len);
	ccfc_buf_printf(out, "#%08x", (unsigned)(ccfc_hash_slice(path) >> 32));
}

static struct ccfc_slice shell_key(struct ccfc_index *index,
				   const struct ccfc_change *command,
				   uint32_t file)
{
	ccfc_buf_clear(&index->scratch);
	ccfc_index_shell_id(&index->scratch, command,
			    ccfc_index_file_path(index, file));
	return ccfc_buf_view(&index->scratch);
}

/* Two files have the same hash: the lesser path keeps the id. */
static bool is_taken(struct ccfc_index *index, struct ccfc_change *c,
		     uint32_t file)
{
	uint32_t seen = c->call.file;

	if (seen == file)
		return false;
	if (ccfc_slice_cmp(ccfc_index_file_path(index, seen),
			   ccfc_index_file_path(index, file)) < 0)
		return true;
	c->call.file = file;
	c->shell = 0;
	c->target_op = 0;
	c->other_file = 0;
	c->shell_time = CCFC_TIME_NONE;
	return false;
}

uint32_t ccfc_index_shell_change(struct ccfc_index *index, uint32_t command,
				 uint32_t file)
{
	struct ccfc_slice key =
		shell_key(index, &index->changes.items[command], file);
	uint32_t id = ccfc_index_find_change(index, key);
	struct ccfc_change *c;

	if (id == CCFC_ID_NONE) {
		id = ccfc_index_add_change(index, key);
		index->changes.items[id].call.file = file;
		link_to_command(index, id, command);
		return id;
	}
	c = &index->changes.items[id];
	return c->command != command || is_taken(index, c, file) ? CCFC_ID_NONE
								 : id;
}

/* --- the targets of a command's text --- */

/* What the whole command made of a file. */
struct target {
	struct ccfc_slice path;
	struct ccfc_slice other; /* the other file of a rename or copy */
	enum ccfc_op op;
	bool made; /* the command first wrote the file completely */
	bool gone; /* and finally deleted it: the file is unchanged */
};

struct targets {
	struct target items[2 * CCFC_SHELL_EFFECTS_MAX];
	uint32_t n;
};

static struct target *find_or_add_target(struct targets *targets,
					 struct ccfc_slice path, bool makes)
{
	struct target *t = targets->items;

	for (uint32_t i = 0; i < targets->n; i++, t++)
		if (ccfc_slice_eq(t->path, path))
			return t;
	targets->n++;
	*t = (struct target){ .path = path, .made = makes };
	return t;
}

static struct target *put_target(struct targets *targets,
				 struct ccfc_slice path, bool makes)
{
	struct target *t = find_or_add_target(targets, path, makes);

	t->op = CCFC_OP_MODIFIED;
	t->other = CCFC_SLICE_NONE;
	t->gone = false;
	return t;
}

static struct target *put_gone(struct targets *targets, struct ccfc_slice path)
{
	struct target *t = find_or_add_target(targets, path, false);

	t->op = CCFC_OP_DELETED;
	t->gone = t->made;
	return t;
}

/* "sed … a > b && mv b a" changed a; b did not remain. */
static void put_renamed(struct targets *targets, struct ccfc_slice from,
			struct ccfc_slice path)
{
	struct target old = *find_or_add_target(targets, from, false);
	struct target *t;

	put_gone(targets, from)->other = path;
	t = find_or_add_target(targets, path, true);
	t->op = old.made ? old.op : CCFC_OP_RENAMED;
	t->other = old.made ? old.other : from;
	t->gone = false;
}

/* Adds an effect that the command certainly has on named files. */
static void put_effect(struct targets *targets,
		       const struct ccfc_shell_effect *e)
{
	switch (e->op) {
	case CCFC_SHELL_DELETE:
		put_gone(targets, e->path);
		break;
	case CCFC_SHELL_RENAME:
		put_renamed(targets, e->from, e->path);
		break;
	case CCFC_SHELL_COPY:
		put_target(targets, e->path, true)->other = e->from;
		break;
	case CCFC_SHELL_WRITE:
	case CCFC_SHELL_LINK:
		put_target(targets, e->path, true);
		break;
	default:
		put_target(targets, e->path, false);
		break;
	}
}

/*
 * Does the name have an extension? No text shows it, but directories seldom do.
 */
static bool has_file_name(struct ccfc_slice path)
{
	struct ccfc_slice end = ccfc_path_extension(path);

	if (!end.len || end.len > 6 || ccfc_slice_is(end, ".d"))
		return false;
	for (size_t i = 1; i < end.len; i++)
		if (!(end.ptr[i] >= 'a' && end.ptr[i] <= 'z') &&
		    !(i > 1 && end.ptr[i] >= '0' && end.ptr[i] <= '9'))
			return false;
	return true;
}

/*
 * Has the command changed that file, if the exit status is 0? A part whose own
 * status is ignored ("sed -i … a; ls") has mostly worked; but the result of a
 * rename or a copy depends on it. A touch may have changed nothing.
 */
static bool is_sure(const struct ccfc_shell_effect *e)
{
	if (e->op == CCFC_SHELL_TOUCH || !ccfc_shell_ran(e, true))
		return false;
	if ((e->op == CCFC_SHELL_RENAME || e->op == CCFC_SHELL_COPY) &&
	    !ccfc_shell_happened(e, true))
		return false;
	return (!e->tree && !e->into) || has_file_name(e->path);
}

/*
 * Reads the index's effects; true when they are not all that the command may
 * have done. A commit changes no file but by hooks: that is not counted.
 */
static bool read_targets(struct targets *out,
			 const struct ccfc_shell_effects *effects)
{
	bool unsure =
		ccfc_shell_unsure(effects) > effects->why[CCFC_SHELL_WHY_HOOK];

	out->n = 0;
	for (uint32_t i = 0; i < effects->all.n; i++) {
		if (is_sure(&effects->all.items[i]))
			put_effect(out, &effects->all.items[i]);
		else
			unsure = true;
	}
	return unsure;
}

void ccfc_index_merge_target(struct ccfc_index *index, uint32_t change,
			     uint8_t op, uint32_t other_file, int64_t time)
{
	struct ccfc_change *c = &index->changes.items[change];
	struct ccfc_slice path = ccfc_index_file_path(index, other_file);

	/* If calls differ, any result will do, in a fixed order. */
	if (!(c->shell & CCFC_SHELL_PARSED) || op > c->target_op)
		c->target_op = op;
	if (!c->other_file ||
	    (other_file &&
	     ccfc_slice_cmp(path, ccfc_index_file_path(index, c->other_file)) <
		     0))
		c->other_file = other_file;
	c->shell |= CCFC_SHELL_PARSED;
	ccfc_index_take_time(&c->shell_time, time, true);
}

static void merge_target(const struct ccfc_incoming *line, uint32_t command,
			 const struct target *t)
{
	struct ccfc_index *index = line->index;
	uint32_t file = ccfc_index_file(index, t->path);
	uint32_t other = t->other.len ? ccfc_index_file(index, t->other) : 0;
	uint32_t id = ccfc_index_shell_change(index, command, file);

	if (id != CCFC_ID_NONE)
		ccfc_index_merge_target(index, id, (uint8_t)t->op, other,
					line->record->time);
}

/* --- calls --- */

static void read_effects(const struct ccfc_incoming *line,
			 const struct ccfc_call *call)
{
	struct ccfc_slice cwd = line->record->cwd;
	struct ccfc_slice home = ccfc_slice_str(line->index->home);
	struct ccfc_shell_env env = {
		.cwd = cwd,
		/* As for paths: the directory shows whose home it is. */
		.home = ccfc_path_is_below(cwd, home) ? home : CCFC_SLICE_NONE,
		.language =
			call->foreign ? CCFC_SHELL_POWERSHELL : CCFC_SHELL_BASH,
	};

	ccfc_shell_read(&line->index->effects, call->command, &env);
}

/*
 * May the contents of a file show that the command changed it? If not, history
 * skips the command (history/gap/command_fit.h has the rules).
 */
static bool may_tell(const struct ccfc_shell_effects *effects,
		     const struct ccfc_call *call)
{
	bool back = effects->bulk.n;

	for (uint32_t i = 0; !back && i < effects->all.n; i++)
		back = effects->all.items[i].op == CCFC_SHELL_RESTORE;
	return !call->foreign && !call->cut &&
	       !effects->why[CCFC_SHELL_WHY_SYNTAX] &&
	       !effects->why[CCFC_SHELL_WHY_LIMIT] &&
	       (back || effects->texts.n);
}

static void merge_text(struct ccfc_index *index, struct ccfc_change *c,
		       const struct ccfc_call *call)
{
	struct ccfc_slice text;
	bool cut;

	ccfc_buf_clear(&index->scratch);
	cut = ccfc_utf8_append_line(&index->scratch, call->command,
				    TEXT_CHARS) ||
	      call->cut;
	text = ccfc_buf_view(&index->scratch);
	if (c->text &&
	    ccfc_slice_cmp(ccfc_index_str(index, c->text), text) <= 0)
		return;
	c->text = ccfc_strtab_put(&index->strings, text);
	c->shell &= (uint8_t)~CCFC_SHELL_CUT;
	if (cut)
		c->shell |= CCFC_SHELL_CUT;
}

bool ccfc_index_merge_command(const struct ccfc_incoming *line,
			      const struct ccfc_call *call)
{
	struct ccfc_index *index = line->index;
	struct ccfc_observation obs;
	struct targets targets;
	struct ccfc_change *c;
	bool is_new;
	uint32_t id;

	read_effects(line, call);
	if (!call->cut && ccfc_shell_writes_nothing(&index->effects))
		return false;
	obs = ccfc_index_observe(line, call);
	id = ccfc_index_find_change(index, call->id);
	if (id == CCFC_ID_NONE)
		id = ccfc_index_add_change(index, call->id);
	ccfc_index_make_command(index, id);
	c = &index->changes.items[id];
	merge_text(index, c, call);
	if (read_targets(&targets, &index->effects) || call->cut)
		c->shell |= CCFC_SHELL_UNSURE;
	if (may_tell(&index->effects, call))
		c->shell |= CCFC_SHELL_TELLS;
	is_new = ccfc_index_merge_obs(index, id, &obs);
	ccfc_index_adopt_orphan(index, id, call->id);
	for (uint32_t i = 0; i < targets.n; i++)
		if (!targets.items[i].gone)
			merge_target(line, id, &targets.items[i]);
	if (is_new && !index->changes.items[id].result.known)
		ccfc_ids_push(&index->sources.items[line->place.source].open,
			      id);
	touch_command(index, id);
	return true;
}

/* --- results --- */

void ccfc_index_merge_recorded(struct ccfc_index *index, uint32_t change,
			       const struct ccfc_outcome *outcome)
{
	struct ccfc_change *c = &index->changes.items[change];

	/* The earlier value was the command's result. */
	if (!(c->shell & CCFC_SHELL_RECORDED))
		c->result.known = false;
	ccfc_index_merge_outcome(index, &c->result, outcome);
	c->shell |= CCFC_SHELL_RECORDED;
}

void ccfc_index_merge_run(const struct ccfc_incoming *line, uint32_t command,
			  const struct ccfc_result *result)
{
	struct ccfc_index *index = line->index;
	struct ccfc_outcome o = ccfc_index_outcome(line, result);

	for (uint32_t i = 0; i < result->nfiles; i++) {
		const struct ccfc_run_file *f = &result->files[i];
		uint32_t file = ccfc_index_line_file(line, f->path);
		uint32_t id = CCFC_ID_NONE;

		if (file)
			id = ccfc_index_shell_change(index, command, file);
		if (id == CCFC_ID_NONE)
			continue;
		o.file = file;
		o.op = (uint8_t)f->op;
		o.detail = f->hunks;
		o.added = f->added;
		o.removed = f->removed;
		ccfc_index_merge_recorded(index, id, &o);
	}
	touch_command(index, command);
}

void ccfc_index_merge_ended(const struct ccfc_incoming *line)
{
	struct ccfc_index *index = line->index;
	struct ccfc_result note = { .state = CCFC_STATE_APPLIED };
	uint32_t id = ccfc_index_find_change(index, line->record->ended);

	if (line->record->time == CCFC_TIME_NONE)
		return;
	if (id == CCFC_ID_NONE ||
	    !ccfc_index_is_command(&index->changes.items[id])) {
		note.id = note_key(index, line->record->ended);
		ccfc_index_keep_orphan(line, &note);
		return;
	}
	if (ccfc_index_take_time(&index->changes.items[id].shell_time,
				 line->record->time, true))
		touch_command(index, id);
}

/* --- what a reader sees --- */

bool ccfc_index_copy_command(struct ccfc_index *index, uint32_t change)
{
	struct ccfc_change *c = &index->changes.items[change];
	const struct ccfc_change *command = &index->changes.items[c->command];
	uint32_t file = c->call.file;
	int32_t added = c->call.added, removed = c->call.removed;

	c->call = command->call;
	c->call.file = file;
	c->call.next = CCFC_ID_NONE;
	if (!ccfc_index_is_inferred(c))
		added = removed = CCFC_LINES_UNKNOWN;
	c->call.added = added;
	c->call.removed = removed;
	if (c->shell & CCFC_SHELL_RECORDED)
		return true;
	c->result = command->result;
	c->result.file = file;
	c->result.op = c->target_op;
	c->result.detail = false;
	c->result.added = c->result.removed = CCFC_LINES_UNKNOWN;
	if ((c->shell & CCFC_SHELL_OBSERVED) || ccfc_index_is_inferred(c))
		return true;
	return (c->shell & CCFC_SHELL_PARSED) && command->call.known &&
	       c->shell_time == command->call.time;
}

enum ccfc_op ccfc_index_op(const struct ccfc_change *c)
{
	if ((c->shell & CCFC_SHELL_PARSED) && c->target_op == CCFC_OP_RENAMED &&
	    c->result.op != CCFC_OP_DELETED)
		return CCFC_OP_RENAMED;
	return c->result.op;
}

bool ccfc_index_is_taken(const struct ccfc_change *c)
{
	return c->other_file && ccfc_index_op(c) != CCFC_OP_DELETED;
}

const struct ccfc_change *ccfc_index_command(const struct ccfc_index *index,
					     const struct ccfc_change *change)
{
	return change->command == CCFC_ID_NONE
		       ? NULL
		       : &index->changes.items[change->command];
}

bool ccfc_index_is_unknown(const struct ccfc_change *c)
{
	bool unsure = c->shell & CCFC_SHELL_UNSURE;

	switch (c->state) {
	case CCFC_STATE_PENDING:
	case CCFC_STATE_DENIED:
	case CCFC_STATE_STAGED:
		return false;
	case CCFC_STATE_APPLIED:
		/* The client recorded all changes of the command. */
		return unsure && (!(c->result.run & CCFC_RUN_DIFF) ||
				  (c->result.run & CCFC_RUN_PARTIAL));
	default:
		/* Which part of the command has run is not known. */
		return unsure || c->next_file != CCFC_ID_NONE;
	}
}
