/* tries.h - what the tries of a run have left behind: folders, checkpoints, and a journal. */
#ifndef EXPLORE_TRIES_H
#define EXPLORE_TRIES_H

#include "explore/store.h"

#define TRIES_LOST_MAX 5 /* that may vanish in a row without a word */

struct tries {
    u32 last;         /* number of the last one; 0: there is none */
    u32 lost;         /* at the end: that began, and neither ended nor got further */
    double seconds;   /* of those that ended */
    char *checkpoint; /* the newest; NULL: none */
    char *complete;   /* folder of one that has finished all the same; NULL: none */
    double complete_seconds;
};

void tries_look(const struct store *store, const char *key, struct tries *tries);
void tries_fini(struct tries *tries);

/* The result folder of a try; the caller frees. */
char *try_folder(const struct store *store, const char *key, u32 number);

/* Lines of the journal. */
bool try_note_begin(const struct store *store, const char *key, u32 number,
                    struct ogv_error *error);
bool try_note_end(const struct store *store, const char *key, u32 number, const char *words,
                  double seconds, struct ogv_error *error);

/* Removes the folders of tries. */
void tries_remove(const struct store *store, const char *key, u32 last);

#endif
