/* The schema of the store. */
#ifndef CCFC_STORE_SCHEMA_H
#define CCFC_STORE_SCHEMA_H

/* Raised when tables change. */
#define CCFC_STORE_SCHEMA 3
/* Raised when the reading of transcripts changes what the rows say. */
#define CCFC_STORE_READER 3

/* Creates tables and views where they are not there yet. */
extern const char ccfc_store_schema[];

/* Each brings the tables of schema n to n + 1, in a transaction; [0] is
 * empty. */
extern const char *const ccfc_store_upgrades[CCFC_STORE_SCHEMA];

#endif
