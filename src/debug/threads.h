/* threads.h - the threads of a chip by number: which unit has them, and how they stand. A chip
 * without a program has one that stands for the machine as a whole. */
#ifndef DEBUG_THREADS_H
#define DEBUG_THREADS_H

#include "arch/system.h"
#include "ogive/debug.h"
#include "ogive/program.h"

struct chip_threads {
    struct unit **units; /* those that run programs, in order */
    u32 *first; /* of each: the number of its first thread; one more than there are units */
    u32 unit_count;
    u32 *of_unit; /* by number of a unit of the chip: its place above, or NOBODY */
    u32 width;    /* of the widest warp; 0: there are none */
};

void threads_init(struct chip_threads *threads, ogv_system *system);
void threads_fini(struct chip_threads *threads);

/* All there are, ended or not. */
u32 threads_count(const struct chip_threads *threads);

/* Of whom a thread is: its unit (NULL: the machine) and its number there. */
struct thread_place {
    struct unit *unit;
    u32 number;
};
struct thread_place threads_place(const struct chip_threads *threads, u32 thread);

const struct program_role *unit_program_role(const struct unit *unit);

/* As far as the unit's role says; what it does not say is 0, and `executed` then counts nothing. */
void place_view(struct thread_place place, struct debug_view *view);

/* How many lanes the warp of a thread has; 0: it is in none. */
u32 place_width(struct thread_place place);

/* The thread whose fault has ended the program, and the fault, with its cycle as the chip counts;
 * NOBODY: there is none. */
u32 threads_failed(const struct chip_threads *threads, struct program_fault *first);

/* "sm[3].core[5].t2", "sm[0].subcore[1].w3.l17", "machine". */
void threads_name(const struct chip_threads *threads, u32 thread, struct text *out);

#endif
