/*
 * A program of somebody else's: built by tests/func/packaging/install.py with
 * what was installed and nothing of this tree. Prints how many sessions changed
 * a file.
 */
#include <ccfc/client.h>
#include <stdio.h>

static int fail(const struct ccfc_err *err)
{
	fprintf(stderr, "%s: %s\n", ccfc_error_name(err->code), err->what);
	return 2;
}

int main(int argc, char **argv)
{
	struct ccfc_client *client;
	struct ccfc_reply *reply;
	struct ccfc_err err;
	struct ccfc_value history;

	if (argc != 2)
		return 2;
	if (ccfc_client_new(&client, NULL, &err) < 0)
		return fail(&err);
	if (ccfc_file_sessions(&reply, client, argv[1], NULL, &err) < 0) {
		ccfc_client_free(client);
		return fail(&err);
	}
	history = ccfc_reply_value(reply);
	printf("%lld sessions\n",
	       (long long)ccfc_value_int(
		       ccfc_value_get(history, "totalSessions"), 0));
	ccfc_reply_free(reply);
	ccfc_client_free(client);
	return 0;
}
