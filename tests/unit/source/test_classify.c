/* What a path below <claude>/projects is: a table. */
#include "source/classify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define ID "0a1b2c3d-0000-4000-8000-00000000000f"

static const struct {
	const char *rel;
	enum ccfc_name_kind kind;
	const char *session;
	const char *agent;
} table[] = {
	/* directories */
	{ "", CCFC_NAME_DIR, "", "" },
	{ "-home-u-p", CCFC_NAME_DIR, "", "" },
	{ "p/" ID, CCFC_NAME_DIR, ID, "" },
	{ "p/" ID "/subagents", CCFC_NAME_DIR, ID, "" },
	{ "p/" ID "/subagents/workflows", CCFC_NAME_DIR, ID, "" },
	{ "p/" ID "/subagents/workflows/wf", CCFC_NAME_DIR, ID, "" },
	/* sessions */
	{ "p/" ID ".jsonl", CCFC_NAME_SESSION, ID, "" },
	{ "p/any thing.jsonl", CCFC_NAME_SESSION, "any thing", "" },
	{ "p/\xff\xfe.jsonl", CCFC_NAME_SESSION, "\xff\xfe", "" },
	{ "p/agent.jsonl", CCFC_NAME_SESSION, "agent", "" },
	{ "memory/" ID ".jsonl", CCFC_NAME_SESSION, ID, "" },
	/* agents */
	{ "p/agent-1f2e3d4c.jsonl", CCFC_NAME_AGENT, "", "1f2e3d4c" },
	{ "p/" ID "/subagents/agent-a1.jsonl", CCFC_NAME_AGENT, ID, "a1" },
	{ "p/" ID "/subagents/agent-acompact-9.jsonl", CCFC_NAME_AGENT, ID,
	  "acompact-9" },
	{ "p/" ID "/subagents/workflows/wf/agent-a2.jsonl", CCFC_NAME_AGENT, ID,
	  "a2" },
	/* not ours */
	{ "p/journal.jsonl", CCFC_NAME_OTHER, "", "" },
	{ "p/history.jsonl", CCFC_NAME_OTHER, "", "" },
	{ "p/sessions-index.json", CCFC_NAME_OTHER, "", "" },
	{ "p/.hidden.jsonl", CCFC_NAME_OTHER, "", "" },
	{ "p/.jsonl", CCFC_NAME_OTHER, "", "" },
	{ "p/agent-.jsonl", CCFC_NAME_OTHER, "", "" },
	{ "p/memory", CCFC_NAME_OTHER, "", "" },
	{ "p/memory/subagents", CCFC_NAME_OTHER, "", "" },
	{ "p/tool-results", CCFC_NAME_OTHER, "", "" },
	{ "p/" ID "/tool-results", CCFC_NAME_OTHER, "", "" },
	{ "p/" ID "/tool-results/x.txt", CCFC_NAME_OTHER, "", "" },
	{ "p/" ID "/" ID ".jsonl", CCFC_NAME_OTHER, "", "" },
	{ "p/" ID "/agent-a1.jsonl", CCFC_NAME_OTHER, "", "" },
	{ "p/" ID ".jsonl/subagents", CCFC_NAME_OTHER, "", "" },
	{ "p/" ID "/subagents/" ID ".jsonl", CCFC_NAME_OTHER, "", "" },
	{ "p/" ID "/subagents/agent-a1.meta.json", CCFC_NAME_OTHER, "", "" },
	{ "p/" ID "/subagents/journal.jsonl", CCFC_NAME_OTHER, "", "" },
	{ "p/" ID "/subagents/other/wf", CCFC_NAME_OTHER, "", "" },
	{ "p/" ID "/subagents/other/wf/agent-a1.jsonl", CCFC_NAME_OTHER, "",
	  "" },
	{ "p/" ID "/subagents/workflows/wf/journal.jsonl", CCFC_NAME_OTHER, "",
	  "" },
	{ "p/" ID "/subagents/workflows/wf/deeper/agent-a1.jsonl",
	  CCFC_NAME_OTHER, "", "" },
	/* no names at all */
	{ "/", CCFC_NAME_OTHER, "", "" },
	{ "p/", CCFC_NAME_OTHER, "", "" },
	{ "/p", CCFC_NAME_OTHER, "", "" },
	{ "p//x.jsonl", CCFC_NAME_OTHER, "", "" },
	{ "..", CCFC_NAME_OTHER, "", "" },
	{ "p/..", CCFC_NAME_OTHER, "", "" },
	{ "./x.jsonl", CCFC_NAME_OTHER, "", "" },
};

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct ccfc_name name =
			ccfc_name_classify(ccfc_slice_str(table[i].rel));

		if (name.kind != table[i].kind ||
		    !ccfc_slice_is(name.session, table[i].session) ||
		    !ccfc_slice_is(name.agent, table[i].agent))
			fail_msg("\"%s\": kind %d, session \"%.*s\", "
				 "agent \"%.*s\"",
				 table[i].rel, (int)name.kind,
				 (int)name.session.len,
				 name.session.ptr ? name.session.ptr : "",
				 (int)name.agent.len,
				 name.agent.ptr ? name.agent.ptr : "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
