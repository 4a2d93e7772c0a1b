/*
 * Which projects are watched: those of live sessions.
 *
 * A session with a client's note is live while the process is alive. Clients
 * without notes are recognized by their lines: the session is live for ten
 * minutes after each line. A session that had a note never becomes live by a
 * line, since the line may come after the client's end.
 */
#include "observe/observe_internal.h"
#include "observe/silent_filesystem.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "os/process_life.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINES_MS    (10 * 60 * 1000)
#define SESSIONS_OF 64u /* live sessions of a project */
#define PROJECTS    64u
#define LEAVING	    64u /* clients without a note that still run */

/* --- where a project is --- */

static bool has_git(const char *dir, size_t len)
{
	char path[PATH_MAX];
	struct stat st;

	return snprintf(path, sizeof(path), "%.*s/.git", (int)len, dir) <
		       (int)sizeof(path) &&
	       !lstat(path, &st);
}

static char *with_slash(const char *dir, size_t len)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_append(&out, dir, len);
	if (!ccfc_slice_ends(ccfc_buf_view(&out), "/"))
		ccfc_buf_putc(&out, '/');
	return ccfc_buf_detach(&out, NULL);
}

char *ccfc_obs_root(const char *cwd)
{
	size_t len = strlen(cwd);

	for (size_t n = len; n; n--)
		if ((n == len || cwd[n] == '/') && has_git(cwd, n))
			return with_slash(cwd, n);
	return with_slash(cwd, len);
}

const char *ccfc_obs_refuse(const struct ccfc_obs *obs, const char *root)
{
	struct ccfc_slice dir = ccfc_slice(root, strlen(root) - 1);
	struct statfs fs;

	if (!dir.len ||
	    (obs->env.home &&
	     ccfc_path_is_below(ccfc_slice_str(obs->env.home), dir)))
		return "it is your home directory, or above it";
	if (ccfc_path_is_below(ccfc_slice_str(obs->env.state_dir), dir) ||
	    ccfc_path_is_below(dir, ccfc_slice_str(obs->env.state_dir)))
		return "ccfc keeps its own files there";
	for (size_t i = 0; i < obs->env.nroots; i++)
		if (ccfc_path_is_below(dir, ccfc_slice_str(obs->env.roots[i])))
			return "it is a Claude directory";
	if (statfs(root, &fs))
		return "it cannot be read";
	return ccfc_obs_silent((unsigned long)fs.f_type);
}

/* --- projects and their sessions --- */

static struct ccfc_obs_project *find_project(const struct ccfc_obs *obs,
					     const char *root)
{
	for (uint32_t i = 0; i < obs->projects.n; i++)
		if (!strcmp(obs->projects.items[i]->root, root))
			return obs->projects.items[i];
	return NULL;
}

/* Takes `root`. */
static struct ccfc_obs_project *add_project(struct ccfc_obs *obs, char *root)
{
	struct ccfc_obs_project *p = ccfc_calloc(1, sizeof(*p));
	const char *why = ccfc_obs_refuse(obs, root);

	p->root = root;
	CCFC_VEC_PUSH(obs->projects, p);
	if (why)
		p->problem = ccfc_strdup(why);
	else
		ccfc_obs_enter(obs, p);
	return p;
}

/* The project of a session in `cwd`; NULL: too many projects. */
static struct ccfc_obs_project *find_or_add_project(struct ccfc_obs *obs,
						    const char *cwd)
{
	char *root = ccfc_obs_root(cwd);
	struct ccfc_obs_project *p;

	/* The repository may be refused where the directory itself is not. */
	if (ccfc_obs_refuse(obs, root)) {
		free(root);
		root = with_slash(cwd, strlen(cwd));
	}
	p = find_project(obs, root);
	if (p || obs->projects.n >= PROJECTS) {
		free(root);
		return p;
	}
	return add_project(obs, root);
}

static struct ccfc_obs_session *find_session(struct ccfc_obs_project *p,
					     const char *id, long pid)
{
	for (uint32_t i = 0; i < p->sessions.n; i++)
		if (!strcmp(p->sessions.items[i].id, id) &&
		    p->sessions.items[i].pid == pid)
			return &p->sessions.items[i];
	return NULL;
}

