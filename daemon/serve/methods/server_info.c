/* index.stats, server.info, server.roots and server.stop. */
#include "serve/rpc/reply.h"

#include "base/alloc.h"
#include "serve/rpc/slices.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
/* Bytes resident now. */
static uint64_t memory_bytes(void)
{
	char line[128], *resident;
	FILE *f = fopen("/proc/self/statm", "re");
	bool read;

	if (!f)
		return 0;
	/* "size resident shared …", in pages. */
	read = fgets(line, sizeof(line), f);
	fclose(f);
	resident = read ? strchr(line, ' ') : NULL;
	if (!resident)
		return 0;
	return strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}
#else
/* The maximum that was resident: Linux alone shows the present value. */
static uint64_t memory_bytes(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return 0;
#ifdef __APPLE__
	return (uint64_t)usage.ru_maxrss;
#else
	return (uint64_t)usage.ru_maxrss * 1024;
#endif
}
#endif

static void pack_states(struct ccfc_pack *p, const struct ccfc_totals *t)
{
	ccfc_pack_cstr(p, "changesByState");
	ccfc_pack_map(p);
	for (int i = 0; i < CCFC_STATE_COUNT; i++)
		ccfc_pack_kv_uint(p, ccfc_state_text(i), t->by_state[i]);
	ccfc_pack_end(p);
	ccfc_pack_kv_uint(p, "shellChanges", t->shell_changes);
	ccfc_pack_kv_uint(p, "commands", t->commands);
	ccfc_pack_kv_uint(p, "unknownCommands", t->unknown_commands);
}

static void pack_sources(struct ccfc_pack *p, const struct ccfc_totals *t)
{
	uint64_t read = t->too_long;

	for (int i = 0; i < CCFC_RECORD_KINDS; i++)
		read += t->lines[i];
	ccfc_pack_cstr(p, "sources");
	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "present", t->sources_present);
	ccfc_pack_kv_uint(p, "gone", t->sources_gone);
	ccfc_pack_kv_uint(p, "bytes", t->bytes);
	ccfc_pack_end(p);
	ccfc_pack_cstr(p, "lines");
	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "read", read);
	ccfc_pack_kv_uint(p, "blank", t->lines[CCFC_RECORD_BLANK]);
	ccfc_pack_kv_uint(p, "malformed", t->lines[CCFC_RECORD_MALFORMED]);
	ccfc_pack_kv_uint(p, "unknown", t->lines[CCFC_RECORD_UNKNOWN]);
	ccfc_pack_kv_uint(p, "damaged", t->damaged);
	ccfc_pack_kv_uint(p, "tooLong", t->too_long);
	ccfc_pack_end(p);
}

static void pack_unknown_types(struct ccfc_pack *p,
			       const struct ccfc_index *index)
{
	ccfc_pack_cstr(p, "unknownTypes");
	ccfc_pack_map(p);
	for (uint32_t i = 0; i < index->unknown_types.n; i++) {
		const struct ccfc_unknown_type *t =
			&index->unknown_types.items[i];

		ccfc_pack_str(p, ccfc_index_str(index, t->type));
		ccfc_pack_uint(p, t->n);
	}
	ccfc_pack_end(p);
}

static void pack_texts(struct ccfc_pack *p, struct ccfc_service *service)
{
	struct ccfc_texts_view view = { .fd = -1 };

	if (service->texts)
		service->texts(service->ctx, &view);
	ccfc_pack_kv_uint(p, "textBytes", view.end);
	ccfc_pack_kv_uint(p, "textDead", view.dead);
	ccfc_texts_view_release(&view);
}

void ccfc_reply_stats(struct ccfc_pack *p, struct ccfc_service *service)
{
	struct ccfc_totals t;

	ccfc_query_totals(&t, service->index);
	ccfc_pack_kv_uint(p, "totalSessions", t.sessions);
	ccfc_pack_kv_uint(p, "totalFiles", t.files);
	ccfc_pack_kv_uint(p, "totalChanges", t.by_state[CCFC_STATE_APPLIED]);
	ccfc_pack_kv_time(p, "lastIndexed",
			  service->last_indexed(service->ctx));
	ccfc_pack_kv_uint(p, "indexSize", service->store_bytes(service->ctx));
	pack_texts(p, service);
	pack_states(p, &t);
	pack_sources(p, &t);
	pack_unknown_types(p, service->index);
	ccfc_pack_kv_uint(p, "memory", memory_bytes());
	ccfc_reply_clock(p, service);
}

