/* Manifests in memory for readers; see shared_manifests.h. */
#include "archive/shared_manifests.h"

#include "base/alloc.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

/* With so many, used or not, none is kept for readers to come. */
#define KEPT_MAX 64u

struct ccfc_shared_manifests {
	pthread_mutex_t lock; /* for the fields below */
	struct ccfc_shared_manifest *first;
	uint32_t n;
};

struct ccfc_shared_manifests *ccfc_shared_manifests_new(void)
{
	struct ccfc_shared_manifests *all = ccfc_calloc(1, sizeof(*all));

	pthread_mutex_init(&all->lock, NULL);
	return all;
}

static void free_manifest(struct ccfc_shared_manifest *shared)
{
	ccfc_archive_manifest_release(&shared->manifest);
	free(shared->file);
	free(shared);
}

/* The lock is held. */
static void drop_unused(struct ccfc_shared_manifests *all)
{
	struct ccfc_shared_manifest **at = &all->first;

	while (*at) {
		struct ccfc_shared_manifest *shared = *at;

		if (shared->users) {
			at = &shared->next;
			continue;
		}
		*at = shared->next;
		all->n--;
		free_manifest(shared);
	}
}

void ccfc_shared_manifests_drop(struct ccfc_shared_manifests *all)
{
	pthread_mutex_lock(&all->lock);
	drop_unused(all);
	pthread_mutex_unlock(&all->lock);
}

void ccfc_shared_manifests_free(struct ccfc_shared_manifests *all)
{
	if (!all)
		return;
	drop_unused(all);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

/*
 * A replaced file may get the inode of an earlier one, within a tick of the
 * filesystem's clock. Then mostly its size differs.
 */
static bool is_of(const struct ccfc_shared_manifest *shared, const char *file,
		  const struct stat *st)
{
	return shared->ino == (uint64_t)st->st_ino &&
	       shared->dev == (uint64_t)st->st_dev &&
	       shared->size == (uint64_t)st->st_size &&
	       shared->changed.tv_sec == st->st_ctim.tv_sec &&
	       shared->changed.tv_nsec == st->st_ctim.tv_nsec &&
	       !strcmp(shared->file, file);
}

/* One more user of the manifest in memory; NULL: it is not there. */
static struct ccfc_shared_manifest *
find_manifest(struct ccfc_shared_manifests *all, const char *file,
	      const struct stat *st)
{
	struct ccfc_shared_manifest *shared;

	pthread_mutex_lock(&all->lock);
	shared = all->first;
	while (shared && !is_of(shared, file, st))
		shared = shared->next;
	if (shared)
		shared->users++;
	pthread_mutex_unlock(&all->lock);
	return shared;
}

static void add_manifest(struct ccfc_shared_manifests *all,
			 struct ccfc_shared_manifest *shared)
{
	pthread_mutex_lock(&all->lock);
	if (all->n >= KEPT_MAX)
		drop_unused(all);
	shared->next = all->first;
	all->first = shared;
	all->n++;
	pthread_mutex_unlock(&all->lock);
}

/*
 * The file may be replaced after stat(): then the manifest is newer than what
 * is noted of the file, and is read again the next time.
 */
int ccfc_shared_manifest_take(struct ccfc_shared_manifests *all,
			      const struct ccfc_shared_manifest **out,
			      const char *file, struct ccfc_err *err)
{
	struct ccfc_shared_manifest *shared = NULL;
	struct stat st = { 0 };
	int r, why;

	if (!stat(file, &st))
		shared = find_manifest(all, file, &st);
	*out = shared;
	if (shared)
		return 0;
	shared = ccfc_calloc(1, sizeof(*shared));
	shared->file = ccfc_strdup(file);
	shared->dev = (uint64_t)st.st_dev;
	shared->ino = (uint64_t)st.st_ino;
	shared->size = (uint64_t)st.st_size;
	shared->changed = st.st_ctim;
	shared->users = 1;
	r = ccfc_archive_manifest_read(&shared->manifest, file, err);
	if (r) {
		why = errno;
		free_manifest(shared);
		errno = why;
		return r;
	}
	add_manifest(all, shared);
	*out = shared;
	return 0;
}

void ccfc_shared_manifest_give(struct ccfc_shared_manifests *all,
			       const struct ccfc_shared_manifest *shared)
{
	pthread_mutex_lock(&all->lock);
	((struct ccfc_shared_manifest *)shared)->users--;
	pthread_mutex_unlock(&all->lock);
}
