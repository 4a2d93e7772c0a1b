/*
 * Command line options from a table. "--name=value" and "--name value", options
 * before, between and after arguments; "--" ends the options. Single letters
 * may be bundled, and the last may have a value: "-0o DIR", "-oDIR". A value is
 * checked when it is read, so that a command sees only valid values; an error
 * names the option.
 */
#ifndef CCFC_CLI_FRAME_OPT_H
#define CCFC_CLI_FRAME_OPT_H

#include "base/err.h"
#include "base/slice.h"

#include <ccfc/client.h>
#include <stddef.h>
#include <stdint.h>

#define CCFC_OPT_MAX 24 /* options in one table */

enum ccfc_opt_type {
	CCFC_OPT_FLAG,
	CCFC_OPT_TEXT,	  /* not empty */
	CCFC_OPT_INT,	  /* min … max */
	CCFC_OPT_CHOICE,  /* num is the index in `choices` */
	CCFC_OPT_MAYBE,	  /* CHOICE; --name alone means the first word */
	CCFC_OPT_NAMED,	  /* WORDS; --name alone makes num 1 */
	CCFC_OPT_LIST,	  /* a,b,c (of `choices`); several add up */
	CCFC_OPT_WORDS,	  /* a list; each use adds one element */
	CCFC_OPT_EXTS,	  /* a list of extensions; "ts" becomes ".ts" */
	CCFC_OPT_STATES,  /* a list of states, or "all" */
	CCFC_OPT_DIR,	  /* a text; a query has the real path */
	CCFC_OPT_SESSION, /* a text; a query has a transcript's absolute path */
	CCFC_OPT_MOMENT,  /* a text; see moment.h */
	CCFC_OPT_FROM,	  /* num is the first millisecond meant */
	CCFC_OPT_TO,	  /* num is the last millisecond meant */
};

/* One row of a table; a row without a name ends it. */
struct ccfc_opt {
	const char *name; /* without the dashes */
	char letter;	  /* 0: none */
	enum ccfc_opt_type type;
	const char *arg;     /* what help calls the value */
	const char *help;    /* one line */
	const char *choices; /* "table|json" */
	int64_t min, max;
	size_t field;	   /* its offset in struct ccfc_query; 0: none */
	const char *alias; /* a further name, which help does not show */
};

/* The `field` of a row. */
#define CCFC_ASKS(name) .field = offsetof(struct ccfc_query, name)

/* May the option have no value? If it has one, a '=' comes before. */
static inline bool ccfc_opt_is_free(const struct ccfc_opt *opt)
{
	return opt->type == CCFC_OPT_MAYBE || opt->type == CCFC_OPT_NAMED;
}

struct ccfc_opt_value {
	bool set;
	const char *text; /* borrowed from argv */
	int64_t num;
	struct {
		const char **items; /* owned, a NULL after the last; or NULL */
		uint32_t n, cap;
	} list;
};

struct ccfc_opts {
	const char *command; /* for messages */
	const struct ccfc_opt *tables[2];
	struct ccfc_opt_value values[2][CCFC_OPT_MAX];
	const char **args; /* the arguments, borrowed from argv */
	int nargs;
	int used; /* words of argv used */
};

/* `own` and `common` are kept; either may be NULL. */
void ccfc_opts_init(struct ccfc_opts *opts, const char *command,
		    const struct ccfc_opt *own, const struct ccfc_opt *common);
void ccfc_opts_release(struct ccfc_opts *opts);

/*
 * Reads argv[0 … argc). With `first_only` it stops before the first argument
 * and leaves the rest to the caller (`used`). CCFC_EINVAL.
 */
int ccfc_opts_parse(struct ccfc_opts *opts, int argc, char **argv,
		    bool first_only, struct ccfc_err *err);

/* The allowed values of the option or its elements ("a|b"); NULL: any. */
const char *ccfc_opt_choices(const struct ccfc_opt *opt);

/* The next part of a list up to `sep`; false when there is none (*p NULL). */
bool ccfc_opt_next_part(struct ccfc_slice *part, const char **p, char sep);

/* The value of row `i` of the own table, and of the common one. */
static inline const struct ccfc_opt_value *
ccfc_opts_own(const struct ccfc_opts *opts, int i)
{
	return &opts->values[0][i];
}

static inline const struct ccfc_opt_value *
ccfc_opts_common(const struct ccfc_opts *opts, int i)
{
	return &opts->values[1][i];
}

#endif
