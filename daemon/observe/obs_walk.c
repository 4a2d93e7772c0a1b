/*
 * Watches the directories of a project from the top down, so that a bound cuts
 * off the deepest ones. Each directory is watched first and then read, so that
 * files created in between are found. An event only triggers a look.
 *
 * The delay of a look: a file that was closed by its writer, or renamed to its
 * name, is complete, and is looked at as soon as the present events are read. A
 * file that is being written is looked at when it has been quiet for a moment.
 * A new file waits for a moment, too: most short-lived files are temporary.
 */
#include "observe/observe_internal.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "observe/silent_filesystem.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define QUIET_MS 50
#define NEW_MS	 20
/* File times come from a coarse clock, and may be this much too early. */
#define TICK_MS 10
/* Directories that are read before events are looked at again. */
#define DIRS_AT_A_TIME 8

/*
 * The pid in "<name>.tmp.<pid>.<hex>", which a client writes and renames to
 * <name>; 0: another name.
 */
static long passing_name(const char *name)
{
	const char *at = strstr(name, ".tmp.");
	char *end;
	long pid;

	for (const char *next; at && (next = strstr(at + 1, ".tmp."));)
		at = next;
	if (!at)
		return 0;
	pid = strtol(at + 5, &end, 10);
	if (pid <= 0 || pid > INT_MAX || *end != '.' || !end[1] ||
	    end[1 + strspn(end + 1, "0123456789abcdef")])
		return 0;
	return pid;
}

/* --- directories --- */

void ccfc_obs_queue(struct ccfc_obs *obs, struct ccfc_obs_dir *dir, bool all)
{
	if (!dir->queued) {
		dir->queued = true;
		dir->noticed = ccfc_obs_noticed(obs);
		dir->drained = obs->drained;
		CCFC_VEC_PUSH(obs->queue, dir);
	}
	for (dir = all ? dir->children : NULL; dir; dir = dir->sibling)
		ccfc_obs_queue(obs, dir, true);
}

/* Watches a directory; NULL: not possible, or watched already. */
static struct ccfc_obs_dir *enter_dir(struct ccfc_obs *obs,
				      struct ccfc_obs_project *project,
				      struct ccfc_obs_dir *parent,
				      const char *path)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_obs_dir *dir;
	int wd;

	if (obs->ndirs >= obs->env.settings->dirs) {
		project->cut = true;
		return NULL;
	}
	wd = ccfc_watch_add(obs->watch, path, CCFC_WATCH_WRITERS);
	if (wd < 0) {
		project->cut |= wd == CCFC_ETOOBIG;
		return NULL;
	}
	if (ccfc_obs_dir_by_wd(obs, wd))
		return NULL;
	ccfc_buf_puts(&text, path);
	if (!ccfc_slice_ends(ccfc_buf_view(&text), "/"))
		ccfc_buf_putc(&text, '/');
	dir = ccfc_obs_dir_add(obs, project, parent,
			       ccfc_buf_detach(&text, NULL), wd);
	ccfc_obs_queue(obs, dir, false);
	return dir;
}

/*
 * Did the name exist when the directory was last read? Then it was ignored, or
 * beyond a bound.
 */
static bool existed_when_read(const struct ccfc_obs_dir *dir,
			      const struct stat *st)
{
	int64_t changed = (int64_t)st->st_ctim.tv_sec * 1000 +
			  st->st_ctim.tv_nsec / 1000000;

	return dir->whole && changed < dir->read - TICK_MS;
}

/* Enters a directory, or notes a file, that reading found. */
static void find_name(struct ccfc_obs *obs, struct ccfc_obs_dir *dir,
		      const char *name, const struct stat *st)
{
	struct ccfc_obs_file *file;
	struct ccfc_obs_dir *child;
	char path[PATH_MAX];

	if (ccfc_obs_ignores(obs, dir, name, S_ISDIR(st->st_mode)))
		return;
	if (S_ISDIR(st->st_mode)) {
		child = ccfc_obs_child(dir, name);
		if (!child && ccfc_obs_path(path, dir, name)) {
			child = enter_dir(obs, dir->project, dir, path);
			if (child)
				child->fresh = (dir->whole || dir->fresh) &&
					       !existed_when_read(dir, st);
		}
		return;
	}
	if (!S_ISREG(st->st_mode) || passing_name(name))
		return;
	file = ccfc_obs_file_find(obs, dir, name);
	if (!file) {
		file = ccfc_obs_file_add(obs, dir, name);
		if (!file)
			return;
		/* New, if the directory was read before or is new itself. */
		if ((!dir->whole && !dir->fresh) ||
		    existed_when_read(dir, st)) {
			ccfc_obs_look_first(obs, file);
			file->found = true;
			return;
		}
		file->known = !dir->project->cut;
	}
	file->found = true;
	if (!file->marked_link)
		ccfc_obs_mark(obs, file, file->exists ? 0 : NEW_MS);
}