static struct ccfc_obs_session *add_session(struct ccfc_obs_project *p,
					    const char *id, long pid)
{
	struct ccfc_obs_session s = { .pid = pid, .pidfd = -1 };

	if (p->sessions.n >= SESSIONS_OF)
		return NULL;
	s.id = ccfc_strdup(id);
	if (pid)
		s.pidfd = ccfc_process_fd(pid);
	CCFC_VEC_PUSH(p->sessions, s);
	return &p->sessions.items[p->sessions.n - 1];
}

static void release_session(struct ccfc_obs_session *s)
{
	if (s->pidfd >= 0)
		close(s->pidfd);
	free(s->id);
}

/* The client may write lines until its process has ended. */
static void drop_session(struct ccfc_obs *obs, struct ccfc_obs_project *p,
			 uint32_t i)
{
	struct ccfc_obs_session *s = &p->sessions.items[i];
	struct ccfc_obs_leaving leaving = { { s->id, s->pid }, s->pidfd };

	if (s->pid && obs->leaving.n < LEAVING)
		CCFC_VEC_PUSH(obs->leaving, leaving);
	else
		release_session(s);
	*s = p->sessions.items[--p->sessions.n];
}

static void drop_project(struct ccfc_obs *obs, uint32_t i)
{
	struct ccfc_obs_project *p = obs->projects.items[i];

	ccfc_obs_leave(obs, p);
	while (p->sessions.n)
		release_session(&p->sessions.items[--p->sessions.n]);
	free(p->sessions.items);
	free(p->root);
	free(p->problem);
	free(p);
	obs->projects.items[i] = obs->projects.items[--obs->projects.n];
}

/* --- live sessions --- */

static bool is_ignored(const struct ccfc_obs *obs, const char *session,
		       const char *cwd)
{
	return obs->env.ignores &&
	       obs->env.ignores(obs->env.ctx, ccfc_slice_str(session),
				ccfc_slice_str(cwd));
}

static bool is_noted(const struct ccfc_obs *obs, const char *id)
{
	for (uint32_t i = 0; i < CCFC_OBS_NOTED; i++)
		if (obs->noted[i] && !strcmp(obs->noted[i], id))
			return true;
	return false;
}

static void note_session(struct ccfc_obs *obs, const char *id)
{
	char **slot = &obs->noted[obs->nnoted % CCFC_OBS_NOTED];

	if (is_noted(obs, id))
		return;
	free(*slot);
	*slot = ccfc_strdup(id);
	obs->nnoted++;
}

static bool is_live(const struct ccfc_obs *obs,
		    const struct ccfc_obs_session *s,
		    const struct ccfc_live_sessions *live)
{
	if (!s->pid)
		return s->expires > ccfc_time_monotonic() &&
		       !is_noted(obs, s->id);
	for (uint32_t i = 0; i < live->n; i++)
		if (live->items[i].pid == s->pid &&
		    !strcmp(live->items[i].id, s->id))
			return true;
	return false;
}

/* Reports clients whose process has ended. */
static void report_ended_sessions(struct ccfc_obs *obs)
{
	struct ccfc_process_start start;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < obs->leaving.n; i++) {
		struct ccfc_obs_leaving *l = &obs->leaving.items[i];

		if (ccfc_process_started(&start, l->end.pid) &&
		    !ccfc_process_is_over(l->pidfd)) {
			obs->leaving.items[kept++] = *l;
			continue;
		}
		if (l->pidfd >= 0)
			close(l->pidfd);
		obs->ended(obs->ctx, &l->end);
	}
	obs->leaving.n = kept;
}

void ccfc_obs_drop_ended(struct ccfc_obs *obs,
			 const struct ccfc_live_sessions *live)
{
	bool dropped = false;

	for (uint32_t i = obs->projects.n; i-- > 0;) {
		struct ccfc_obs_project *p = obs->projects.items[i];

		for (uint32_t k = p->sessions.n; k-- > 0;)
			if (!is_live(obs, &p->sessions.items[k], live))
				drop_session(obs, p, k);
		if (p->sessions.n)
			continue;
		drop_project(obs, i);
		dropped = true;
	}
	report_ended_sessions(obs);
	/*
	 * There may be room below a bound now, and an outer project may have to
	 * watch directories of the dropped project.
	 */
	for (uint32_t i = 0; dropped && i < obs->projects.n; i++)
		if (obs->projects.items[i]->top)
			ccfc_obs_queue(obs, obs->projects.items[i]->top, true);
	if (obs->projects.n || obs->base < 0)
		return;
	close(obs->base);
	obs->base = -1;
	obs->base_len = 0;
	obs->base_cut = false;
}

