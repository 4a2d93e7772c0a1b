/* Filling in a struct ccfc_err (err.h); the names of codes, states, … */
#include "base/err.h"

#include "base/slice.h"

#include <ccfc/types.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *ccfc_error_name(int code)
{
	switch (code) {
#define X(sym, num, name, text)                                                \
	case sym:                                                              \
		return name;
		CCFC_ERROR_LIST(X)
#undef X
	default:
		return "unknown";
	}
}

int ccfc_error_from_name(const char *name)
{
#define X(sym, num, text, meaning)                                             \
	if (!strcmp(name, text))                                               \
		return sym;
	CCFC_ERROR_LIST(X)
#undef X
	return 0;
}

#define X(sym, num, text) [sym] = text,
static const char *const state_texts[] = { CCFC_STATE_LIST(X) };
static const char *const op_texts[] = { CCFC_OP_LIST(X) };
static const char *const proof_texts[] = { CCFC_PROOF_LIST(X) };
#undef X

const char *ccfc_state_text(int state)
{
	if (state < 0 || state >= CCFC_STATE_COUNT)
		return "unknown";
	return state_texts[state];
}

const char *ccfc_op_text(int op)
{
	if (op < 0 || op >= (int)(sizeof(op_texts) / sizeof(*op_texts)))
		return "unknown";
	return op_texts[op];
}

const char *ccfc_proof_text(int proof)
{
	if (proof < 0 || proof >= CCFC_PROOF_COUNT)
		return "unknown";
	return proof_texts[proof];
}

static int index_of_text(struct ccfc_slice text, const char *const *texts,
			 int n)
{
	for (int i = 0; i < n; i++)
		if (ccfc_slice_is(text, texts[i]))
			return i;
	return -1;
}

int ccfc_state_from_text(const char *text, unsigned long len)
{
	return index_of_text(ccfc_slice(text, len), state_texts,
			     CCFC_STATE_COUNT);
}

int ccfc_proof_from_text(const char *text, unsigned long len)
{
	return index_of_text(ccfc_slice(text, len), proof_texts,
			     CCFC_PROOF_COUNT);
}

/* Through a copy: the arguments may be err's own texts. */
static void set_text(struct ccfc_err *err, int code, const char *fmt,
		     va_list ap)
{
	char text[CCFC_ERR_WHAT_MAX];

	vsnprintf(text, sizeof(text), fmt, ap);
	memcpy(err->what, text, strlen(text) + 1);
	err->code = code;
	err->hint[0] = '\0';
}

int ccfc_err_set(struct ccfc_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		set_text(err, code, fmt, ap);
		va_end(ap);
	}
	return code;
}

static int code_of_errno(int errnum)
{
	switch (errnum) {
	case ENOENT:
	case ENOTDIR:
		return CCFC_ENOTFOUND;
	case EACCES:
	case EPERM:
		return CCFC_EDENIED;
	case EAGAIN:
		return CCFC_EAGAIN;
	default:
		return CCFC_EIO;
	}
}

static int set_errno(struct ccfc_err *err, int code, int errnum,
		     const char *fmt, va_list ap)
{
	size_t n;

	if (!err)
		return code;
	set_text(err, code, fmt, ap);
	n = strlen(err->what);
	snprintf(err->what + n, sizeof(err->what) - n, ": %s",
		 strerror(errnum));
	return code;
}

int ccfc_err_errno(struct ccfc_err *err, int errnum, const char *fmt, ...)
{
	int code = code_of_errno(errnum);
	va_list ap;

	va_start(ap, fmt);
	code = set_errno(err, code, errnum, fmt, ap);
	va_end(ap);
	return code;
}

int ccfc_err_io(struct ccfc_err *err, int errnum, const char *fmt, ...)
{
	int code = code_of_errno(errnum);
	va_list ap;

	if (code != CCFC_EDENIED)
		code = CCFC_EIO;
	va_start(ap, fmt);
	code = set_errno(err, code, errnum, fmt, ap);
	va_end(ap);
	return code;
}

void ccfc_err_hint(struct ccfc_err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
}
