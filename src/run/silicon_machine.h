/* silicon_machine.h - the model of a card, and programs that run on it to be compared with the
 * card.
 */
#ifndef RUN_SILICON_MACHINE_H
#define RUN_SILICON_MACHINE_H

#include "arch/system.h"

#define SILICON_MACHINE "h200"

struct silicon_machine {
    const char *arch;
    const char *const *settings; /* "path=value" */
    u32 setting_count;
    u32 threads;
    const char *folder; /* for compiled programs */
};

/* Whether such a machine can be built. */
bool silicon_check(const struct silicon_machine *machine, struct ogv_error *error);

/* Compiles a program of a shipped folder into the machine's folder. */
bool silicon_program_make(const struct silicon_machine *machine, const char *folder,
                          const char *program, struct ogv_error *error);

/* A machine with such a program in it, whose arguments are words: the whole chip, or one SM. The
 * caller destroys it. */
ogv_system *silicon_start(const struct silicon_machine *machine, bool whole, const char *program,
                          const char *arguments, struct ogv_error *error);

/* Goes on until a cycle, or until this process is asked to stop. */
enum sim_end silicon_continue(ogv_system *system, cycle until, struct ogv_error *error);

/* What the program printed, which the caller frees; NULL if it has not ended well. `end`: how it
 * stopped, as silicon_continue says. */
char *silicon_end(ogv_system *system, enum sim_end end, struct ogv_error *error);

#endif