int ccfc_method_index_stats(struct ccfc_request *rq, struct ccfc_err *err)
{
	(void)err;
	ccfc_pack_map(rq->pack);
	ccfc_reply_stats(rq->pack, rq->service);
	ccfc_pack_end(rq->pack);
	return 0;
}

static void pack_roots(struct ccfc_pack *p, const struct ccfc_service *service)
{
	ccfc_pack_array(p);
	for (size_t i = 0; i < service->nroots; i++) {
		struct stat st;

		ccfc_pack_map(p);
		ccfc_pack_kv_cstr(p, "path", service->roots[i]);
		ccfc_pack_kv_bool(p, "exists",
				  stat(service->roots[i], &st) == 0);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
}

static uint32_t count_project_sessions(const struct ccfc_index *index,
				       uint32_t project)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < index->sessions.n; i++)
		n += index->sessions.items[i].project == project;
	return n;
}

/* Excluded projects whose sessions were read before the exclusion. */
static void pack_excluded(struct ccfc_pack *p,
			  const struct ccfc_service *service)
{
	const struct ccfc_index *index = service->index;
	struct ccfc_ids seen = { 0 };

	ccfc_pack_cstr(p, "excluded");
	ccfc_pack_array(p);
	for (uint32_t i = 1; service->excluded && i < index->sessions.n; i++) {
		uint32_t project = index->sessions.items[i].project;
		uint32_t k = 0;

		while (k < seen.n && seen.items[k] != project)
			k++;
		if (!project || k < seen.n)
			continue;
		CCFC_VEC_PUSH(seen, project);
		if (!service->excluded(service->ctx,
				       ccfc_index_str(index, project)))
			continue;
		ccfc_pack_map(p);
		ccfc_reply_id(p, "projectPath", index, project);
		ccfc_pack_kv_uint(p, "sessions",
				  count_project_sessions(index, project));
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
	free(seen.items);
}

static void pack_watch(struct ccfc_pack *p, struct ccfc_service *service)
{
	struct ccfc_tree_stats watch = { 0 };

	service->watch_stats(service->ctx, &watch);
	ccfc_pack_cstr(p, "watch");
	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "dirs", watch.dirs_watched);
	ccfc_pack_kv_uint(p, "polled", watch.dirs_polled);
	ccfc_pack_kv_uint(p, "denied", watch.dirs_denied);
	ccfc_pack_kv_uint(p, "overflows", watch.overflows);
	ccfc_pack_kv_uint(p, "rescans", watch.rescans);
	ccfc_pack_end(p);
}

static void pack_state(struct ccfc_pack *p, struct ccfc_service *service)
{
	struct ccfc_state_news news = { 0 };

	ccfc_pack_kv_cstr(p, "stateDir", service->state_dir);
	if (service->state)
		service->state(service->ctx, &news);
	if (news.problem)
		ccfc_pack_kv_cstr(p, "stateProblem", news.problem);
	if (news.lost)
		ccfc_pack_kv_time(p, "stateLost", news.lost);
	if (news.restored)
		ccfc_pack_kv_time(p, "stateRestored", news.restored);
}

static void pack_project(struct ccfc_pack *p,
			 const struct ccfc_observed_project *project)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", project->root);
	ccfc_pack_kv_uint(p, "sessions", project->sessions);
	ccfc_pack_kv_uint(p, "dirs", project->dirs);
	ccfc_pack_kv_uint(p, "files", project->files);
	ccfc_pack_kv_bool(p, "cut", project->cut);
	ccfc_pack_kv_bool(p, "silent", project->silent);
	if (project->problem)
		ccfc_pack_kv_cstr(p, "problem", project->problem);
	ccfc_pack_end(p);
}

