/* What is taken out of a text, and what has to stay. */
#include "cli_test.h"

#include "cli/redact/redact.h"
#include "wire/to_json.h"

#define R   "[redacted]"
#define HEX "9f86d081884c7d659a2feaa0c55ad015"

static void redactor(struct ccfc_redact *r)
{
	ccfc_redact_init(r, "/home/alice", "wonder.example.net");
	ccfc_redact_learn(r, ccfc_slice_str("/Users/bob.smith/src/x"));
}

static void check(const char *in, const char *out)
{
	struct ccfc_buf got = CCFC_BUF_INIT;
	struct ccfc_redact r;

	redactor(&r);
	ccfc_redact_text(&got, &r, ccfc_slice_str(in));
	assert_string_equal(got.len ? got.ptr : "", out);
	ccfc_buf_release(&got);
	ccfc_redact_release(&r);
}

static const char *const replaced[][2] = {
	/* keys and tokens by shape */
	{ "sk-ant-api03-AbCdEf0123456789-_xyz", R },
	{ "key sk-ant-api03-AbCdEf0123456789.", "key " R "." },
	{ "sk-proj-AbCdEfGhIjKl0123456789", R },
	{ "sk-0123456789abcdefghijKLMNOP", R },
	{ "ghp_0123456789abcdefghijABCDEFGHIJ012345", R },
	{ "(gho_0123456789abcdefghijABCDEFGHIJ012345)", "(" R ")" },
	{ "ghs_0123456789abcdefghijABCDEFGHIJ012345", R },
	{ "github_pat_11ABCDEFG0abcdefghij_klmnop", R },
	{ "glpat-abcDEF123456ghiJKL78", R },
	{ "xoxb-123456789012-abcdefABCDEF", R },
	{ "xoxp-123456789012-abcdefABCDEF", R },
	{ "AKIAIOSFODNN7EXAMPLE", R },
	{ "ASIAIOSFODNN7EXAMPLE,", R "," },
	{ "AIzaSyA1234567890abcdefghijklmnopqrstuv", R },
	{ "npm_0123456789abcdefghijABCDEFGHIJ012345", R },
	{ "pypi-AgEIcHlwaS5vcmcCJDAxMjM0NTY3ODlhYmNkZWY", R },
	{ "hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567", R },
	{ "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123", R },
	/* where words do not start: escapes as text, colours */
	{ "a\\nsk-ant-api03-AbCdEf0123456789", "a\\n" R },
	{ "\033[31mhf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567\033[m",
	  "\033[31m" R "\033[m" },
	/* private keys: whole, numbered lines, cut, escaped */
	{ "x\n-----BEGIN RSA PRIVATE KEY-----\nMIIE+/=\n-----END RSA PRIVATE "
	  "KEY-----\ny",
	  "x\n" R "\ny" },
	{ "1\xe2\x86\x92-----BEGIN PRIVATE KEY-----\n2\xe2\x86\x92MIIE\n"
	  "3\xe2\x86\x92-----END PRIVATE KEY-----\n",
	  "1\xe2\x86\x92" R "\n" },
	{ "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\nZXk", R },
	{ "\"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE "
	  "KEY-----\\n\"",
	  "\"" R "\\n\"" },
	/* headers and logins */
	{ "Authorization: Bearer abc.def", "Authorization: Bearer " R },
	{ "-H 'authorization: Basic YWxpY2U6cHc='",
	  "-H 'authorization: Basic " R "'" },
	{ "\"Authorization\": \"token abcdef0123\"",
	  "\"Authorization\": \"token " R "\"" },
	{ "Bearer 0123456789abcdef0123", "Bearer " R },
	{ "postgres://app:p%40ss@db.local/x", "postgres://" R "@db.local/x" },
	{ "https://bob:hunter2@example.com:8080/",
	  "https://" R "@example.com:8080/" },
	/* assignments */
	{ "PASSWORD=hunter2", "PASSWORD=" R },
	{ "PGPASSWORD=hunter2 psql", "PGPASSWORD=" R " psql" },
	{ "curl https://hooks.slack.com/services/T00000/B00000/aB3dEf\n",
	  "curl https://" R "\n" },
	{ "export DB_PASSWORD='a b c'; ls", "export DB_PASSWORD='" R "'; ls" },
	{ "api_key: \"abcdef\"", "api_key: \"" R "\"" },
	{ "\"apiKey\":\"abcdef\",", "\"apiKey\":\"" R "\"," },
	{ "{\\\"secret\\\": \\\"abc\\\"}", "{\\\"secret\\\": \\\"" R "\\\"}" },
	{ "token=abc&x=1", "token=" R "&x=1" },
	{ "client_secret = s3cr3t", "client_secret = " R },
	{ "const dbPassword = \"swordfish\";",
	  "const dbPassword = \"" R "\";" },
	{ "config['password'] = 'x1'", "config['password'] = '" R "'" },
	{ "password => \"x1\"", "password => \"" R "\"" },
	{ "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG",
	  "aws_secret_access_key = " R },
	{ "GITHUB_TOKEN=" HEX, "GITHUB_TOKEN=" R },
	{ "--token abc123 --x", "--token " R " --x" },
	{ "SMTP_PASS=x1\nUSER=y", "SMTP_PASS=" R "\nUSER=y" },
	{ "a\\nPASSWORD=x1\\nb", "a\\nPASSWORD=" R "\\nb" },
	{ "key=" HEX, "key=" R },
	{ "session: \"" HEX "AbC+/z==\"", "session: \"" R "\"" },
	{ "password=\"not closed", "password=\"" R " closed" },
	/* addresses */
	{ "mail a.b+c@mail.example.org.", "mail [email]." },
	{ "<alice@example.com>", "<[email]>" },
	{ "x\\nalice@example.com", "x\\n[email]" },
	/* homes */
	{ "/home/alice/src", "/home/user/src" },
	{ "/home/carol", "/home/user" },
	{ "in /Users/bob.smith.", "in /Users/user." },
	{ "C:\\Users\\Bob Smith\\x", "C:\\Users\\user\\x" },
	{ "\"C:\\\\Users\\\\carol\\\\x\"", "\"C:\\\\Users\\\\user\\\\x\"" },
	{ "/c/Users/carol/x", "/c/Users/user/x" },
	{ "file:///home/carol/x", "file:///home/user/x" },
	{ "\\/home\\/carol\\/x", "\\/home\\/user\\/x" },
	{ "projects/-home-alice-src/", "projects/-home-user-src/" },
	{ "projects/-Users-bob-smith-x", "projects/-Users-user-x" },
	{ "C--Users-carol-x", "C--Users-user-x" },
	/* names and hosts */
	{ "drwx alice alice 12", "drwx user user 12" },
	{ "Alice's alice_1 \\nalice", "user's user_1 \\nuser" },
	{ "\xe2\x80\x9c"
	  "alice\xe2\x80\x9d",
	  "\xe2\x80\x9cuser\xe2\x80\x9d" },
	{ "bob.smith@localhost", "user@localhost" },
	{ "ssh wonder, wonder.example.net", "ssh host, host" },
};

