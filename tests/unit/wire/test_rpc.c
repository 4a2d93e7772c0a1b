/*
 * Messages: what is packed comes apart again, and what is no message is
 * refused. Also the accessors of wire/obj.h on values of the wrong type.
 */
#include "wire/rpc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

struct message {
	struct ccfc_buf buf;
	struct ccfc_pack pack;
	struct ccfc_doc *doc;
	struct ccfc_rpc rpc;
	struct ccfc_err err;
};

static void start(struct message *m)
{
	memset(m, 0, sizeof(*m));
	ccfc_pack_init(&m->pack, &m->buf);
}

static int parse(struct message *m)
{
	ccfc_doc_free(m->doc);
	assert_int_equal(ccfc_doc_parse(&m->doc, ccfc_buf_view(&m->buf), NULL),
			 0);
	return ccfc_rpc_parse(&m->rpc, ccfc_doc_root(m->doc), &m->err);
}

static void finish(struct message *m)
{
	ccfc_doc_free(m->doc);
	ccfc_buf_release(&m->buf);
}

static void test_request(void **state)
{
	struct message m;

	(void)state;
	start(&m);
	ccfc_rpc_request_begin(&m.pack, UINT32_MAX, "file.sessions");
	ccfc_pack_map(&m.pack);
	ccfc_pack_kv_cstr(&m.pack, "path", "/a");
	ccfc_pack_end(&m.pack);
	ccfc_rpc_request_end(&m.pack);
	assert_int_equal(parse(&m), 0);
	assert_int_equal(m.rpc.type, CCFC_MSG_REQUEST);
	assert_true(m.rpc.id == UINT32_MAX);
	assert_true(ccfc_slice_is(m.rpc.method, "file.sessions"));
	assert_true(
		ccfc_slice_is(ccfc_obj_get_str(m.rpc.params, "path"), "/a"));
	finish(&m);
}

static void test_response(void **state)
{
	struct message m;

	(void)state;
	start(&m);
	ccfc_rpc_response_begin(&m.pack, 7);
	ccfc_pack_int(&m.pack, 42);
	ccfc_rpc_response_end(&m.pack);
	assert_int_equal(parse(&m), 0);
	assert_int_equal(m.rpc.type, CCFC_MSG_RESPONSE);
	assert_int_equal(m.rpc.id, 7);
	assert_false(m.rpc.failed);
	assert_int_equal(ccfc_obj_int(m.rpc.result, 0), 42);
	finish(&m);
}

static void test_notification(void **state)
{
	struct message m;

	(void)state;
	start(&m);
	ccfc_rpc_notify_begin(&m.pack, "nvim_exec_lua");
	ccfc_pack_cstr(&m.pack, "code");
	ccfc_pack_map(&m.pack);
	ccfc_pack_end(&m.pack);
	ccfc_rpc_notify_end(&m.pack);
	assert_int_equal(parse(&m), 0);
	assert_int_equal(m.rpc.type, CCFC_MSG_NOTIFICATION);
	assert_true(ccfc_slice_is(m.rpc.method, "nvim_exec_lua"));
	assert_int_equal(ccfc_obj_len(m.rpc.params), 2);
	finish(&m);
}

static void check_error(int code, const char *what, const char *hint,
			const char *seen)
{
	struct ccfc_err error = { .code = code };
	struct message m;

	snprintf(error.what, sizeof(error.what), "%s", what);
	snprintf(error.hint, sizeof(error.hint), "%s", hint);
	start(&m);
	ccfc_rpc_error(&m.pack, 3, &error);
	assert_int_equal(parse(&m), 0);
	assert_true(m.rpc.failed);
	assert_int_equal(m.rpc.id, 3);
	assert_int_equal(m.rpc.error.code, code);
	assert_string_equal(m.rpc.error.what, seen);
	assert_string_equal(m.rpc.error.hint, hint);
	assert_int_equal(ccfc_obj_type(ccfc_obj_at(ccfc_doc_root(m.doc), 2)),
			 CCFC_OBJ_STR);
	finish(&m);
}

static void test_error(void **state)
{
	char what[CCFC_ERR_WHAT_MAX], hint[CCFC_ERR_HINT_MAX];

	(void)state;
	memset(what, 'w', sizeof(what));
	memset(hint, 'h', sizeof(hint));
	what[sizeof(what) - 1] = hint[sizeof(hint) - 1] = '\0';
	check_error(CCFC_ENOTFOUND, "no such file", "", "no such file");
	check_error(CCFC_EAMBIGUOUS, "what", "one, or the other", "what");
	check_error(CCFC_EINVAL, "a path\nwith a newline", "hint",
		    "a path with a newline");
	check_error(CCFC_EIO, what, hint, what);
	check_error(CCFC_EAGAIN, "a: b: c", "", "a: b: c");
	check_error(CCFC_EPROTO, "", "", "");
}

