/* program.h - programs on the units of a chip that run them (ogive/program.h): loading them, and
 * what they leave behind. */
#ifndef RUN_PROGRAM_H
#define RUN_PROGRAM_H

#include "arch/host.h"
#include "base/image.h"
#include "base/text.h"
#include "ogive/program.h"
#include "profile/profile.h"

/* In the arena: what the chip runs. */
struct program {
    struct chip_program chip;
    u8 *file;
    u64 file_bytes;
    const struct profile_function *functions; /* if profiling: the text, cut at its symbols */
    u32 function_count;
    struct hart_profile **profiles; /* likewise: by domain; NULL where nobody runs programs */
};

struct program_options {
    const char *file; /* an ELF executable */
    const char *const *arguments;
    u32 argument_count;
    bool profile;     /* count where the threads spend their cycles: see program_profile */
    const char *name; /* what its user calls it, for argv[0]; NULL: the file's name */
};

/* Puts a program and its arguments into the chip's memory and starts all hardware threads. */
bool program_load(ogv_system *system, const struct program_options *options,
                  struct ogv_error *error);

/* The first address behind a loaded program, its arguments and so much for its heap. */
u64 program_end(const ogv_system *system, u64 heap_bytes);

/* Tells the program where its scene lies; 0: it has none. */
void program_set_world(ogv_system *system, u64 address);
u64 program_world(const ogv_system *system);

/* Whether a chip has a program: one that was loaded, or that came with a checkpoint. */
bool program_present(const ogv_system *system);

/* Hardware threads of all units that run programs. */
u64 program_harts(ogv_system *system);

/* Instructions that they have executed. */
u64 program_instructions(ogv_system *system);

/* Where they have spent their cycles; NULL if that is not counted. The caller destroys it. */
struct profile *program_profile(ogv_system *system);

/* What the programs printed, unit after unit. */
void program_console(ogv_system *system, struct text *out);

/* Characters that are not among it: 0, unless the chip's state has taken all the room there is. */
u64 program_console_lost(ogv_system *system);

/* The exit code: the first one that is not zero, by unit. */
u64 program_exit_code(ogv_system *system);

/* The first thing that went wrong, explained; false if nothing did. */
bool program_fault(ogv_system *system, struct text *out);

/* The pixels that the program has named, as they are now; none if it has not. False only on
 * failure.
 */
bool program_pixels(ogv_system *system, struct image *picture, struct ogv_error *error);

/* Writes the image that the program named, if any, as PNG. False only on failure. */
bool program_image(ogv_system *system, const char *path, bool *written, struct ogv_error *error);

#endif
