/* What a call sends; see params.h. */
#include "lib/params.h"

void ccfc_params_begin(struct ccfc_params *p)
{
	ccfc_buf_init(&p->buf);
	ccfc_pack_init(&p->pack, &p->buf);
	ccfc_pack_map(&p->pack);
}

int ccfc_params_call(struct ccfc_reply **out, struct ccfc_client *c,
		     const char *method, struct ccfc_params *p,
		     struct ccfc_err *err)
{
	int r;

	ccfc_pack_end(&p->pack);
	r = ccfc_lib_call(out, c, method, ccfc_buf_view(&p->buf), NULL, NULL,
			  err);
	ccfc_buf_release(&p->buf);
	return r;
}

void ccfc_params_str(struct ccfc_params *p, const char *key, const char *s)
{
	if (s)
		ccfc_pack_kv_cstr(&p->pack, key, s);
}

void ccfc_params_int(struct ccfc_params *p, const char *key, int64_t v)
{
	if (v)
		ccfc_pack_kv_int(&p->pack, key, v);
}

void ccfc_params_true(struct ccfc_params *p, const char *key, bool v)
{
	if (v)
		ccfc_pack_kv_bool(&p->pack, key, true);
}

void ccfc_params_list(struct ccfc_params *p, const char *key,
		      const char *const *list)
{
	if (!list)
		return;
	ccfc_pack_cstr(&p->pack, key);
	ccfc_pack_array(&p->pack);
	for (; *list; list++)
		ccfc_pack_cstr(&p->pack, *list);
	ccfc_pack_end(&p->pack);
}

void ccfc_params_content(struct ccfc_params *p, enum ccfc_content content)
{
	if (content != CCFC_CONTENT_DEFAULT)
		ccfc_pack_kv_bool(&p->pack, "includeContent",
				  content == CCFC_CONTENT_YES);
}

int ccfc_params_version(uint32_t version, uint32_t known, const char *what,
			struct ccfc_err *err)
{
	if (version >= 1 && version <= known)
		return 0;
	return ccfc_err_set(err, CCFC_EINVAL, "%s of an unknown version (%u)",
			    what, (unsigned)version);
}

void ccfc_params_query(struct ccfc_params *p, const struct ccfc_query *q)
{
	ccfc_params_content(p, q->content);
	ccfc_params_int(p, "maxContent", q->max_content);
	ccfc_params_int(p, "limit", q->limit);
	ccfc_params_int(p, "offset", q->offset);
	ccfc_params_list(p, "states", q->states);
	ccfc_params_list(p, "extensions", q->extensions);
	ccfc_params_list(p, "directories", q->directories);
	ccfc_params_list(p, "tools", q->tools);
	ccfc_params_list(p, "alternatives", q->alternatives);
	ccfc_params_str(p, "cwd", q->cwd);
	ccfc_params_str(p, "projectPath", q->project_path);
	ccfc_params_str(p, "fromDate", q->from_date);
	ccfc_params_str(p, "toDate", q->to_date);
	/* A caller that was built with an older header has no more fields. */
	if (q->version >= 2 && q->context)
		ccfc_pack_kv_int(&p->pack, "context",
				 q->context > 0 ? q->context : 0);
	if (q->version >= 2)
		ccfc_params_true(p, "includePrompt", q->prompts);
}

int ccfc_params_begin_query(struct ccfc_reply **out, struct ccfc_params *p,
			    const struct ccfc_query *q, struct ccfc_err *err)
{
	*out = NULL;
	if (q &&
	    ccfc_params_version(q->version, CCFC_QUERY_VERSION, "a query", err))
		return CCFC_EINVAL;
	ccfc_params_begin(p);
	return 0;
}

int ccfc_params_end_query(struct ccfc_reply **out, struct ccfc_client *c,
			  const char *method, struct ccfc_params *p,
			  const struct ccfc_query *q, struct ccfc_err *err)
{
	if (q)
		ccfc_params_query(p, q);
	return ccfc_params_call(out, c, method, p, err);
}

int ccfc_params_ask(struct ccfc_reply **out, struct ccfc_client *c,
		    const char *method, const char *k1, const char *v1,
		    const char *k2, const char *v2, const struct ccfc_query *q,
		    struct ccfc_err *err)
{
	struct ccfc_params p;
	int r = ccfc_params_begin_query(out, &p, q, err);

	if (r < 0)
		return r;
	ccfc_params_str(&p, k1, v1);
	if (k2)
		ccfc_params_str(&p, k2, v2);
	return ccfc_params_end_query(out, c, method, &p, q, err);
}