/* Any bytes that are msgpack but no message. */
static void test_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		int expected;
	} table[] = {
		{ "\xc0", 1, CCFC_EPROTO },
		{ "\x01", 1, CCFC_EPROTO },
		{ "\x80", 1, CCFC_EPROTO },
		{ "\x90", 1, CCFC_EPROTO },
		{ "\x91\x00", 2, CCFC_EPROTO },
		{ "\x94\x03\x01\xa1m\x90", 6, CCFC_EPROTO }, /* type 3 */
		{ "\x94\xff\x01\xa1m\x90", 6, CCFC_EPROTO },
		{ "\x94\xce\x80\x00\x00\x00\x01\xa1m\x90", 10, CCFC_EPROTO },
		{ "\x94\xa1"
		  "0\x01\xa1m\x90",
		  7, CCFC_EPROTO },
		{ "\x94\x00\xff\xa1m\x90", 6, CCFC_EPROTO }, /* id -1 */
		{ "\x94\x00\xcf\x00\x00\x00\x01\x00\x00\x00\x00\xa1m\x90", 14,
		  CCFC_EPROTO },
		{ "\x94\x00\xc0\xa1m\x90", 6, CCFC_EPROTO },
		{ "\x94\x00\x01\x05\x90", 5, CCFC_EPROTO },  /* method 5 */
		{ "\x94\x00\x01\xa1m\x80", 6, CCFC_EPROTO }, /* params {} */
		{ "\x93\x00\x01\xa1m", 5, CCFC_EPROTO },
		{ "\x95\x00\x01\xa1m\x90\xc0", 7, CCFC_EPROTO },
		{ "\x93\x01\x01\xc0", 4, CCFC_EPROTO },
		{ "\x93\x02\xa1m\xc0", 5, CCFC_EPROTO },
		/* can be answered: the id is known */
		{ "\x94\x00\x09\xa1m\x91\x01", 7, CCFC_EINVAL },
		{ "\x94\x00\x09\xa1m\x91\xc0", 7, CCFC_EINVAL },
		{ "\x94\x00\x09\xa1m\x91\x91\x01", 8, CCFC_EINVAL },
		{ "\x94\x00\x09\xa1m\x92\x80\x80", 8, CCFC_EINVAL },
		/* fine */
		{ "\x94\x00\x09\xa1m\x90", 6, 0 },
		{ "\x94\x00\x09\xa1m\x91\x80", 7, 0 },
		{ "\x94\x00\x09\xa1m\x91\x90", 7, 0 }, /* Lua's {} */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct message m;

		start(&m);
		ccfc_buf_append(&m.buf, table[i].bytes, table[i].len);
		assert_int_equal(parse(&m), table[i].expected);
		assert_int_equal(m.err.code, table[i].expected);
		if (table[i].expected == CCFC_EINVAL) {
			assert_int_equal(m.rpc.id, 9);
			assert_string_equal(
				m.err.what,
				"m: params must be one map of options");
		}
		finish(&m);
	}
}

/* Errors of servers that are not ours, or not of our time. */
static void test_odd_errors(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} table[] = {
		{ "\x94\x01\x01\xa3"
		  "bad\xc0",
		  8 },
		{ "\x94\x01\x01\xc3\xc0", 5 },
		{ "\x94\x01\x01\x90\xc0", 5 },
		{ "\x94\x01\x01\x92\xff\x05\xc0", 7 },
		{ "\x94\x01\x01\x92\x00\xa1x\xc0", 8 }, /* code 0 */
		{ "\x94\x01\x01\x92\x05\xa1x\xc0", 8 }, /* code 5 */
		{ "\x94\x01\x01\x92\xc0\xa1x\xc0", 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct message m;

		start(&m);
		ccfc_buf_append(&m.buf, table[i].bytes, table[i].len);
		assert_int_equal(parse(&m), 0);
		assert_true(m.rpc.failed);
		assert_int_equal(m.rpc.error.code, CCFC_EPROTO);
		assert_true(m.rpc.error.what[0]);
		finish(&m);
	}
}

static void test_documents(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} bad[] = {
		{ "", 0 },
		{ "\xc1", 1 },
		{ "\x92\x01", 2 },
		{ "\x01\x01", 2 }, /* one value and a rest */
		{ "\xa3"
		  "ab",
		  3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ccfc_doc *doc = (void *)1;

		assert_int_equal(
			ccfc_doc_parse(&doc,
				       ccfc_slice(bad[i].bytes, bad[i].len),
				       NULL),
			CCFC_EPROTO);
		assert_null(doc);
	}
	ccfc_doc_free(NULL);
	assert_int_equal(ccfc_obj_type(ccfc_doc_root(NULL)), CCFC_OBJ_NONE);
}

