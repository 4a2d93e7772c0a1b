/* What the files of the list share. */
#ifndef CCFC_FORGET_FORGOTTEN_INTERNAL_H
#define CCFC_FORGET_FORGOTTEN_INTERNAL_H

#include "forget/forgotten.h"

#define CCFC_FORGOTTEN_KEY_BYTES 16u

enum ccfc_forgotten_kind {
	CCFC_FORGOTTEN_SESSION,
	CCFC_FORGOTTEN_SOURCE,
	CCFC_FORGOTTEN_BACKUP,
	CCFC_FORGOTTEN_FILE,
	CCFC_FORGOTTEN_DIR,
	CCFC_FORGOTTEN_KINDS,
};

struct ccfc_forgotten_key {
	unsigned char bytes[CCFC_FORGOTTEN_KEY_BYTES];
	int64_t until; /* of a file or a directory */
};

struct ccfc_forgotten_keys {
	struct ccfc_forgotten_key *items; /* sorted */
	uint32_t n, cap;
};

struct ccfc_forgotten {
	char *dir;
	struct ccfc_forgotten_keys keys[CCFC_FORGOTTEN_KINDS];
	struct {
		char **items;
		uint32_t n, cap;
	} below;
	int64_t before;
	int64_t seen; /* the latest `before` ever */
	bool due;
};

/* forgotten.c */
void ccfc_forgotten_add_key(struct ccfc_forgotten_keys *keys,
			    const struct ccfc_forgotten_key *key);
void ccfc_forgotten_push_below(struct ccfc_forgotten *list,
			       struct ccfc_slice dir);
/* Keeps the latest of the times that are set. */
void ccfc_forgotten_set_seen(struct ccfc_forgotten *list, int64_t time);

#endif