static void pack_observed(struct ccfc_pack *p, struct ccfc_service *service)
{
	static const char *const modes[] = { "off", "paths", "content" };
	struct ccfc_observe_stats stats = { 0 };
	struct ccfc_blob_stats kept = { 0 };

	ccfc_pack_cstr(p, "observe");
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "mode", modes[service->observe_mode]);
	if (service->observed &&
	    service->observed(service->ctx, &stats, &kept)) {
		ccfc_pack_kv_bool(p, "reading", stats.reading);
		ccfc_pack_kv_uint(p, "seen", stats.seen);
		ccfc_pack_kv_uint(p, "held", stats.bytes);
		ccfc_pack_kv_bool(p, "cut", stats.cut);
		ccfc_pack_kv_uint(p, "kept", kept.blobs);
		ccfc_pack_kv_uint(p, "keptBytes", kept.bytes);
	}
	ccfc_pack_kv_uint(p, "events", service->index->disk_events.n);
	ccfc_pack_cstr(p, "projects");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < stats.nprojects; i++)
		pack_project(p, &stats.projects[i]);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_observe_stats_release(&stats);
}

/* At most so many are named; all are counted. */
#define UNREAD_MAX 100u

static void pack_failure(struct ccfc_pack *p, const struct ccfc_failure *f)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", f->path);
	ccfc_pack_kv_cstr(p, "error", f->why);
	ccfc_pack_kv_time(p, "since", f->since);
	ccfc_pack_kv_uint(p, "tries", f->tries);
	ccfc_pack_kv_time(p, "nextTry", ccfc_failure_next(f));
	ccfc_pack_end(p);
}

static void pack_unread(struct ccfc_pack *p, struct ccfc_service *service)
{
	const struct ccfc_failed none = { 0 }, *failed[2] = { &none, &none };
	uint32_t left = UNREAD_MAX;

	if (service->failed)
		service->failed(service->ctx, failed);
	ccfc_pack_cstr(p, "unread");
	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "total", failed[0]->n + failed[1]->n);
	ccfc_pack_cstr(p, "paths");
	ccfc_pack_array(p);
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < failed[k]->n && left; i++, left--)
			pack_failure(p, &failed[k]->items[i]);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void pack_unsent(struct ccfc_pack *p, const struct ccfc_service *service)
{
	uint64_t bytes, memory;

	ccfc_server_unsent(service->server, &bytes, &memory);
	ccfc_pack_cstr(p, "unsent");
	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "bytes", bytes);
	ccfc_pack_kv_uint(p, "memory", memory);
	ccfc_pack_end(p);
}

/* Only fields with news. */
static void pack_store(struct ccfc_pack *p, struct ccfc_service *service)
{
	struct ccfc_store_past past = { 0 };
	const char *error = "";

	if (service->store_past)
		error = service->store_past(service->ctx, &past);
	ccfc_pack_cstr(p, "store");
	ccfc_pack_map(p);
	if (past.damaged_at) {
		ccfc_pack_kv_time(p, "damagedAt", past.damaged_at);
		ccfc_pack_kv_uint(p, "lostRows", past.lost_rows);
		ccfc_pack_kv_uint(p, "lostTexts", past.lost_texts);
	}
	if (*error)
		ccfc_pack_kv_cstr(p, "error", error);
	ccfc_pack_end(p);
}

#define DAY (24 * 60 * 60)

