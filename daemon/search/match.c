/*
 * The matcher; see match.h. Three ways:
 *
 * - A case-sensitive literal, or an ASCII literal, is a needle. Two letters of
 *   ASCII have a third form outside of it (U+017F is an s, U+212A a k): texts
 *   with one of these use the second way if the needle has the letter.
 * - Any other literal is matched by PCRE2.
 * - So is a regular expression, but for some starting places at a time: PCRE2
 *   limits the steps from one place, not from all places, and a call cannot be
 *   stopped. The stretches grow as long as matching is quick.
 */
#include "search/match.h"

#include "base/alloc.h"
#include "base/time.h"
#include "search/needle.h"
#include "search/pattern_verbs.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#define STEPS_MAX	1000000u
#define HEAP_MAX_KIB	32768u
#define JIT_STACK_FIRST (32u << 10)
#define JIT_STACK_MAX	(1u << 20)
#define STRETCH_MIN	128u
#define STRETCH_MAX	(64u << 10)
#define QUICK_MS	3

struct ccfc_matcher {
	struct ccfc_needle needle;
	pcre2_code *code; /* NULL: the needle decides alone */
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	bool (*stop)(void *ctx);
	void *ctx;
	size_t stretch;
	bool by_needle; /* the needle decides, except for texts that fold */
	bool regex;
};

static bool is_ascii(struct ccfc_slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] >= 0x80)
			return false;
	return true;
}

static bool has_folding_letter(struct ccfc_slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (strchr("sSkK", s.ptr[i]) && s.ptr[i])
			return true;
	return false;
}

/* --- PCRE2 --- */

static uint32_t pcre2_options(const struct ccfc_pattern_want *want)
{
	uint32_t o = PCRE2_UTF;

	if (!want->case_sensitive)
		o |= PCRE2_CASELESS;
	if (!want->regex)
		return o | PCRE2_LITERAL;
	return o | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C |
	       PCRE2_USE_OFFSET_LIMIT;
}

static int bad_pattern(struct ccfc_err *err, int code, size_t at)
{
	PCRE2_UCHAR why[200];

	if (pcre2_get_error_message(code, why, sizeof(why)) < 0)
		why[0] = '\0';
	return ccfc_err_set(err, CCFC_EINVAL, "bad pattern at byte %zu: %s",
			    at + 1, (const char *)why);
}

static int compile_pattern(struct ccfc_matcher *m,
			   const struct ccfc_pattern_want *want,
			   struct ccfc_err *err)
{
	PCRE2_SIZE at = 0;
	int code = 0;

	m->code = pcre2_compile((PCRE2_SPTR)want->text.ptr, want->text.len,
				pcre2_options(want), &code, &at, NULL);
	if (!m->code)
		return bad_pattern(err, code, at);
	m->data = pcre2_match_data_create(1, NULL);
	m->context = pcre2_match_context_create(NULL);
	if (!m->data || !m->context)
		return ccfc_err_set(err, CCFC_ETOOBIG, "no memory for PCRE2");
	pcre2_set_match_limit(m->context, STEPS_MAX);
	pcre2_set_depth_limit(m->context, STEPS_MAX);
	pcre2_set_heap_limit(m->context, HEAP_MAX_KIB);
	/* Without JIT, matching is slower. */
	if (pcre2_jit_compile(m->code, PCRE2_JIT_COMPLETE))
		return 0;
	m->stack = pcre2_jit_stack_create(JIT_STACK_FIRST, JIT_STACK_MAX, NULL);
	if (m->stack)
		pcre2_jit_stack_assign(m->context, NULL, m->stack);
	return 0;
}

/* The error of a failed match; 0: no match. */
static int fail_match(int r, struct ccfc_err *err)
{
	switch (r) {
	case PCRE2_ERROR_MATCHLIMIT:
	case PCRE2_ERROR_DEPTHLIMIT:
	case PCRE2_ERROR_HEAPLIMIT:
	case PCRE2_ERROR_JIT_STACKLIMIT:
		ccfc_err_set(err, CCFC_ETOOBIG,
			     "the pattern needs too many steps");
		ccfc_err_hint(err, "repeats within repeats, as in (a+)+, try "
				   "every way to split a text");
		return CCFC_ETOOBIG;
	case PCRE2_ERROR_NOMATCH:
		return 0;
	default:
		/* The text is damaged, and not UTF-8. */
		return CCFC_ECORRUPT;
	}
}

static int match_at(struct ccfc_span *out, struct ccfc_matcher *m,
		    const struct ccfc_text *text, size_t from, bool valid,
		    struct ccfc_err *err)
{
	uint32_t o = PCRE2_NOTEMPTY | (valid ? PCRE2_NO_UTF_CHECK : 0);
	int r = pcre2_match(m->code, (PCRE2_SPTR)text->bytes.ptr,
			    text->bytes.len, from, o, m->data, m->context);
	const PCRE2_SIZE *span;

