/* Packs the options of a call; see call_options.h. */
#include "lib/call_options.h"

#include "wire/pack.h"

/* The fields of struct ccfc_query that are options. */
static const struct {
	enum ccfc_option option;
	size_t offset;
} fields[] = {
#define IN_QUERY_ARGUMENT(symbol, field)
#define IN_QUERY_FILTER(symbol, field)                                         \
	{ CCFC_OPT_##symbol, offsetof(struct ccfc_query, field) },
#define OPTION(symbol, name, kind, field, place, ...)                          \
	IN_QUERY_##place(symbol, field)
#include "schema/options.def"
#undef OPTION
};

size_t ccfc_lib_field(struct ccfc_slice option)
{
	int found = ccfc_option_find(option);

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if ((int)fields[i].option == found)
			return fields[i].offset;
	return 0;
}

bool ccfc_lib_is_method(struct ccfc_slice name)
{
	return ccfc_method_find(name) >= 0;
}

static void pack_text_query(struct ccfc_pack *p, const char *key,
			    const char *text)
{
	if (text)
		ccfc_pack_kv_cstr(p, key, text);
}

/* An empty list is sent; a missing list is not. */
static void pack_list(struct ccfc_pack *p, const char *key,
		      const char *const *list)
{
	if (!list)
		return;
	ccfc_pack_cstr(p, key);
	ccfc_pack_array(p);
	for (; *list; list++)
		ccfc_pack_cstr(p, *list);
	ccfc_pack_end(p);
}

/* 0 means "default", so a negative number stands for 0. */
static void pack_number(struct ccfc_pack *p, const char *key, int64_t n)
{
	if (n)
		ccfc_pack_kv_int(p, key, n > 0 ? n : 0);
}

static void pack_flag(struct ccfc_pack *p, const char *key, bool set)
{
	if (set)
		ccfc_pack_kv_bool(p, key, true);
}

static void pack_arg(struct ccfc_pack *p, const struct ccfc_arg *arg)
{
	const struct ccfc_option_row *row = &ccfc_option_rows[arg->option];

	pack_text_query(p, row->name, arg->text);
	pack_list(p, row->name, arg->list);
	if (row->kind == CCFC_KIND_FLAG)
		pack_flag(p, row->name, arg->number != 0);
	else
		pack_number(p, row->name, arg->number);
}

/* Flags whose default depends on the method. */
static void pack_content(struct ccfc_pack *p, const char *key,
			 enum ccfc_content content)
{
	if (content != CCFC_CONTENT_DEFAULT)
		ccfc_pack_kv_bool(p, key, content == CCFC_CONTENT_YES);
}

static void pack_field(struct ccfc_pack *p, enum ccfc_option option,
		       const void *field)
{
	const struct ccfc_option_row *row = &ccfc_option_rows[option];

	switch (row->kind) {
	case CCFC_KIND_TEXT:
	case CCFC_KIND_DATE:
	case CCFC_KIND_DAY_END:
		pack_text_query(p, row->name, *(const char *const *)field);
		break;
	case CCFC_KIND_LIST:
	case CCFC_KIND_ENDINGS:
	case CCFC_KIND_STATES:
	case CCFC_KIND_PROOFS:
		pack_list(p, row->name, *(const char *const *const *)field);
		break;
	case CCFC_KIND_NUMBER:
	case CCFC_KIND_LINE:
		pack_number(p, row->name, *(const int64_t *)field);
		break;
	case CCFC_KIND_FLAG:
		if (option == CCFC_OPT_INCLUDE_CONTENT ||
		    option == CCFC_OPT_INCLUDE_CHANGES)
			pack_content(p, row->name,
				     *(const enum ccfc_content *)field);
		else
			pack_flag(p, row->name, *(const bool *)field);
		break;
	case CCFC_KIND_CLOCK:
	case CCFC_KIND_NOTIFY:
	case CCFC_KINDS:
		break; /* arguments of calls only */
	}
}

int ccfc_query_pack(struct ccfc_buf *out, const struct ccfc_arg *args,
		    size_t nargs, const struct ccfc_query *query,
		    struct ccfc_err *err)
{
	struct ccfc_pack p;

	if (query && query->version != CCFC_QUERY_VERSION)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "a query of an unknown version (%u)",
				    (unsigned)query->version);
	ccfc_pack_init(&p, out);
	ccfc_pack_map(&p);
	for (size_t i = 0; i < nargs; i++)
		pack_arg(&p, &args[i]);
	for (size_t i = 0; query && i < sizeof(fields) / sizeof(*fields); i++)
		pack_field(&p, fields[i].option,
			   (const char *)query + fields[i].offset);
	ccfc_pack_end(&p);
	return 0;
}