static void test_replaced(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(replaced) / sizeof(*replaced); i++)
		check(replaced[i][0], replaced[i][1]);
}

/* Near misses: not a byte of these may change. */
static const char *const kept[] = {
	"",
	"commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
	"commit: 9fceb02d0ae598e95dc970b74767f19372d61af8",
	"key: 9fceb02d0ae598e95dc970b74767f19372d61af8",
	"key: 3f2a91c4-35ac-4c9f-8cd0-2c585596d3b8",
	"id=9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d65",
	"sha256: 9f86d081884c7d659a2feaa0c55ad0159f86d081",
	"3f2a91c4-35ac-4c9f-8cd0-2c585596d3b8",
	"sk-learn and sk-learn-contrib-example-package",
	"import sk-",
	"task-0123456789abcdefghijklmnop",
	"tokenizer=AutoTokenizer",
	"tokenizer: \"bert-base-uncased\"",
	"max_tokens=4096, tokens: 12345678",
	"\"input_tokens\": 1234",
	"token: 12",
	"token = next(stream)",
	"password: string;",
	"password=null",
	"password = getpass()",
	"password=$PASSWORD",
	"OLDPWD=/srv/work",
	"token: ${{ secrets.TOKEN }}",
	"const token = process.env.TOKEN",
	"password == other",
	"password_file=/etc/x",
	"passwordLength: 12",
	"secretName: tls",
	"PASSWORD=",
	"password: ********",
	"--password-stdin registry",
	"public_key=9f86d081884c7d659a2feaa0c55ad015",
	"the key: value",
	"npm_config_registry=x",
	"hf_transfer and ghp_short",
	"AKIASHORT AKIAIOSFODNN7EXAMPLETOOLONG",
	"eyJ is how they start; eyJhbGciOi.x",
	"-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----",
	"-----BEGIN CERTIFICATE-----",
	"Bearer of bad news, Bearer authentication-failed-here",
	"https://example.com:8080/a@b",
	"http://localhost:3000",
	"git@github.com:a/b.git",
	"react@18.2.0 @types/node @app.route",
	"a@b",
	"/home/user/x /Users/Shared C:\\Users\\Public",
	"/srv/home/page homes/alices",
	"go-home-button",
	"malice alice2 wonderful",
	"std::string token::x",
};