	if (r < 0)
		return fail_match(r, err);
	span = pcre2_get_ovector_pointer(m->data);
	*out = (struct ccfc_span){ span[0], span[1] };
	/*
	 * In some versions \K in a lookahead makes the start larger than the
	 * end.
	 */
	return span[0] < span[1];
}

/* Moves on to the start of the next character. */
static size_t next_start(struct ccfc_slice s, size_t at)
{
	while (at < s.len && ((unsigned char)s.ptr[at] & 0xc0) == 0x80)
		at++;
	return at;
}

static void adapt_stretch(struct ccfc_matcher *m, int64_t ms)
{
	if (ms > QUICK_MS)
		m->stretch = STRETCH_MIN;
	else if (m->stretch < STRETCH_MAX)
		m->stretch *= 2;
}

static int match_stretches(struct ccfc_span *out, struct ccfc_matcher *m,
			   const struct ccfc_text *text, size_t from,
			   struct ccfc_err *err)
{
	bool valid = text->valid || from;
	int r = 0;

	while (!r && from < text->bytes.len) {
		int64_t began = ccfc_time_monotonic();
		size_t to = from + m->stretch;

		pcre2_set_offset_limit(m->context, to);
		r = match_at(out, m, text, from, valid, err);
		valid = true;
		from = next_start(text->bytes, to + 1);
		adapt_stretch(m, ccfc_time_monotonic() - began);
		if (!r && m->stop && m->stop(m->ctx))
			return ccfc_err_set(err, CCFC_EAGAIN, "stopped");
	}
	return r;
}

/* --- all --- */

int ccfc_matcher_new(struct ccfc_matcher **out,
		     const struct ccfc_pattern_want *want, struct ccfc_err *err)
{
	bool ascii = is_ascii(want->text);
	struct ccfc_matcher *m;
	int r = 0;

	if (!want->text.len || want->text.len > CCFC_PATTERN_MAX)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "a pattern has 1 to %u bytes, not %zu",
				    CCFC_PATTERN_MAX, want->text.len);
	if (want->regex)
		r = ccfc_pattern_verbs_refuse(want->text, err);
	if (r)
		return r;
	m = ccfc_calloc(1, sizeof(*m));
	m->stop = want->stop;
	m->ctx = want->ctx;
	m->stretch = STRETCH_MIN;
	m->regex = want->regex;
	m->by_needle = !want->regex && (want->case_sensitive || ascii);
	if (m->by_needle)
		ccfc_needle_init(&m->needle, want->text, !want->case_sensitive);
	/* Compiling also checks that the pattern is UTF-8. */
	if (!m->by_needle || !ascii ||
	    (!want->case_sensitive && has_folding_letter(want->text)))
		r = compile_pattern(m, want, err);
	if (!r)
		*out = m;
	else
		ccfc_matcher_free(m);
	return r;
}

void ccfc_matcher_free(struct ccfc_matcher *m)
{
	if (!m)
		return;
	pcre2_jit_stack_free(m->stack);
	pcre2_match_context_free(m->context);
	pcre2_match_data_free(m->data);
	pcre2_code_free(m->code);
	free(m);
}

bool ccfc_matcher_wants_valid(const struct ccfc_matcher *m)
{
	return !m->by_needle;
}

int ccfc_matcher_find(struct ccfc_span *out, struct ccfc_matcher *m,
		      const struct ccfc_text *text, size_t from,
		      struct ccfc_err *err)
{
	size_t at;
	int r;

	if (!text->bytes.len)
		return 0;
	if (m->regex || !m->by_needle || (text->folds && m->code)) {
		r = m->regex ? match_stretches(out, m, text, from, err)
			     : match_at(out, m, text, from, text->valid || from,
					err);
		return r == CCFC_ECORRUPT ? 0 : r;
	}
	at = ccfc_needle_find(&m->needle, text->bytes, from);
	if (at == CCFC_NOWHERE)
		return 0;
	*out = (struct ccfc_span){ at, at + m->needle.len };
	return 1;
}

bool ccfc_text_folds(struct ccfc_slice text)
{
	const char *p = text.ptr, *end = text.ptr + text.len;

	while (end - p > 1 && (p = memchr(p, 0xc5, (size_t)(end - p - 1)))) {
		if ((unsigned char)p[1] == 0xbf)
			return true;
		p++;
	}
	p = text.ptr;
	while (end - p > 2 && (p = memchr(p, 0xe2, (size_t)(end - p - 2)))) {
		if ((unsigned char)p[1] == 0x84 && (unsigned char)p[2] == 0xaa)
			return true;
		p++;
	}
	return false;
}
