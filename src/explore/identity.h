/* identity.h - what a run is, down to the bit: its key, and the command line that makes it.
 *
 * The key is a fingerprint of all that determines the result: the build of the simulator, the
 * command, the machine after defaults, the program, the scene, the options. Where files lie is not
 * part of it, what is in them is. Two runs of the same key have the same statistics. */
#ifndef EXPLORE_IDENTITY_H
#define EXPLORE_IDENTITY_H

#include "explore/study.h"

struct identity {
    char key[HASH_TEXT_BYTES];
    const char **words;   /* "run", "rtx2080", "--set", ...; they live as long as the study */
    const char **resumed; /* options that go with --resume, too */
    u32 word_count, resumed_count;
    double memory_bytes; /* that the chip takes of this machine, without scene and tree */
};

/* What is known of files and machines, so that each is read once. */
struct identities;

struct identities *identities_create(struct study *study);
void identities_destroy(struct identities *known);

/* Checks the run, too: false, with file, line and column, for what `ogive run` would refuse. */
bool identity_find(struct identities *known, const struct point *point, struct identity *identity,
                   struct ogv_error *error);

#endif