/* The archive of deleted transcripts. */
static void pack_archive(struct ccfc_pack *p,
			 const struct ccfc_service *service)
{
	static const char *const modes[] = {
		[CCFC_ARCHIVE_ALL] = "all",
		[CCFC_ARCHIVE_CHANGES] = "changes",
		[CCFC_ARCHIVE_OFF] = "off",
	};
	struct ccfc_archive_limits limits;
	struct ccfc_archive_stats stats;

	if (!service->archive)
		return;
	ccfc_archive_stats(service->archive, &stats);
	ccfc_archive_limits(service->archive, &limits);
	ccfc_pack_cstr(p, "archive");
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "mode", modes[limits.mode]);
	ccfc_pack_kv_uint(p, "transcripts", stats.transcripts);
	ccfc_pack_kv_uint(p, "bytes", stats.bytes);
	ccfc_pack_kv_uint(p, "lineBytes", stats.lines_bytes);
	ccfc_pack_kv_uint(p, "budget", limits.bytes);
	ccfc_pack_kv_int(p, "age", limits.age / DAY);
	ccfc_pack_kv_uint(p, "waiting", stats.waiting);
	ccfc_pack_kv_uint(p, "purged", stats.purged);
	ccfc_pack_kv_bool(p, "due", stats.due);
	if (stats.oldest)
		ccfc_pack_kv_time(p, "oldest", stats.oldest * 1000);
	if (stats.leaves)
		ccfc_pack_kv_time(p, "leaves", stats.leaves * 1000);
	if (stats.next) {
		ccfc_pack_kv_uint(p, "next", stats.next);
		ccfc_pack_kv_time(p, "nextUntil", stats.next_until * 1000);
	}
	if (!stats.ready)
		ccfc_pack_kv_bool(p, "counting", true);
	if (stats.error[0])
		ccfc_pack_kv_cstr(p, "error", stats.error);
	ccfc_pack_end(p);
}

static void pack_jobs(struct ccfc_pack *p, const struct ccfc_methods *m)
{
	uint32_t running, waiting, in_slices, held;

	ccfc_worker_count(m->service->worker, &running, &waiting);
	ccfc_slices_count(m, &in_slices, &held);
	ccfc_pack_cstr(p, "jobs");
	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "running", running + in_slices);
	ccfc_pack_kv_uint(p, "waiting", waiting + held);
	ccfc_pack_end(p);
}

static void pack_web(struct ccfc_pack *p, struct ccfc_service *service)
{
	struct ccfc_buf url = CCFC_BUF_INIT;
	int port = -1;

	if (service->web_port)
		port = service->web_port(service->ctx, &url);
	ccfc_buf_release(&url);
	if (port >= 0)
		ccfc_pack_kv_int(p, "webPort", port);
}

int ccfc_method_server_info(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_service *service = rq->service;
	struct ccfc_pack *p = rq->pack;

	(void)err;
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "name", "ccfcd");
	ccfc_pack_kv_cstr(p, "version", CCFC_VERSION);
	ccfc_pack_kv_int(p, "protocol", CCFC_PROTOCOL_VERSION);
	ccfc_pack_kv_int(p, "pid", getpid());
	ccfc_pack_kv_time(p, "startedAt", service->started);
	ccfc_pack_kv_cstr(p, "socket", service->socket_path);
	pack_state(p, service);
	ccfc_pack_cstr(p, "roots");
	pack_roots(p, service);
	pack_excluded(p, service);
	pack_watch(p, service);
	pack_observed(p, service);
	pack_unread(p, service);
	pack_store(p, service);
	pack_archive(p, service);
	ccfc_pack_kv_uint(p, "clients", ccfc_server_clients(service->server));
	pack_unsent(p, service);
	ccfc_pack_kv_uint(p, "subscribers",
			  ccfc_methods_subscribers(rq->methods));
	pack_jobs(p, rq->methods);
	pack_web(p, service);
	ccfc_pack_kv_bool(p, "inferring",
			  service->inferring &&
				  service->inferring(service->ctx));
	ccfc_reply_stats(p, service);
	ccfc_pack_end(p);
	return 0;
}

int ccfc_method_server_roots(struct ccfc_request *rq, struct ccfc_err *err)
{
	(void)err;
	pack_roots(rq->pack, rq->service);
	return 0;
}

int ccfc_method_server_stop(struct ccfc_request *rq, struct ccfc_err *err)
{
	(void)err;
	ccfc_pack_map(rq->pack);
	ccfc_pack_kv_bool(rq->pack, "stopping", true);
	ccfc_pack_end(rq->pack);
	rq->stop = true;
	return 0;
}