/* Is a filesystem without events for all changes mounted there? */
static bool is_silent(const struct ccfc_obs_dir *dir, const char *name)
{
	char path[PATH_MAX];
	struct statfs fs;

	return ccfc_obs_path(path, dir, name) && !statfs(path, &fs) &&
	       ccfc_obs_silent((unsigned long)fs.f_type);
}

static void read_names(struct ccfc_obs *obs, struct ccfc_obs_dir *dir,
		       DIR *stream)
{
	struct dirent *entry;
	struct stat own, st;

	if (fstat(dirfd(stream), &own))
		return;
	while ((entry = readdir(stream))) {
		if (fstatat(dirfd(stream), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISDIR(st.st_mode) && st.st_dev != own.st_dev &&
		    strcmp(entry->d_name, "..") != 0 &&
		    is_silent(dir, entry->d_name))
			dir->project->silent = true;
		else
			find_name(obs, dir, entry->d_name, &st);
	}
}

/* Reports all files of a directory that is gone, and below it. */
static void report_gone_below(struct ccfc_obs *obs, struct ccfc_obs_dir *dir)
{
	for (struct ccfc_obs_file *f = dir->files; f; f = f->next)
		ccfc_obs_gone(obs, f);
	for (dir = dir->children; dir; dir = dir->sibling)
		report_gone_below(obs, dir);
}

static void lose_dir(struct ccfc_obs *obs, struct ccfc_obs_dir *dir)
{
	report_gone_below(obs, dir);
	ccfc_obs_dir_drop(obs, dir);
}

/*
 * Drops directories that are gone or ignored now. This comes first: until then,
 * a moved directory is watched under its old name.
 */
static void drop_lost_dirs(struct ccfc_obs *obs, struct ccfc_obs_dir *dir)
{
	for (struct ccfc_obs_dir *d = dir->children, *next; d; d = next) {
		struct stat st;

		next = d->sibling;
		if (lstat(d->path, &st) || !S_ISDIR(st.st_mode))
			lose_dir(obs, d);
		else if (ccfc_obs_ignores_dir(obs, d))
			ccfc_obs_dir_drop(obs, d);
	}
}

static void drop_lost_files(struct ccfc_obs *obs, struct ccfc_obs_dir *dir)
{
	for (struct ccfc_obs_file *f = dir->files, *next; f; f = next) {
		next = f->next;
		if (f->found)
			continue;
		if (ccfc_obs_ignores(obs, dir, f->name, false))
			ccfc_obs_file_drop(obs, f);
		else if (!f->marked_link)
			ccfc_obs_mark(obs, f, 0);
	}
}

static void read_dir(struct ccfc_obs *obs, struct ccfc_obs_dir *dir)
{
	int64_t now = ccfc_time_now();
	DIR *stream = opendir(dir->path);

	if (!stream)
		return;
	ccfc_obs_read_patterns(dir);
	drop_lost_dirs(obs, dir);
	for (struct ccfc_obs_file *f = dir->files; f; f = f->next)
		f->found = false;
	read_names(obs, dir, stream);
	closedir(stream);
	drop_lost_files(obs, dir);
	dir->read = now;
	dir->whole = true;
	dir->fresh = false;
}

bool ccfc_obs_has_unread(const struct ccfc_obs *obs)
{
	return obs->queue.at < obs->queue.n;
}

/*
 * Changes found here count as noticed when the directory was queued, because
 * the directory may have waited in the queue for seconds.
 */
static void read_queued(struct ccfc_obs *obs, struct ccfc_obs_dir *dir)
{
	int64_t drained = obs->drained;

	dir->queued = false;
	obs->noticed = dir->noticed;
	obs->drained = dir->drained;
	read_dir(obs, dir);
	obs->noticed = CCFC_TIME_NONE;
	obs->drained = drained;
}

bool ccfc_obs_walk(struct ccfc_obs *obs)
{
	for (int i = 0; i < DIRS_AT_A_TIME && obs->queue.at < obs->queue.n;) {
		struct ccfc_obs_dir *dir = obs->queue.items[obs->queue.at++];

		if (!dir)
			continue;
		read_queued(obs, dir);
		i++;
	}
	if (ccfc_obs_has_unread(obs))
		return true;
	free(obs->queue.items);
	memset(&obs->queue, 0, sizeof(obs->queue));
	return false;
}

/*
 * A submodule or a work tree may already be watched as a part of an outer
 * project. Its directories change hands and are read with its own patterns.
 */
static void enter_top(struct ccfc_obs *obs, struct ccfc_obs_project *project)
{
	struct ccfc_obs_dir *dir =
		ccfc_obs_dir_by_path(obs, ccfc_slice_str(project->root));

	if (dir) {
		ccfc_obs_dir_move(dir, project, NULL);
		ccfc_obs_queue(obs, dir, true);
	} else {
		project->top = enter_dir(obs, project, NULL, project->root);
	}
}

void ccfc_obs_enter(struct ccfc_obs *obs, struct ccfc_obs_project *project)
{
	if (!ccfc_obs_read_above(obs, project)) {
		project->problem = ccfc_strdup("git ignores it");
		return;
	}
	enter_top(obs, project);
	if (!project->top && !project->problem)
		project->problem = ccfc_strdup(
			project->cut ? "too many directories are watched"
				     : "cannot be watched");
}

/* Gives the project's directory back to the outer project, if any. */
static void move_to_outer_project(struct ccfc_obs *obs,
				  struct ccfc_obs_dir *dir)
{
	size_t len = strlen(dir->path) - 1;
	struct ccfc_obs_dir *above;

	while (len && dir->path[len - 1] != '/')
		len--;
	above = ccfc_obs_dir_by_path(obs, ccfc_slice(dir->path, len));
	if (!above)
		return;
	ccfc_obs_dir_move(dir, above->project, above);
	if (ccfc_obs_ignores_dir(obs, dir))
		ccfc_obs_dir_drop(obs, dir);
	else
		ccfc_obs_queue(obs, dir, true);
}

void ccfc_obs_leave(struct ccfc_obs *obs, struct ccfc_obs_project *project)
{
	if (project->top)
		move_to_outer_project(obs, project->top);
	if (project->top)
		ccfc_obs_dir_drop(obs, project->top);
	ccfc_obs_drop_patterns(project);
}

/* --- events --- */

static void mark_name(struct ccfc_obs *obs, struct ccfc_obs_dir *dir,
		      const struct ccfc_watch_event *event)
{
	struct ccfc_obs_file *file = ccfc_obs_file_find(obs, dir, event->name);
	bool settled = event->what != CCFC_WATCH_CHANGED;
	int wait = settled ? 0 : QUIET_MS;
	long client = 0;

	if (!file) {
		if (event->what == CCFC_WATCH_VANISHED || !dir->whole)
			return;
		file = ccfc_obs_file_add(obs, dir, event->name);
		if (!file)
			return;
		file->known = !dir->project->cut;
	}
	if (!file->exists && wait < NEW_MS)
		wait = NEW_MS;
	if (event->what == CCFC_WATCH_APPEARED && event->cookie &&
	    event->cookie == obs->cookie)
		client = obs->cookie_pid;
	file->mixed |= file->marked_link && (client || file->client);
	ccfc_obs_mark(obs, file, wait);
	file->dir_changes = dir->changes;
	/*
	 * Creating, writing and closing a new file is one change. A later write
	 * is a second change.
	 */
	file->steps += event->cookie || event->what == CCFC_WATCH_WRITTEN ||
		       event->what == CCFC_WATCH_VANISHED ||
		       (event->what == CCFC_WATCH_CHANGED && file->steps);
	if (event->what == CCFC_WATCH_APPEARED)
		file->client = client;
}

static void note_passing(struct ccfc_obs *obs,
			 const struct ccfc_watch_event *event)
{
	if (event->what != CCFC_WATCH_VANISHED || !event->cookie)
		return;
	obs->cookie = event->cookie;
	obs->cookie_pid = passing_name(event->name);
}

/* A rename changes its directory once, but has two events. */
static void count_change(struct ccfc_obs *obs, struct ccfc_obs_dir *dir,
			 const struct ccfc_watch_event *event)
{
	if (event->what != CCFC_WATCH_APPEARED &&
	    event->what != CCFC_WATCH_VANISHED)
		return;
	if (!event->cookie || event->cookie != obs->moved)
		dir->changes++;
	obs->moved = event->cookie;
}

static void change_name(struct ccfc_obs *obs, struct ccfc_obs_dir *dir,
			const struct ccfc_watch_event *event)
{
	count_change(obs, dir, event);
	if (passing_name(event->name)) {
		note_passing(obs, event);
		return;
	}
	/*
	 * Changed patterns count at once. The directory is read again with the
	 * new patterns when its turn comes.
	 */
	if (!strcmp(event->name, ".gitignore") && dir->whole) {
		ccfc_obs_read_patterns(dir);
		ccfc_obs_queue(obs, dir, true);
	}
	if (event->is_dir) {
		if (event->what == CCFC_WATCH_APPEARED ||
		    event->what == CCFC_WATCH_VANISHED)
			ccfc_obs_queue(obs, dir, false);
		return;
	}
	if (!ccfc_obs_ignores(obs, dir, event->name, false))
		mark_name(obs, dir, event);
}

void ccfc_obs_event(struct ccfc_obs *obs, const struct ccfc_watch_event *event)
{
	struct ccfc_obs_dir *dir;

	if (event->what == CCFC_WATCH_OVERFLOW) {
		for (uint32_t i = 0; i < obs->projects.n; i++)
			if (obs->projects.items[i]->top)
				ccfc_obs_queue(obs, obs->projects.items[i]->top,
					       true);
		return;
	}
	dir = ccfc_obs_dir_by_wd(obs, event->wd);
	if (!dir)
		return;
	if (event->what == CCFC_WATCH_SELF || event->what == CCFC_WATCH_ENDED) {
		if (dir->parent)
			ccfc_obs_queue(obs, dir->parent, false);
		else if (!dir->project->problem)
			dir->project->problem =
				ccfc_strdup("it was moved or removed");
		lose_dir(obs, dir);
	} else if (event->name[0])
		change_name(obs, dir, event);
}
