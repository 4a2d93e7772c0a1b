/* Directories by the number of their watch, files by directory and name. */
#include "observe/observe_internal.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"

#include <stdio.h>
#include <stdlib.h>

#define FIRST_BUCKETS 256u

/* --- directories --- */

static struct ccfc_obs_dir **bucket_of_wd(const struct ccfc_obs *obs, int wd)
{
	return &obs->dirs[(uint32_t)wd & obs->dirs_mask];
}

static void grow_dirs(struct ccfc_obs *obs)
{
	uint32_t n = obs->dirs ? (obs->dirs_mask + 1) * 2 : FIRST_BUCKETS;
	struct ccfc_obs_dir **old = obs->dirs;
	uint32_t nold = old ? obs->dirs_mask + 1 : 0;

	obs->dirs = ccfc_calloc(n, sizeof(struct ccfc_obs_dir *));
	obs->dirs_mask = n - 1;
	for (uint32_t i = 0; i < nold; i++)
		for (struct ccfc_obs_dir *d = old[i], *next; d; d = next) {
			struct ccfc_obs_dir **b = bucket_of_wd(obs, d->wd);

			next = d->chain;
			d->chain = *b;
			*b = d;
		}
	free(old);
}

struct ccfc_obs_dir *ccfc_obs_dir_by_wd(const struct ccfc_obs *obs, int wd)
{
	struct ccfc_obs_dir *d = NULL;

	if (obs->dirs)
		d = *bucket_of_wd(obs, wd);
	while (d && d->wd != wd)
		d = d->chain;
	return d;
}

/* `parent` is NULL for the top of a project. */
static void link_to_parent(struct ccfc_obs_dir *dir,
			   struct ccfc_obs_dir *parent)
{
	dir->parent = parent;
	dir->level.above = parent ? &parent->level : dir->project->patterns;
	if (!parent)
		return;
	dir->sibling = parent->children;
	parent->children = dir;
}

static void unlink_from_parent(struct ccfc_obs_dir *dir)
{
	struct ccfc_obs_dir **at;

	if (!dir->parent) {
		dir->project->top = NULL;
		return;
	}
	at = &dir->parent->children;
	while (*at != dir)
		at = &(*at)->sibling;
	*at = dir->sibling;
	dir->sibling = NULL;
}

struct ccfc_obs_dir *ccfc_obs_dir_add(struct ccfc_obs *obs,
				      struct ccfc_obs_project *project,
				      struct ccfc_obs_dir *parent, char *path,
				      int wd)
{
	struct ccfc_obs_dir *dir = ccfc_calloc(1, sizeof(*dir));
	struct ccfc_obs_dir **bucket;

	if (!obs->dirs || obs->ndirs > obs->dirs_mask)
		grow_dirs(obs);
	dir->project = project;
	dir->path = path;
	dir->wd = wd;
	dir->level.prefix = strlen(path);
	link_to_parent(dir, parent);
	bucket = bucket_of_wd(obs, wd);
	dir->chain = *bucket;
	*bucket = dir;
	obs->ndirs++;
	project->dirs++;
	return dir;
}

static void forget_dir(struct ccfc_obs *obs, struct ccfc_obs_dir *dir)
{
	struct ccfc_obs_dir **at = bucket_of_wd(obs, dir->wd);

	while (*at != dir)
		at = &(*at)->chain;
	*at = dir->chain;
	if (dir->queued)
		for (uint32_t i = obs->queue.at; i < obs->queue.n; i++)
			if (obs->queue.items[i] == dir)
				obs->queue.items[i] = NULL;
	ccfc_watch_remove(obs->watch, dir->wd);
	dir->project->dirs--;
	obs->ndirs--;
	ccfc_ignore_free(dir->level.own);
	free(dir->path);
	free(dir);
}

/* The longest path bounds the depth of the recursion. */
static void drop_below(struct ccfc_obs *obs, struct ccfc_obs_dir *dir)
{
	while (dir->children) {
		struct ccfc_obs_dir *child = dir->children;

		dir->children = child->sibling;
		drop_below(obs, child);
	}
	for (struct ccfc_obs_file *f = dir->files, *next; f; f = next) {
		next = f->next;
		ccfc_obs_file_drop(obs, f);
	}
	forget_dir(obs, dir);
}

void ccfc_obs_dir_drop(struct ccfc_obs *obs, struct ccfc_obs_dir *dir)
{
	unlink_from_parent(dir);
	drop_below(obs, dir);
}

static void count_for(struct ccfc_obs_dir *dir,
		      struct ccfc_obs_project *project)
{
	uint32_t files = 0;

	for (const struct ccfc_obs_file *f = dir->files; f; f = f->next)
		files++;
	dir->project->dirs--;
	dir->project->files -= files;
	dir->project = project;
	project->dirs++;
	project->files += files;
	for (dir = dir->children; dir; dir = dir->sibling)
		count_for(dir, project);
}

void ccfc_obs_dir_move(struct ccfc_obs_dir *dir,
		       struct ccfc_obs_project *project,
		       struct ccfc_obs_dir *parent)
{
	unlink_from_parent(dir);
	count_for(dir, project);
	link_to_parent(dir, parent);
	if (!parent)
		project->top = dir;
}

