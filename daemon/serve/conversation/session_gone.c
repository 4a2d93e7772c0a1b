/*
 * A session whose transcripts are gone: messages, timeline and tasks from the
 * stored texts, with `source` "gone". There is no tree and no agent's thread.
 * Packed on the worker's thread.
 */
#include "conversation/from_store.h"

#include "base/time.h"
#include "serve/conversation/session_messages.h"

static const char *event_type_of(const struct ccfc_conversation_job *job,
				 const struct ccfc_gone_message *m)
{
	if (!job->timeline)
		return m->role == CCFC_ROLE_USER ? "user" : "assistant";
	return m->role == CCFC_ROLE_USER && !(m->flags & (CCFC_TEXT_META |
							  CCFC_TEXT_SUMMARY))
		       ? "prompt"
		       : "text";
}

static void pack_message(struct ccfc_conversation_job *job,
			 const struct ccfc_gone_message *m)
{
	struct ccfc_pack *p = &job->pack;

	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "role",
			  m->role == CCFC_ROLE_USER ? "user" : "assistant");
	ccfc_conversation_put_name(job, "id", ccfc_slice_str(m->id));
	ccfc_pack_kv_cstr(p, "type", event_type_of(job, m));
	ccfc_conversation_put_time(job, m->time);
	ccfc_conversation_put(job, "content", m->content);
	if (job->d.opt.thinking && m->thinking.len)
		ccfc_conversation_put(job, "thinking", m->thinking);
	if (m->flags & CCFC_TEXT_META)
		ccfc_pack_kv_bool(p, "isMeta", true);
	if (m->flags & CCFC_TEXT_SUMMARY)
		ccfc_pack_kv_bool(p, "isCompactSummary", true);
	if (m->cut)
		ccfc_pack_kv_bool(p, "truncated", true);
	ccfc_pack_end(p);
}

static void pack_page(struct ccfc_conversation_job *job,
		      const struct ccfc_gone *gone)
{
	bool none = job->summary && !job->d.opt.content;

	ccfc_pack_uint(ccfc_conversation_key(job, job->timeline
							  ? "totalEvents"
							  : "totalMessages"),
		       gone->total);
	ccfc_pack_uint(ccfc_conversation_key(job, "offset"), gone->offset);
	ccfc_pack_array(ccfc_conversation_key(job, job->timeline ? "events"
								 : "messages"));
	for (uint32_t i = 0; i < gone->n && !none; i++)
		pack_message(job, &gone->items[i]);
	ccfc_pack_end(&job->pack);
}

/* The order of records is not known. */
static void pack_no_tree(struct ccfc_conversation_job *job)
{
	ccfc_pack_uint(ccfc_conversation_key(job, "totalNodes"), 0);
	ccfc_pack_uint(ccfc_conversation_key(job, "branches"), 0);
	ccfc_pack_array(ccfc_conversation_key(job, "nodes"));
	ccfc_pack_end(&job->pack);
}

static void pack_gone_summary(struct ccfc_conversation_job *job,
			      const struct ccfc_gone *gone)
{
	ccfc_conversation_pack_tasks(job, &gone->tasks);
	ccfc_pack_map(ccfc_conversation_key(job, "types"));
	ccfc_pack_end(&job->pack);
	ccfc_pack_uint(ccfc_conversation_key(job, "compactions"), 0);
}

int ccfc_conversation_answer_gone(struct ccfc_conversation_job *job,
				  struct ccfc_err *err)
{
	const struct ccfc_options *opt = &job->d.opt;
	struct ccfc_gone_ask ask = { .view = &job->texts,
				     .session = job->session,
				     .role = job->role,
				     .find = opt->message,
				     .offset = (uint64_t)opt->offset,
				     .limit = (uint64_t)opt->limit,
				     .max = (size_t)opt->max_content,
				     .left = job->left };
	struct ccfc_gone gone;
	int r;

	if (opt->agent.len)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "the transcripts of this session's agents "
				    "are gone");
	/* The summary has it. */
	if (!job->summary)
		ccfc_pack_cstr(ccfc_conversation_key(job, "source"), "gone");
	if (job->tree) {
		pack_no_tree(job);
		return 0;
	}
	r = ccfc_gone_read(&gone, &job->reader, &ask, &job->d.arena, err);
	if (r)
		return r;
	pack_page(job, &gone);
	if (job->summary)
		pack_gone_summary(job, &gone);
	return 0;
}