static bool has_any_session_ended(const struct ccfc_obs *obs,
				  const struct ccfc_live_sessions *live)
{
	for (uint32_t i = 0; i < obs->projects.n; i++) {
		const struct ccfc_obs_project *p = obs->projects.items[i];

		for (uint32_t k = 0; k < p->sessions.n; k++)
			if (!is_live(obs, &p->sessions.items[k], live))
				return true;
	}
	return false;
}

bool ccfc_obs_sessions(struct ccfc_obs *obs, struct ccfc_live_sessions *live)
{
	for (size_t i = 0; i < obs->env.nroots; i++)
		ccfc_live_read(live, obs->env.roots[i]);
	for (uint32_t i = 0; i < live->n; i++) {
		const struct ccfc_live_session *l = &live->items[i];
		struct ccfc_obs_project *p;

		note_session(obs, l->id);
		if (is_ignored(obs, l->id, l->cwd))
			continue;
		p = find_or_add_project(obs, l->cwd);
		if (p && !find_session(p, l->id, l->pid))
			add_session(p, l->id, l->pid);
	}
	return has_any_session_ended(obs, live);
}

void ccfc_obs_active(struct ccfc_obs *obs, const char *session, const char *cwd)
{
	struct ccfc_obs_project *p;
	struct ccfc_obs_session *s;

	if (is_noted(obs, session) || cwd[0] != '/' ||
	    is_ignored(obs, session, cwd))
		return;
	p = find_or_add_project(obs, cwd);
	if (!p)
		return;
	s = find_session(p, session, 0);
	if (!s)
		s = add_session(p, session, 0);
	if (s)
		s->expires = ccfc_time_monotonic() + LINES_MS;
}

const char *ccfc_obs_session_of(const struct ccfc_obs *obs, long pid)
{
	for (uint32_t i = 0; i < obs->projects.n; i++) {
		const struct ccfc_obs_project *p = obs->projects.items[i];

		for (uint32_t k = 0; k < p->sessions.n; k++)
			if (p->sessions.items[k].pid == pid)
				return p->sessions.items[k].id;
	}
	return NULL;
}

int ccfc_obs_sessions_timeout(const struct ccfc_obs *obs)
{
	int64_t now = ccfc_time_monotonic(), due = INT64_MAX;

	for (uint32_t i = 0; i < obs->projects.n; i++) {
		const struct ccfc_obs_project *p = obs->projects.items[i];

		for (uint32_t k = 0; k < p->sessions.n; k++)
			if (!p->sessions.items[k].pid &&
			    p->sessions.items[k].expires < due)
				due = p->sessions.items[k].expires;
	}
	if (due == INT64_MAX)
		return -1;
	return due > now ? (int)(due - now) : 0;
}

void ccfc_obs_release(struct ccfc_obs *obs)
{
	while (obs->projects.n)
		drop_project(obs, obs->projects.n - 1);
	for (uint32_t i = 0; i < CCFC_OBS_NOTED; i++)
		free(obs->noted[i]);
	if (obs->base >= 0)
		close(obs->base);
	ccfc_watch_free(obs->watch);
	ccfc_ignore_free(obs->exclude);
	ccfc_buf_release(&obs->content);
	for (uint32_t i = 0; i < obs->pending.n; i++)
		free(obs->pending.items[i].sighting.path);
	free(obs->pending.items);
	for (uint32_t i = 0; i < obs->leaving.n; i++) {
		if (obs->leaving.items[i].pidfd >= 0)
			close(obs->leaving.items[i].pidfd);
		free(obs->leaving.items[i].end.session);
	}
	free(obs->leaving.items);
	free(obs->projects.items);
	free(obs->queue.items);
	free(obs->dirs);
	free(obs->files);
}
