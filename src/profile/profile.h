/* profile.h - where a program spent the cycles of its threads, as a run leaves it in profile.json.
 *
 * Every thread-cycle between start and end of a thread is charged once: to a call path, an
 * instruction on it, and a reason (ogive/profile.h). Paths of all domains are merged. A path is
 * known exactly, by following calls and returns while the program runs; which functions were
 * inlined is known from the debug information of the program.
 *
 * Always true: the cycles of all rows add up to `thread_cycles`; a path stands behind the one that
 * called it. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "arch/host.h"
#include "base/hash.h"
#include "ogive/profile.h"

#define ADDRESS_NONE UINT64_MAX

struct profile_counts {
    u64 cycles[PROFILE_WIDTH];
    double picojoules; /* of issuing: fetching, registers and computing */
};

/* One instruction on one path. */
struct profile_sample {
    u64 pc;
    u32 path;
    double issue_pj; /* of one issue */
    struct profile_counts counts;
};

struct profile_call {
    u64 function; /* address; ADDRESS_NONE: paths for which there was no room */
    u64 site;     /* address of the call; ADDRESS_NONE: started by the host */
    u64 calls;
    u32 parent; /* PATH_NONE: none */
};

struct profile {
    struct profile_call *paths;
    struct profile_sample *samples; /* by path, then by address */
    u32 path_count, sample_count;
    u64 thread_cycles, halted_cycles;
    bool warps;      /* these are cycles of warps, on all units that ran the program */
    bool has_energy; /* what an instruction costs is known, and everywhere the same */
    char program_hash[HASH_TEXT_BYTES];
    char *program; /* path of the ELF file */
};

/* What is merged: the rows of a chip's domains, for a program. */
struct profile_source {
    const struct isa_program *text;
    struct hart_profile *const *profiles; /* by domain; NULL: none */
    const u8 *file;                       /* the program's */
    u64 file_bytes;
};

struct profile *profile_gather(ogv_system *system, const struct profile_source *source);
void profile_destroy(struct profile *profile);

/* In energy.c: what issuing costs, by class; false if it is not known or not everywhere the same.
 */
bool profile_issue_costs(const ogv_system *system, double pj[CLASS_COUNT]);

/* profile.json in a folder; the program lies beside it as program.elf. */
bool profile_write(const struct profile *profile, const char *folder, struct ogv_error *error);
struct profile *profile_read(const char *folder, struct ogv_error *error);

/* ---- Costs ---- */

/* What views rank by: the cycles of some reasons. Whatever else can be laid to an instruction on a
 * path belongs into profile_cost, which sees both. */
struct profile_measure {
    const char *name;
    u32 reasons; /* bits */
    bool energy; /* instead: picojoules */
};

/* "cycles", "issued", "stalled", or a reason like "hazard_load"; several with commas; or "energy".
 */
bool profile_measure_find(const char *text, struct profile_measure *measure,
                          struct ogv_error *error);
double profile_cost(const struct profile_measure *measure, const struct profile_sample *sample);

void counts_add(struct profile_counts *sum, const struct profile_counts *part);
u64 counts_total(const struct profile_counts *counts);

/* The reason other than issuing that took most; PROFILE_ISSUED if there is none. */
u32 counts_main_stall(const struct profile_counts *counts);

#endif
