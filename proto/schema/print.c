/*
 * Prints the schema as JSON on stdout, for users outside of C: the tables of
 * the documentation (tests/func/house/schema.py writes and compares them) and
 * the functional tests, which check every reply against the types.
 */
#include "schema/schema.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const kinds[CCFC_KINDS] = {
	[CCFC_KIND_TEXT] = "str",     [CCFC_KIND_FLAG] = "bool",
	[CCFC_KIND_NUMBER] = "int",   [CCFC_KIND_LINE] = "int",
	[CCFC_KIND_LIST] = "[str]",   [CCFC_KIND_ENDINGS] = "[str]",
	[CCFC_KIND_STATES] = "[str]", [CCFC_KIND_PROOFS] = "[str]",
	[CCFC_KIND_DATE] = "str",     [CCFC_KIND_DAY_END] = "str",
	[CCFC_KIND_CLOCK] = "str",    [CCFC_KIND_NOTIFY] = "map",
};

/* Texts of the schema have no control characters. */
static void print_text(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

static void print_pair(const char *key, const char *text)
{
	printf("\"%s\": ", key);
	print_text(text);
}

static void print_options(void)
{
	for (int i = 0; i < CCFC_OPTIONS; i++) {
		const struct ccfc_option_row *row = &ccfc_option_rows[i];

		printf("%s{", i ? ",\n" : "");
		print_pair("name", row->name);
		putchar(',');
		print_pair("type", kinds[row->kind]);
		printf(",\"least\": %" PRId64 ",\"most\": %" PRId64 ",",
		       row->least, row->most);
		print_pair("about", row->about);
		putchar('}');
	}
}

static void print_set(const char *key, uint64_t set)
{
	const char *comma = "";

	printf(",\"%s\": [", key);
	for (int i = 0; i < CCFC_OPTIONS; i++) {
		if (!(set & CCFC_OPT_BIT(i)))
			continue;
		printf("%s", comma);
		print_text(ccfc_option_rows[i].name);
		comma = ", ";
	}
	putchar(']');
}

static void print_methods(void)
{
	for (int i = 0; i < CCFC_METHODS; i++) {
		const struct ccfc_method_row *row = &ccfc_method_rows[i];

		printf("%s{", i ? ",\n" : "");
		print_pair("name", row->name);
		print_set("required", row->required);
		print_set("optional", row->optional & ~row->required);
		printf(",\"limit\": %" PRId64 ",\"content\": %s,", row->limit,
		       row->content ? "true" : "false");
		print_pair("reply", row->reply);
		putchar(',');
		print_pair("about", row->about);
		putchar('}');
	}
}

static void print_types(void)
{
	for (size_t i = 0; i < ccfc_type_row_count; i++) {
		const struct ccfc_type_row *row = &ccfc_type_rows[i];

		printf("%s{", i ? ",\n" : "");
		print_pair(row->row == CCFC_ROW_TYPE	  ? "type"
			   : row->row == CCFC_ROW_EXTENDS ? "extends"
							  : "field",
			   row->name);
		if (row->type) {
			putchar(',');
			print_pair("is", row->type);
		}
		if (row->about) {
			putchar(',');
			print_pair("about", row->about);
		}
		putchar('}');
	}
}

int main(void)
{
	printf("{\"options\": [\n");
	print_options();
	printf("],\n\"methods\": [\n");
	print_methods();
	printf("],\n\"types\": [\n");
	print_types();
	printf("]}\n");
	return fflush(stdout) != 0;
}
