/*
 * Text search over messages, the input of tool calls and their results.
 *
 * Messages and thinking are read from the text store, which has all of them,
 * unescaped, also those of transcripts that are gone. The input of calls and
 * their results are read from the transcripts that still exist.
 *
 * A search is filled in on the core thread and run on another thread: it uses
 * only its own fields. Borrowed data must not change meanwhile.
 */
#ifndef CCFC_SEARCH_SEARCH_H
#define CCFC_SEARCH_SEARCH_H

#include "base/arena.h"
#include "base/err.h"
#include "search/match.h"
#include "source/attic.h"
#include "store/texts/texts.h"

#include <stdatomic.h>

enum ccfc_search_in {
	CCFC_IN_TEXT,
	CCFC_IN_THINKING,
	CCFC_IN_TOOL,	/* strings of a call's input */
	CCFC_IN_RESULT, /* text of a call's result */
	CCFC_IN_META,	/* title, project, branches … of a session */
	CCFC_IN_COUNT
};

#define CCFC_IN_BIT(in)	 (1u << (in))
#define CCFC_WORDS_MAX	 16u   /* further patterns */
#define CCFC_SNIPPET_MAX 4096u /* bytes, with lines around */

/* A transcript. */
struct ccfc_search_source {
	const char *path;
	uint32_t id; /* of the index; so are `session` and `gen` */
	uint32_t session;
	uint32_t gen;
	uint64_t end; /* searched up to here */
};

struct ccfc_search {
	/* The question: */
	struct ccfc_slice pattern;
	/* further patterns; a text must match all */
	const struct ccfc_slice *words;
	uint32_t nwords;
	uint32_t lines; /* around a match, in its snippet */
	bool regex, case_sensitive;
	bool by_rank;
	bool any_role, any_time;
	enum ccfc_text_role role;
	int64_t from, to; /* inclusive */
	uint32_t in;	  /* bits */
	uint64_t offset, limit;
	/* The places: */
	struct ccfc_texts_view texts;
	/* attic for deleted transcripts; or NULL */
	const struct ccfc_attic *attic;
	const struct ccfc_search_source *sources; /* by id */
	uint32_t nsources;
	const struct ccfc_slice *session_ids; /* of all sessions */
	/* by session; NULL: all are wanted */
	const bool *wanted;
	/*
	 * By session, for CCFC_IN_META (else NULL): facts, followed by
	 * CCFC_NEEDLE_SLACK readable bytes; and the time of its start.
	 */
	const struct ccfc_slice *metas;
	const int64_t *starts;
	uint32_t nsessions;
	/* The limits: */
	const atomic_bool *cancelled;
	uint64_t max_bytes;
	int64_t max_ms;
	size_t max_line, max_reply;
	uint32_t threads; /* at most; fewer for small transcripts */
};

/* At most so many matches are marked in a snippet, and counted in a text. */
#define CCFC_SNIPPET_SPANS 64u
#define CCFC_SNIPPET_BYTES 200u
#define CCFC_COUNT_MAX	   100000u

/* A text that matches. */
struct ccfc_found {
	struct ccfc_slice snippet;
	struct ccfc_span *spans; /* in the snippet */
	uint32_t nspans;
	uint32_t count; /* matches in the text */
	enum ccfc_search_in in;
	enum ccfc_text_role role;
	int64_t time;
	uint32_t session, source, gen; /* of the index */
	struct ccfc_slice uuid, tool;  /* may be empty */
};

struct ccfc_search_result {
	struct ccfc_arena arena; /* for all fields below */
	struct ccfc_found *items;
	uint32_t n;
	uint64_t total, sessions;
	uint64_t scanned_bytes, scanned_texts, damaged;
	bool truncated;
};

/*
 * CCFC_EINVAL: the pattern is wrong. CCFC_ETOOBIG: it needs too many steps.
 * Finding nothing is not an error. The caller releases `out` in any case.
 */
int ccfc_search_run(struct ccfc_search_result *out,
		    const struct ccfc_search *search, struct ccfc_err *err);
void ccfc_search_release(struct ccfc_search_result *out);

#endif