static void test_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		check(kept[i], kept[i]);
}

/* Whatever came out has nothing left to find. */
static void test_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(replaced) / sizeof(*replaced); i++)
		check(replaced[i][1], replaced[i][1]);
}

static void test_own_home(void **state)
{
	struct ccfc_buf got = CCFC_BUF_INIT;
	struct ccfc_redact r;

	(void)state;
	ccfc_redact_init(&r, "/srv/people/carol/", NULL);
	ccfc_redact_text(&got, &r,
			 CCFC_SLICE_LIT("/srv/people/carol/x "
					"/srv/people/carolina carol "
					"p/-srv-people-carol-x"));
	assert_string_equal(got.ptr, "~/x /srv/people/carolina user "
				     "p/-home-user-x");
	ccfc_buf_release(&got);
	ccfc_redact_release(&r);
	/* Names that say nothing are not looked for. */
	ccfc_redact_init(&r, "/root", "localhost");
	assert_int_equal(r.names.n + r.hosts.n, 0);
	ccfc_redact_release(&r);
	ccfc_redact_init(&r, NULL, NULL);
	assert_int_equal(r.names.n + r.hosts.n, 0);
	ccfc_redact_release(&r);
}

static void test_learn(void **state)
{
	struct ccfc_redact r;

	(void)state;
	ccfc_redact_init(&r, "", "");
	ccfc_redact_learn(&r, CCFC_SLICE_LIT("/home/dora/x"));
	ccfc_redact_learn(&r, CCFC_SLICE_LIT("C:/Users/Dora X/y"));
	ccfc_redact_learn(&r, CCFC_SLICE_LIT("/srv/home/nobody2"));
	ccfc_redact_learn(&r, CCFC_SLICE_LIT("/home/user/x"));
	ccfc_redact_learn(&r, CCFC_SLICE_LIT("/home/dora/y"));
	ccfc_redact_learn(&r, CCFC_SLICE_NONE);
	assert_int_equal(r.names.n, 2);
	assert_string_equal(r.names.items[0], "dora");
	ccfc_redact_release(&r);
}

/* ---- replies ---- */