struct ccfc_obs_dir *ccfc_obs_dir_by_path(const struct ccfc_obs *obs,
					  struct ccfc_slice path)
{
	for (uint32_t i = 0; obs->dirs && i <= obs->dirs_mask; i++)
		for (struct ccfc_obs_dir *d = obs->dirs[i]; d; d = d->chain)
			if (ccfc_slice_is(path, d->path))
				return d;
	return NULL;
}

struct ccfc_obs_dir *ccfc_obs_child(const struct ccfc_obs_dir *dir,
				    const char *name)
{
	size_t at = strlen(dir->path), len = strlen(name);
	struct ccfc_obs_dir *child = dir->children;

	while (child && (strncmp(child->path + at, name, len) != 0 ||
			 strcmp(child->path + at + len, "/") != 0))
		child = child->sibling;
	return child;
}

/* --- files --- */

static uint64_t hash_of(const struct ccfc_obs_dir *dir, const char *name)
{
	return ccfc_hash(name, strlen(name)) ^
	       (uint64_t)dir->wd * 0x9e3779b97f4a7c15u;
}

static void grow_files(struct ccfc_obs *obs)
{
	uint32_t n = obs->files ? (obs->files_mask + 1) * 2 : FIRST_BUCKETS;
	struct ccfc_obs_file **old = obs->files;
	uint32_t nold = old ? obs->files_mask + 1 : 0;

	obs->files = ccfc_calloc(n, sizeof(struct ccfc_obs_file *));
	obs->files_mask = n - 1;
	for (uint32_t i = 0; i < nold; i++)
		for (struct ccfc_obs_file *f = old[i], *next; f; f = next) {
			struct ccfc_obs_file **b =
				&obs->files[f->hash & obs->files_mask];

			next = f->chain;
			f->chain = *b;
			*b = f;
		}
	free(old);
}

struct ccfc_obs_file *ccfc_obs_file_find(const struct ccfc_obs *obs,
					 const struct ccfc_obs_dir *dir,
					 const char *name)
{
	uint64_t hash = hash_of(dir, name);
	struct ccfc_obs_file *f = NULL;

	if (obs->files)
		f = obs->files[hash & obs->files_mask];
	while (f && (f->hash != hash || f->dir != dir || strcmp(f->name, name)))
		f = f->chain;
	return f;
}

struct ccfc_obs_file *ccfc_obs_file_add(struct ccfc_obs *obs,
					struct ccfc_obs_dir *dir,
					const char *name)
{
	size_t len = strlen(name) + 1;
	struct ccfc_obs_file **bucket, *f;

	if (obs->nfiles >= obs->env.settings->files) {
		dir->project->cut = true;
		return NULL;
	}
	if (!obs->files || obs->nfiles > obs->files_mask)
		grow_files(obs);
	f = ccfc_calloc(1, sizeof(*f) + len);
	memcpy(f->name, name, len);
	f->dir = dir;
	f->hash = hash_of(dir, name);
	bucket = &obs->files[f->hash & obs->files_mask];
	f->chain = *bucket;
	*bucket = f;
	f->next = dir->files;
	f->link = &dir->files;
	if (f->next)
		f->next->link = &f->next;
	dir->files = f;
	obs->nfiles++;
	dir->project->files++;
	return f;
}

void ccfc_obs_file_drop(struct ccfc_obs *obs, struct ccfc_obs_file *file)
{
	struct ccfc_obs_file **at = &obs->files[file->hash & obs->files_mask];

	while (*at != file)
		at = &(*at)->chain;
	*at = file->chain;
	*file->link = file->next;
	if (file->next)
		file->next->link = file->link;
	ccfc_obs_unmark(obs, file);
	if (file->pending)
		obs->pending.items[file->pending - 1].file = NULL;
	file->dir->project->files--;
	obs->nfiles--;
	free(file);
}

int64_t ccfc_obs_noticed(const struct ccfc_obs *obs)
{
	return obs->noticed == CCFC_TIME_NONE ? ccfc_time_now() : obs->noticed;
}

void ccfc_obs_mark(struct ccfc_obs *obs, struct ccfc_obs_file *file, int wait)
{
	if (file->pending) {
		struct ccfc_sighting *s =
			&obs->pending.items[file->pending - 1].sighting;

		s->client = 0;
		s->held = file->held;
	}
	file->last = ccfc_obs_noticed(obs);
	file->due = ccfc_time_monotonic() + wait;
	if (file->marked_link)
		return;
	file->first = ccfc_time_now();
	file->held = obs->drained;
	file->steps = 0;
	if (!obs->marked)
		obs->marked_end = &obs->marked;
	file->marked_link = obs->marked_end;
	*obs->marked_end = file;
	obs->marked_end = &file->marked_next;
}

void ccfc_obs_unmark(struct ccfc_obs *obs, struct ccfc_obs_file *file)
{
	if (!file->marked_link)
		return;
	*file->marked_link = file->marked_next;
	if (file->marked_next)
		file->marked_next->marked_link = file->marked_link;
	else
		obs->marked_end = file->marked_link;
	file->marked_link = NULL;
	file->marked_next = NULL;
}

bool ccfc_obs_path(char out[PATH_MAX], const struct ccfc_obs_dir *dir,
		   const char *name)
{
	return snprintf(out, PATH_MAX, "%s%s", dir->path, name) < PATH_MAX;
}
