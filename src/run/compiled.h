/* compiled.h - shipped programs that were compiled before, kept in the user's cache folder
 * (base/cache.h).
 *
 * One is found by all that the compiler reads: the shipped sources, headers and start code; and by
 * what may change how it reads them: the tools and the C library as they are installed, the
 * environment, and the current folder, which is part of a program's debug information. */
#ifndef RUN_COMPILED_H
#define RUN_COMPILED_H

#include "base/cache.h"
#include "run/compile.h"

/* The compiler, and its file of settings that comes with the C library. */
#define COMPILED_COMPILER "riscv64-unknown-elf-gcc"
#define COMPILED_SPECS    "picolibc.specs"

/* The name of a shipped program in the cache. `specs` is where the compiler's settings are. False
 * if not all of the above is known, or there is no cache. */
bool compiled_name(const char *source, struct compile_formats formats, const char *specs,
                   char name[CACHE_NAME_BYTES]);

/* Between the cache and the file `out`; taking is false if there is none such. */
bool compiled_take(const char *name, const char *out);
void compiled_put(const char *name, const char *out);

#endif