static void pack_message(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "id", "alice");
	ccfc_pack_kv_cstr(p, "role", "alice");
	ccfc_pack_kv_cstr(p, "clock", "1:2");
	ccfc_pack_kv_int(p, "n", 7);
	ccfc_pack_kv_cstr(p, "content", "alice\xff said PASSWORD=x1");
	ccfc_pack_cstr(p, "toolCalls");
	ccfc_pack_array(p);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "name", "Bash");
	ccfc_pack_cstr(p, "input");
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "role", "alice");
	ccfc_pack_kv_cstr(p, "password", "plain words");
	ccfc_pack_kv_cstr(p, "/home/carol/k", "v");
	ccfc_pack_kv_bool(p, "token", true);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void test_reply(void **state)
{
	struct ccfc_buf json = CCFC_BUF_INIT, counts = CCFC_BUF_INIT;
	struct packed in, out;
	struct ccfc_redact r;

	(void)state;
	redactor(&r);
	pack_message(packed_init(&in));
	ccfc_redact_pack(packed_init(&out), &r, packed_root(&in), "clock");
	ccfc_json_write(&json, packed_root(&out), 0);
	assert_string_equal(
		json.ptr,
		"{\"id\":\"alice\",\"role\":\"alice\",\"n\":7,"
		"\"content\":\"user\xef\xbf\xbd said PASSWORD=[redacted]\","
		"\"toolCalls\":[{\"name\":\"Bash\",\"input\":{\"role\":"
		"\"user\",\"password\":\"[redacted]\","
		"\"/home/user/k\":\"v\",\"token\":true}}]}");
	ccfc_redact_describe(&counts, &r);
	assert_string_equal(counts.ptr, "1 home directory, 2 user names, "
					"2 values of secrets");
	packed_release(&in);
	packed_release(&out);
	ccfc_buf_release(&json);
	ccfc_buf_release(&counts);
	ccfc_redact_release(&r);
}

/* Deeper than can be packed again. */
static void test_deep(void **state)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT, json = CCFC_BUF_INIT;
	struct packed out;
	struct ccfc_redact r;
	struct ccfc_doc *doc;

	(void)state;
	redactor(&r);
	for (int i = 0; i < 30; i++)
		ccfc_buf_putc(&bytes, (char)0x91);
	ccfc_buf_append(&bytes, "\xab/home/carol", 12);
	assert_int_equal(ccfc_doc_parse(&doc, ccfc_buf_view(&bytes), NULL), 0);
	ccfc_redact_pack(packed_init(&out), &r, ccfc_doc_root(doc), NULL);
	ccfc_json_write(&json, packed_root(&out), 0);
	assert_non_null(strstr(json.ptr, "/home/user"));
	assert_null(strstr(json.ptr, "carol"));
	ccfc_doc_free(doc);
	packed_release(&out);
	ccfc_buf_release(&bytes);
	ccfc_buf_release(&json);
	ccfc_redact_release(&r);
}

/* ---- time ---- */

/* Starts of everything, again and again, and no end of anything. */
static const char *const hostile[] = {
	"token=f(",
	"key=",
	"token:",
	"sk-",
	"eyJ-",
	"eyJa.",
	"a@",
	"@",
	"://a:",
	"-----BEGIN PRIVATE KEY",
	"password=\"",
	"token='x",
	"/home/",
	"-home-",
	"--token ",
	"\\\\\\\\",
	"secret=$",
	"a_token ",
	"bearer ",
	"alic",
	"-----BEGIN PRIVATE KEY-----!",
	"\"key\": \\\"",
	"authorization:",
};

/* The CPU time of redacting `size` bytes of repeated `seed`, in nanoseconds. */
static int64_t cpu_time(const char *seed, size_t size)
{
	struct ccfc_buf in = CCFC_BUF_INIT, out = CCFC_BUF_INIT;
	struct timespec from, to;
	struct ccfc_redact r;

	redactor(&r);
	while (in.len < size)
		ccfc_buf_puts(&in, seed);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	ccfc_redact_text(&out, &r, ccfc_buf_view(&in));
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	ccfc_redact_release(&r);
	ccfc_buf_release(&in);
	ccfc_buf_release(&out);
	return (int64_t)(to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec -
	       from.tv_nsec;
}

/*
 * Sixteen times the text takes sixteen times the work of this thread, not 256
 * times. The bound is between the two; the lesser of two measurements counts,
 * since other programs empty the caches.
 */
static void test_linear(void **state)
{
	const size_t size = 1u << 15;

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		int64_t one = cpu_time(hostile[i], size);
		int64_t many = cpu_time(hostile[i], 16 * size);

		if (many > 64 * one)
			many = cpu_time(hostile[i], 16 * size);
		if (many > 64 * one)
			fail_msg("%s: %lld ns, of 16 times the text %lld ns",
				 hostile[i], (long long)one, (long long)many);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_own_home),
		cmocka_unit_test(test_learn),
		cmocka_unit_test(test_reply),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
