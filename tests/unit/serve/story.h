/*
 * The transcripts that the tests of the methods ask about; a backtick stands
 * for a double quote. Session A has a Write, an Edit, a MultiEdit, a failed
 * Edit, a binary Write and one outside of its project; session B edits one of
 * A's files on another day; C works in another project.
 */
#ifndef CCFC_TEST_SERVE_STORY_H
#define CCFC_TEST_SERVE_STORY_H

#include "world.h"

#define SESSION_A "aaaaaaaa-0000-4000-8000-000000000001"
#define SESSION_B "aaaabbbb-0000-4000-8000-000000000002"
#define SESSION_C "cccccccc-0000-4000-8000-000000000003"

#define HEAD(session, cwd, branch, time)                                       \
	"{`sessionId`:`" session "`,`cwd`:`" cwd "`,`gitBranch`:`" branch      \
	"`,`version`:`2.1.0`,`timestamp`:`" time "`,"

#define CALL(n, id, tool, input)                                               \
	"`type`:`assistant`,`uuid`:`00000000-0000-4000-8000-0000000000" n      \
	"`,`message`:{`id`:`m" n                                               \
	"`,`role`:`assistant`,`model`:`opus`,`content`:[{"                     \
	"`type`:`tool_use`,`id`:`" id "`,`name`:`" tool "`,`input`:" input     \
	"}]}}\n"

#define RESULT(id, detail)                                                     \
	"`type`:`user`,`uuid`:`u-" id "`,`message`:{`role`:`user`,"            \
	"`content`:[{`type`:`tool_result`,`tool_use_id`:`" id                  \
	"`,`content`:`ok`}]},`toolUseResult`:" detail "}\n"

#define FAILURE(id)                                                            \
	"`type`:`user`,`uuid`:`u-" id "`,`message`:{`role`:`user`,"            \
	"`content`:[{`type`:`tool_result`,`tool_use_id`:`" id                  \
	"`,`content`:`no such string`,`is_error`:true}]},"                     \
	"`toolUseResult`:`Error: no such string`}\n"

#define A(time) HEAD(SESSION_A, "/p", "main", "2025-12-10T10:00:" time ".000Z")
#define B(time) HEAD(SESSION_B, "/p", "dev", "2025-12-12T10:00:" time ".000Z")
#define C(time) HEAD(SESSION_C, "/q", "dev", "2025-12-13T10:00:" time ".000Z")

