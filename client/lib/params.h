/*
 * The params map of one call, while it is put together. What is not set in
 * the caller's struct (NULL, 0, false) is left out, so that the daemon's
 * default counts.
 */
#ifndef CCFC_LIB_PARAMS_H
#define CCFC_LIB_PARAMS_H

#include "lib/lib.h"

struct ccfc_params {
	struct ccfc_buf buf;
	struct ccfc_pack pack;
};

void ccfc_params_begin(struct ccfc_params *p);
void ccfc_params_str(struct ccfc_params *p, const char *key, const char *s);
void ccfc_params_int(struct ccfc_params *p, const char *key, int64_t v);
void ccfc_params_true(struct ccfc_params *p, const char *key, bool v);
/* A list that ends with NULL; an empty one is sent, none is not. */
void ccfc_params_list(struct ccfc_params *p, const char *key,
		      const char *const *list);
void ccfc_params_content(struct ccfc_params *p, enum ccfc_content content);
/* What is set in a query; only what a caller of its version knows. */
void ccfc_params_query(struct ccfc_params *p, const struct ccfc_query *q);

/* Closes the map, calls, and releases the params. */
int ccfc_params_call(struct ccfc_reply **out, struct ccfc_client *c,
		     const char *method, struct ccfc_params *p,
		     struct ccfc_err *err);

/* Is a caller's struct (`what`) of a version that we know? */
int ccfc_params_version(uint32_t version, uint32_t known, const char *what,
			struct ccfc_err *err);
/* The same for a query that may be NULL; *out is NULL then. */
int ccfc_params_begin_query(struct ccfc_reply **out, struct ccfc_params *p,
			    const struct ccfc_query *q, struct ccfc_err *err);
int ccfc_params_end_query(struct ccfc_reply **out, struct ccfc_client *c,
			  const char *method, struct ccfc_params *p,
			  const struct ccfc_query *q, struct ccfc_err *err);
/* A query that has one or two subjects (k2 may be NULL), and options. */
int ccfc_params_ask(struct ccfc_reply **out, struct ccfc_client *c,
		    const char *method, const char *k1, const char *v1,
		    const char *k2, const char *v2, const struct ccfc_query *q,
		    struct ccfc_err *err);

#endif
