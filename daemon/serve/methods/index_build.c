/*
 * index.build: a request that is answered when the build is done. Until then
 * the request is kept here, by connection and request id. If the peer
 * disconnects, the answer is dropped: connection numbers are never reused.
 */
#include "serve/methods/subscriptions.h"
#include "serve/rpc/reply.h"

#include "base/alloc.h"
#include "base/path.h"

#include <stdlib.h>
#include <time.h>

#define BUILDS_MAX	 64
#define PROGRESS_MS	 100
#define PROGRESS_BACKLOG (64u << 10)

struct ccfc_build {
	struct ccfc_build *next;
	struct ccfc_methods *methods;
	uint64_t conn;
	uint32_t id;
	bool progress;
};

void ccfc_builds_release(struct ccfc_methods *m)
{
	while (m->builds) {
		struct ccfc_build *next = m->builds->next;

		free(m->builds);
		m->builds = next;
	}
}

static void unlink_build(struct ccfc_methods *m, struct ccfc_build *build)
{
	struct ccfc_build **at = &m->builds;

	while (*at != build)
		at = &(*at)->next;
	*at = build->next;
}

static void reply_build_done(void *arg)
{
	struct ccfc_build *build = arg;
	struct ccfc_service *service = build->methods->service;
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_pack pack;

	unlink_build(build->methods, build);
	ccfc_pack_init(&pack, &buf);
	ccfc_rpc_response_begin(&pack, build->id);
	ccfc_pack_map(&pack);
	ccfc_reply_stats(&pack, service);
	ccfc_pack_end(&pack);
	ccfc_rpc_response_end(&pack);
	ccfc_server_send_buf(service->server, build->conn, &buf);
	ccfc_buf_release(&buf);
	free(build);
}

static uint32_t count_builds(const struct ccfc_methods *m)
{
	uint32_t n = 0;

	for (const struct ccfc_build *b = m->builds; b; b = b->next)
		n++;
	return n;
}

static bool has_project(const struct ccfc_index *index,
			struct ccfc_slice project)
{
	for (uint32_t i = 1; i < index->sessions.n; i++) {
		uint32_t of = index->sessions.items[i].project;

		if (of &&
		    ccfc_path_is_below(ccfc_index_str(index, of), project))
			return true;
	}
	return false;
}

int ccfc_method_index_build(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_methods *m = rq->methods;
	struct ccfc_filter filter;
	struct ccfc_build *build;
	int r = ccfc_args_filter(&filter, rq, err);

	if (r)
		return r;
	if (filter.project.len && !has_project(rq->index, filter.project))
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "project %.*s: no session worked there",
				    (int)filter.project.len,
				    filter.project.ptr);
	if (count_builds(m) >= BUILDS_MAX)
		return ccfc_err_set(err, CCFC_EAGAIN,
				    "%s: %d builds wait already", rq->method,
				    BUILDS_MAX);
	build = ccfc_calloc(1, sizeof(*build));
	*build = (struct ccfc_build){ m->builds, m, rq->conn, rq->id,
				      rq->opt.progress };
	m->builds = build;
	rq->service->build(rq->service->ctx, filter.project, reply_build_done,
			   build);
	return CCFC_DEFERRED;
}

/* --- progress --- */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void send_progress(struct ccfc_methods *m, uint64_t conn,
			  const struct ccfc_scan_progress *at)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_pack pack;

	ccfc_pack_init(&pack, &buf);
	ccfc_rpc_notify_begin(&pack, CCFC_N_PROGRESS);
	ccfc_pack_map(&pack);
	ccfc_reply_progress(&pack, at);
	ccfc_pack_end(&pack);
	ccfc_rpc_notify_end(&pack);
	ccfc_server_send_buf(m->service->server, conn, &buf);
	ccfc_buf_release(&buf);
}

void ccfc_methods_progress(struct ccfc_methods *m)
{
	struct ccfc_scan_progress at = { 0 };
	int64_t now;

	if (!m->builds)
		return;
	now = now_ms();
	if (m->last_progress && now - m->last_progress < PROGRESS_MS)
		return;
	m->last_progress = now;
	m->service->progress(m->service->ctx, &at);
	for (const struct ccfc_build *b = m->builds; b; b = b->next)
		if (b->progress &&
		    ccfc_server_queued(m->service->server, b->conn) <
			    PROGRESS_BACKLOG)
			send_progress(m, b->conn, &at);
}
