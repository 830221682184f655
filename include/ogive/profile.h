/* profile.h - where thread-cycles go: one row of counters per call path and instruction.
 *
 * The units of a domain that run programs share one profile: they run on one host thread at a time.
 * Such a unit says with profile_start, profile_look and profile_jump where its threads are, and
 * charges each thread-cycle to the instruction that it was spent on: an issue to
 * profile_row(...)->cycles[PROFILE_ISSUED], a stall with profile_charge. Without a profile it does
 * none of this.
 *
 * A path is a function together with how it was reached: the path that called it and the
 * instruction that did. Threads carry the number of the path that they are in. A jump that links
 * enters a path; a jump through a link register, ra or t0, that does not link leaves it (these are
 * the link registers of The RISC-V Instruction Set Manual, volume I, "Return-address stack
 * prediction hints"). A thread that is found in another function than its path says got there by a
 * jump: a tail call, which takes the place of the function that it left.
 *
 * Always true: path 0 is the root and has no text; path 1 has rows for the whole text and takes
 * what there is no room for; each other path has rows for the text of its function. All rows
 * together hold every thread-cycle but those of halted threads, each once. */
#ifndef OGIVE_PROFILE_H
#define OGIVE_PROFILE_H

#include "ogive/isa.h"

struct arena;

/* What a thread-cycle was spent on; a hazard counts by the class that it waits for. */
enum profile_reason {
    PROFILE_ISSUED,
    PROFILE_PASSED,
    PROFILE_BUSY,
    PROFILE_FETCH,
    PROFILE_FENCE,
    PROFILE_HAZARD,
    PROFILE_REASONS = PROFILE_HAZARD + CLASS_COUNT,
};

#define PROFILE_WIDTH 32

_Static_assert(PROFILE_REASONS <= PROFILE_WIDTH, "a row is four cache lines");

struct profile_row {
    u64 cycles[PROFILE_WIDTH];
};

/* A stretch of text, in halfwords. */
struct profile_function {
    u32 first, count;
};

#define PATH_ROOT 0
#define PATH_LOST 1
#define PATH_NONE UINT32_MAX
#define SITE_NONE UINT32_MAX

struct profile_path {
    struct profile_function function;
    u32 rows;   /* number of the first one */
    u32 parent; /* path that called */
    u32 site;   /* halfword of the calling instruction; SITE_NONE: started by the host */
    u32 child, next;
    u64 calls;
};

/* What each thread remembers besides its path, which is kept where every instruction finds it. */
struct profile_mark {
    u32 row;                   /* what its stalls are charged to */
    u32 lost_from, lost_depth; /* while in PATH_LOST: the path that it left, and calls since */
};

/* A thread as the functions below see it. */
struct profile_thread {
    u32 *path;
    struct profile_mark *mark;
};

struct hart_profile {
    struct profile_path *paths;
    struct profile_row *rows;
    const struct profile_function *functions; /* by address, without gaps: all of the text */
    u32 function_count;
    u32 path_count, path_limit;
    u32 row_count, row_limit;
};

/* For the host: in the arena of the chip; NULL when it is exhausted. The functions are kept, not
 * copied. */
struct hart_profile *profile_create(struct arena *arena, const struct profile_function *functions,
                                    u32 count);

/* A thread that starts at a halfword of the text. */
void profile_start(struct hart_profile *profile, struct profile_thread thread, u32 index);

/* Finds the path of a thread that jumped out of its function. */
void profile_stray(struct hart_profile *profile, struct profile_thread thread, u32 index);

/* A jump at `site` has issued; the thread goes on at `target`, which may be outside the text. */
void profile_jump(struct hart_profile *profile, struct profile_thread thread,
                  const struct insn *insn, u32 site, u64 target);

/* The row of the instruction at `index` on the thread's path. */
static inline struct profile_row *profile_row(struct hart_profile *profile,
                                              struct profile_thread thread, u32 index)
{
    const struct profile_path *path = &profile->paths[*thread.path];
    if (__builtin_expect(index - path->function.first >= path->function.count, false)) {
        profile_stray(profile, thread, index);
        path = &profile->paths[*thread.path];
    }
    return &profile->rows[path->rows + (index - path->function.first)];
}

/* What the thread waits for from now on is charged to the instruction at `index`. */
static inline void profile_look(struct hart_profile *profile, struct profile_thread thread,
                                u32 index)
{
    thread.mark->row = (u32)(profile_row(profile, thread, index) - profile->rows);
}

static inline void profile_charge(struct hart_profile *profile, const struct profile_mark *mark,
                                  u32 reason, u64 cycles)
{
    profile->rows[mark->row].cycles[reason] += cycles;
}

/* "issued", "hazard_load". The text lives in `buffer`. */
const char *profile_reason_name(u32 reason, char *buffer, size_t size);

#endif