static const char story_a[] = A(
	"00") "`type`:`user`,`uuid`:`p1`,`message`:{`role`:`user`,"
	      "`content`:`do it`}}\n" A("01") CALL(
		      "01", "t1", "Write",
		      "{`file_path`:`/p/"
		      "README.md`,`content`:`one\\ntwo\\n`}") A("02")
		      RESULT("t1",
			     "{`type`:`create`,`filePath`:`/p/README.md`,"
			     "`content`:`one\\ntwo\\n`,`structuredPatch`:"
			     "[]}") A("03") CALL("02", "t2", "Edit",
						 "{`file_path`:`/p/src/"
						 "a.ts`,`old_string`:`x`,"
						 "`new_string`:`y\\u00fc`"
						 "}") A("04") RESULT("t2", "{`"
									   "fil"
									   "ePa"
									   "th`"
									   ":`/"
									   "p/"
									   "src"
									   "/a."
									   "ts`"
									   ",`"
									   "old"
									   "Str"
									   "ing"
									   "`:`"
									   "x`,"
									   "`ne"
									   "wSt"
									   "rin"
									   "g`:"
									   "`y"
									   "\\u"
									   "00f"
									   "c`,"
									   "`or"
									   "igi"
									   "nal"
									   "Fil"
									   "e`:"
									   "`x`"
									   ","
									   "`st"
									   "ruc"
									   "tur"
									   "edP"
									   "atc"
									   "h`:"
									   "[{`"
									   "old"
									   "Sta"
									   "rt`"
									   ":1,"
									   "`ol"
									   "dLi"
									   "nes"
									   "`:"
									   "1,"
									   "`ne"
									   "wSt"
									   "art"
									   "`:"
									   "1,`"
									   "new"
									   "Lin"
									   "es`"
									   ":1,"
									   "`li"
									   "nes"
									   "`:["
									   "`-"
									   "x`,"
									   "`+"
									   "y\\"
									   "u00"
									   "fc`"
									   "]}]"
									   "}")
			      A("05") CALL("03", "t3", "MultiEdit",
					   "{`file_path`:`/p/src/"
					   "a.ts`,`edits`:["
					   "{`old_string`:`1`,`new_string`:`2`}"
					   ","
					   "{`old_string`:`3`,`new_string`:`4`}"
					   "]}") A("06") RESULT("t3",
								"{`filePath`:`/"
								"p/src/"
								"a.ts`,`edits`:"
								"["
								"{`old_string`:"
								"`1`,`new_"
								"string`:`2`},"
								"{`old_string`:"
								"`3`,`new_"
								"string`:`4`}],"
								"`originalFileC"
								"ontents`:`13`,"
								"`structuredPat"
								"ch`:[{`"
								"oldStart`:1,`"
								"oldLines`:1,"
								"`newStart`:1,`"
								"newLines`:1,"
								"`lines`:[`-13`"
								",`+24`]}]}")
				      A("07") CALL("04", "t4", "Edit",
						   "{`file_path`:`/p/src/"
						   "b.ts`,`old_string`:`nope`,"
						   "`new_string`:`z`}") A("08")
					      FAILURE("t4") A("09") CALL(
						      "05", "t5", "Write",
						      "{`file_path`:`/p/src/"
						      "bin`,`content`:`"
						      "a\\u0000b`}") A("10")
						      RESULT("t5",
							     "{`type`:`create`,"
							     "`filePath`:`/p/"
							     "src/bin`,"
							     "`content`:`"
							     "a\\u0000b`,`"
							     "structuredPatch`:"
							     "[]}") A("11")
							      CALL("06", "t6",
								   "Write",
								   "{`file_"
								   "path`:`/"
								   "elsewher"
								   "e/"
								   "long."
								   "txt`,"
								   "`content"
								   "`:`"
								   "ab\\u00f"
								   "ccdefgh`"
								   "}") A("1"
									  "2")
								      RESULT("t"
									     "6",
									     "{"
									     "`"
									     "t"
									     "y"
									     "p"
									     "e"
									     "`"
									     ":"
									     "`"
									     "c"
									     "r"
									     "e"
									     "a"
									     "t"
									     "e"
									     "`"
									     ","
									     "`"
									     "f"
									     "i"
									     "l"
									     "e"
									     "P"
									     "a"
									     "t"
									     "h"
									     "`"
									     ":"
									     "`"
									     "/"
									     "e"
									     "l"
									     "s"
									     "e"
									     "w"
									     "h"
									     "e"
									     "r"
									     "e"
									     "/"
									     "l"
									     "o"
									     "n"
									     "g"
									     "."
									     "t"
									     "x"
									     "t"
									     "`"
									     ","
									     "`"
									     "c"
									     "o"
									     "n"
									     "t"
									     "e"
									     "n"
									     "t"
									     "`"
									     ":"
									     "`"
									     "a"
									     "b"
									     "\\u00fccdefgh`,"
									     "`"
									     "s"
									     "t"
									     "r"
									     "u"
									     "c"
									     "t"
									     "u"
									     "r"
									     "e"
									     "d"
									     "P"
									     "a"
									     "t"
									     "c"
									     "h"
									     "`"
									     ":"
									     "["
									     "]"
									     "}");

static const char story_b[] =
	B("00") "`type`:`user`,`uuid`:`p2`,`message`:{`role`:`user`,"
		"`content`:`more`}}\n" B("01") CALL(
			"11", "t7", "Edit",
			"{`file_path`:`src/a.ts`,`old_string`:`y`,"
			"`new_string`:`w`}") B("02")
			RESULT("t7",
			       "{`filePath`:`/p/src/a.ts`,`oldString`:`y`,"
			       "`newString`:`w`,`originalFile`:`y`,"
			       "`structuredPatch`:[]}");

static const char story_c[] =
	C("01") CALL("21", "t8", "Edit",
		     "{`file_path`:`/q/lib/only.ts`,`old_string`:`y`,"
		     "`new_string`:`w`}") C("02")
		RESULT("t8", "{`filePath`:`/q/lib/only.ts`,`oldString`:`y`,"
			     "`newString`:`w`,`originalFile`:`y`,"
			     "`structuredPatch`:[]}");

static inline void story_tell(struct world *w, const char *session,
			      const char *text)
{
	char *copy = strdup(text);

	for (char *p = copy; *p; p++)
		if (*p == '`')
			*p = '"';
	world_write(w, session, copy);
	free(copy);
}

static inline int story_setup(void **state)
{
	struct world *w = world_new();

	story_tell(w, SESSION_A, story_a);
	story_tell(w, SESSION_B, story_b);
	story_tell(w, SESSION_C, story_c);
	*state = w;
	return 0;
}

static inline int story_teardown(void **state)
{
	world_free(*state);
	return 0;
}

#endif
