/* pieces.h - which pieces of a program's work are done: pixels of a picture, as numbers of
 * `ogv_next`. A program sees only these, and does not pay for the others. */
#ifndef RUN_PIECES_H
#define RUN_PIECES_H

#include "arch/system.h"

#define PIECES_MAX (UINT64_C(1) << 28)

/* In the order in which they are handed out, none twice. */
struct pieces {
    u32 *numbers;
    u64 count;
    const char *path; /* of the file that they are from, the caller's; NULL: none */
};

/* A text: numbers and ranges of them ("7", "64-127"), separated by spaces, commas or lines; #
 * begins a remark. */
bool pieces_read(const char *path, struct pieces *pieces, struct ogv_error *error);
void pieces_fini(struct pieces *pieces);

/* Before the chip begins. Refuses a chip in which nothing hands out pieces. */
bool pieces_choose(ogv_system *system, const struct pieces *pieces, struct ogv_error *error);

#endif
