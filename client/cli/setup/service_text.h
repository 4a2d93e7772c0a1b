/*
 * The texts of packaging/systemd and packaging/launchd; the build makes
 * service_text.c of them.
 */
#ifndef CCFC_CLI_SETUP_SERVICE_TEXT_H
#define CCFC_CLI_SETUP_SERVICE_TEXT_H

extern const char ccfc_text_systemd[];
extern const char ccfc_text_launchd[];

/* Placeholders for values that are only known on the user's machine. */
#define CCFC_TEXT_DAEMON      "@CCFC_BINDIR@/ccfcd"
#define CCFC_TEXT_ENVIRONMENT "@CCFC_ENVIRONMENT@"
#define CCFC_TEXT_LOG	      "@CCFC_LOG@"

#endif
