/*
 * Shared by session.get, session.messages, session.timeline and session.tree:
 * one request, on its way from the core to a worker and back. The worker packs
 * `nkeys` keys and values, which the core puts into the result's map.
 */
#ifndef CCFC_SERVE_CONVERSATION_SESSION_MESSAGES_H
#define CCFC_SERVE_CONVERSATION_SESSION_MESSAGES_H

#include "conversation/conversation.h"
#include "serve/rpc/defer.h"

/* The state of a change, by its call. */
struct ccfc_conversation_state {
	uint64_t call; /* hash */
	int state;
};

struct ccfc_conversation_job {
	struct ccfc_deferred d; /* must be first */
	int (*answer)(struct ccfc_conversation_job *job, struct ccfc_err *err);
	uint32_t session;
	struct ccfc_slice id; /* of the session; all in d.arena */
	struct ccfc_conversation_source *sources;
	uint32_t nsources;
	struct ccfc_conversation_state *states; /* sorted */
	uint32_t nstates;
	struct ccfc_texts_view texts; /* if no source is left; else fd -1 */
	enum ccfc_conversation_role role;
	bool summary;  /* session.get */
	bool timeline; /* session.timeline */
	bool tree;     /* session.tree */

	/* The worker's: */
	struct ccfc_conversation *conv; /* NULL: to be read */
	struct ccfc_conversation_reader reader;
	const struct ccfc_attic *attic;
	struct ccfc_pack pack;	   /* into d.result */
	struct ccfc_arena scratch; /* of one line */
	size_t left;		   /* bytes of content for the reply */
	uint32_t nkeys;
	bool truncated;
};

/* Key and value of the reply's map: counts both. */
struct ccfc_pack *ccfc_conversation_key(struct ccfc_conversation_job *job,
					const char *key);

/* How many bytes the next text may have. */
size_t ccfc_conversation_room(const struct ccfc_conversation_job *job);

/* A text under `key`, counted. */
void ccfc_conversation_put(struct ccfc_conversation_job *job, const char *key,
			   struct ccfc_slice text);
/* The same for names: nothing when it is empty. */
void ccfc_conversation_put_name(struct ccfc_conversation_job *job,
				const char *key, struct ccfc_slice name);
void ccfc_conversation_put_time(struct ccfc_conversation_job *job,
				int64_t time);

/* message_reply.c: one Message, and the tasks. */
const char *ccfc_conversation_role_name(enum ccfc_conversation_kind kind);
void ccfc_conversation_message(struct ccfc_conversation_job *job,
			       uint32_t line);
void ccfc_conversation_pack_tasks(struct ccfc_conversation_job *job,
				  const struct ccfc_conversation_tasks *tasks);
void ccfc_conversation_put_agent(struct ccfc_conversation_job *job,
				 uint32_t line);

/* Sorts job->states for lookups. */
void ccfc_conversation_sort_states(struct ccfc_conversation_job *job);

/* session_messages.c: a page of messages, and its totals. */
int ccfc_conversation_pack_messages(struct ccfc_conversation_job *job,
				    uint32_t agent, uint32_t around,
				    struct ccfc_err *err);

/* session_get.c; the second on the core, when the worker has packed its part:
 * takes that over and answers with the sums of the index. */
int ccfc_conversation_answer_get(struct ccfc_conversation_job *job,
				 struct ccfc_err *err);
int ccfc_conversation_sum_up(struct ccfc_conversation_job *job,
			     struct ccfc_request *rq);

/* session_gone.c: the answer if all transcripts are gone. */
int ccfc_conversation_answer_gone(struct ccfc_conversation_job *job,
				  struct ccfc_err *err);

/* session_views.c */
int ccfc_conversation_answer_timeline(struct ccfc_conversation_job *job,
				      struct ccfc_err *err);
int ccfc_conversation_answer_tree(struct ccfc_conversation_job *job,
				  struct ccfc_err *err);

/* Frees the kept skeleton. */
void ccfc_conversation_forget(struct ccfc_methods *methods);
/*
 * The peer disconnected, or asks for something that is not a page of a session
 * (ccfc_conversation_is_page): a large skeleton was kept only for its next
 * page.
 */
void ccfc_conversation_drop_large(struct ccfc_methods *methods, uint64_t conn);
bool ccfc_conversation_is_page(ccfc_method_fn method);

#endif
