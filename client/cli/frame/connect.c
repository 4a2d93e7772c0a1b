/* Asking the daemon; see connect.h. */
#include "cli/frame/connect.h"

int ccfc_cli_connect(struct ccfc_cli *cli, enum ccfc_spawn spawn,
		     struct ccfc_err *err)
{
	struct ccfc_client_options options = CCFC_CLIENT_OPTIONS_INIT;

	if (cli->client)
		return 0;
	options.spawn = spawn;
	return ccfc_client_new(&cli->client, &options, err);
}

void ccfc_cli_disconnect(struct ccfc_cli *cli)
{
	ccfc_client_free(cli->client);
	cli->client = NULL;
}

struct ccfc_obj ccfc_cli_value(const struct ccfc_reply *reply)
{
	/* The library's values are wire objects under a public name. */
	return (struct ccfc_obj){ ccfc_reply_value(reply).opaque };
}

void ccfc_cli_note_indexing(struct ccfc_obj value)
{
	struct ccfc_obj indexing;

	/* In a list each element has it. */
	if (ccfc_obj_type(value) == CCFC_OBJ_ARRAY)
		value = ccfc_obj_at(value, 0);
	indexing = ccfc_obj_get(value, "indexing");
	if (!ccfc_obj_get_bool(indexing, "running", false))
		return;
	ccfc_cli_note("still indexing (%lld of %lld transcripts); "
		      "the answer may be incomplete",
		      (long long)ccfc_obj_get_int(indexing, "filesDone", 0),
		      (long long)ccfc_obj_get_int(indexing, "filesTotal", 0));
}
