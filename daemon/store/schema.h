/* The schema of the store. */
#ifndef CCFC_STORE_SCHEMA_H
#define CCFC_STORE_SCHEMA_H

/* Raised when tables change. */
#define CCFC_STORE_SCHEMA 2
/* Raised when the reading of transcripts changes what the rows say. */
#define CCFC_STORE_READER 2

/* Creates tables and views where they are not there yet. */
extern const char ccfc_store_schema[];

/* Brings the tables of schema 1 to this one, in a transaction. */
extern const char ccfc_store_upgrade[];

#endif