static void test_accessors(void **state)
{
	static const char bytes[] = "\x8a\xa1n\xc0\xa1t\xc3\xa1i\xfb\xa1u\xcf"
				    "\xff\xff\xff\xff\xff\xff\xff\xff\xa1"
				    "d\xca\x3f\xc0\x00\x00\xa1s\xa2hi\xa1"
				    "b\xc4\x02"
				    "by\xa1"
				    "a\x91\x01\xa1m\x80\xa1x\xd4\x01\x02";
	static const struct {
		const char *key;
		enum ccfc_obj_type type;
	} table[] = {
		{ "n", CCFC_OBJ_NIL },	   { "t", CCFC_OBJ_BOOL },
		{ "i", CCFC_OBJ_INT },	   { "u", CCFC_OBJ_UINT },
		{ "d", CCFC_OBJ_DOUBLE },  { "s", CCFC_OBJ_STR },
		{ "b", CCFC_OBJ_BIN },	   { "a", CCFC_OBJ_ARRAY },
		{ "m", CCFC_OBJ_MAP },	   { "x", CCFC_OBJ_EXT },
		{ "none", CCFC_OBJ_NONE },
	};
	struct ccfc_doc *doc;
	struct ccfc_obj root;

	(void)state;
	assert_int_equal(ccfc_doc_parse(&doc,
					ccfc_slice(bytes, sizeof(bytes) - 1),
					NULL),
			 0);
	root = ccfc_doc_root(doc);
	assert_int_equal(ccfc_obj_len(root), 10);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct ccfc_obj o = ccfc_obj_get(root, table[i].key);
		enum ccfc_obj_type t = table[i].type;

		assert_int_equal(ccfc_obj_type(o), t);
		assert_int_equal(ccfc_obj_int(o, 77),
				 t == CCFC_OBJ_INT ? -5 : 77);
		assert_true(ccfc_obj_bool(o, false) == (t == CCFC_OBJ_BOOL));
		assert_true(ccfc_obj_double(o, 7) ==
			    (t == CCFC_OBJ_DOUBLE ? 1.5 : 7));
		assert_int_equal(ccfc_obj_str(o).len,
				 t == CCFC_OBJ_STR || t == CCFC_OBJ_BIN ? 2
									: 0);
		assert_true(ccfc_obj_is_str(o) ==
			    (t == CCFC_OBJ_STR || t == CCFC_OBJ_BIN));
		assert_int_equal(ccfc_obj_len(o), t == CCFC_OBJ_ARRAY);
		assert_true(ccfc_obj_uint(o, 7) ==
			    (t == CCFC_OBJ_UINT ? UINT64_MAX : 7));
		assert_int_equal(ccfc_obj_type(ccfc_obj_at(o, 1)),
				 CCFC_OBJ_NONE);
		assert_int_equal(ccfc_obj_type(ccfc_obj_value_at(o, 0)),
				 CCFC_OBJ_NONE);
	}
	assert_int_equal(ccfc_obj_get_int(root, "i", 0), -5);
	assert_true(ccfc_obj_get_bool(root, "t", false));
	ccfc_doc_free(doc);
}

/* The hexdumps in PROTOCOL.md. */
static void test_documented(void **state)
{
	static const char expected[] =
		"\x94\x00\x01\xad"
		"file.sessions\x91\x82\xa4path\xb0/home/u/app/a.ts"
		"\xa5limit\x05"
		"\x94\x01\x02\xc0\x82\xacsubscription\x01\xa5"
		"clock\xad"
		"1765360800:42"
		"\x94\x01\x03\xd9\x2c"
		"invalid: file.sessions: unknown option 'foo'\xc0"
		"\x93\x02\xa5"
		"event\x91\x83\xa4type\xa6resync\xa5"
		"clock\xae"
		"1765360800:977\xacsubscription\x01";
	struct ccfc_err error;
	struct message m;

	(void)state;
	start(&m);
	ccfc_rpc_request_begin(&m.pack, 1, CCFC_M_FILE_SESSIONS);
	ccfc_pack_map(&m.pack);
	ccfc_pack_kv_cstr(&m.pack, "path", "/home/u/app/a.ts");
	ccfc_pack_kv_int(&m.pack, "limit", 5);
	ccfc_pack_end(&m.pack);
	ccfc_rpc_request_end(&m.pack);
	ccfc_rpc_response_begin(&m.pack, 2);
	ccfc_pack_map(&m.pack);
	ccfc_pack_kv_int(&m.pack, "subscription", 1);
	ccfc_pack_kv_cstr(&m.pack, "clock", "1765360800:42");
	ccfc_pack_end(&m.pack);
	ccfc_rpc_response_end(&m.pack);
	ccfc_err_set(&error, CCFC_EINVAL,
		     "file.sessions: unknown option 'foo'");
	ccfc_rpc_error(&m.pack, 3, &error);
	ccfc_rpc_notify_begin(&m.pack, CCFC_N_EVENT);
	ccfc_pack_map(&m.pack);
	ccfc_pack_kv_cstr(&m.pack, "type", "resync");
	ccfc_pack_kv_cstr(&m.pack, "clock", "1765360800:977");
	ccfc_pack_kv_int(&m.pack, "subscription", 1);
	ccfc_pack_end(&m.pack);
	ccfc_rpc_notify_end(&m.pack);
	assert_int_equal(m.buf.len, sizeof(expected) - 1);
	assert_memory_equal(m.buf.ptr, expected, m.buf.len);
	finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_response),
		cmocka_unit_test(test_notification),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_documented),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_odd_errors),
		cmocka_unit_test(test_documents),
		cmocka_unit_test(test_accessors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
