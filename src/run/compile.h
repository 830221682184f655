/* compile.h - device programs from source, with the stock RISC-V toolchain. */
#ifndef RUN_COMPILE_H
#define RUN_COMPILE_H

#include "base/text.h"
#include "ogive/ogive.h"

/* Formats of nodes and primitives that a program walks by itself; NULL: device.h's defaults. And
 * the size of the treelets that the tree lies in; 0: in none. */
struct compile_formats {
    const char *nodes, *primitives;
    u32 treelet_bytes;
    bool pipelines; /* boxes and triangles are tested by instructions */
};

/* The executable for what a user named: an ELF file as it is; a C or C++ source, or the name of a
 * shipped program, compiled to the file `out`. The caller frees the path. */
char *compile_program(const char *name, const char *out, struct compile_formats formats,
                      struct ogv_error *error);

/* The same; what the compiler says goes into the error, not to the user. */
char *compile_program_quietly(const char *name, const char *out, struct compile_formats formats,
                              struct ogv_error *error);

/* The same source for this machine, with threads. */
bool compile_native(const char *name, const char *out, struct compile_formats formats,
                    struct ogv_error *error);

/* Calls `visit` for each shipped program. */
void compile_list(void (*visit)(void *context, const char *name, const char *path), void *context);

/* Their names, separated by commas, in an empty text. */
void compile_list_names(struct text *out);

#endif
