/* checkpoint.h - the arena in a file, with what must agree before it may be taken back.
 *
 * A checkpoint is a memory image: resume only files that you or your own jobs wrote. Damage,
 * truncation, another build, and another chip are detected and refused; a file made with intent to
 * harm is as dangerous as a program. */
#ifndef SIM_CHECKPOINT_H
#define SIM_CHECKPOINT_H

#include "base/hash.h"
#include "sim/sim.h"

struct checkpoint {
    char build[HASH_TEXT_BYTES]; /* of the simulator and all unit libraries */
    char *text;                  /* the architecture, complete */
    size_t text_length;
    u64 slot, used; /* of the arena */
    cycle now;
    long body; /* where in the file the arena starts */
};

bool checkpoint_write(const char *path, const struct checkpoint *checkpoint,
                      const struct arena *arena, struct ogv_error *error);

/* Reads and checks everything but the arena. The caller frees `text`. */
bool checkpoint_open(const char *path, struct checkpoint *checkpoint, struct ogv_error *error);

/* Overwrites an arena in the same slot; it may be smaller, since programs are loaded later. The
 * contents of the file are all of it, and pages that are not in the file are untouched afterwards.
 * After a failure the arena is useless. */
bool checkpoint_restore(const char *path, const struct checkpoint *checkpoint, struct arena *arena,
                        struct ogv_error *error);

#endif
