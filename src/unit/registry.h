/* registry.h - all unit types this process knows: those of units.def, then those loaded from shared
 * objects. */
#ifndef UNIT_REGISTRY_H
#define UNIT_REGISTRY_H

#include "ogive/unit.h"
#include "sim/sim.h"

#define REGISTRY_MAX 256

/* The n-th type, or NULL. */
const struct unit_type *registry_type(u32 index);
u32 registry_count(void);

/* Threads of programs that a unit runs; 0: it cannot be said. */
u64 registry_harts(const struct unit *unit);

/* The shared object that brought it; NULL: it is of the tree. */
const char *registry_file(u32 index);

/* Index of a type by name, or -1. */
int registry_find(const char *name);

/* The step functions, by type index. */
const tick_function *registry_ticks(void);

/* Adds the types of a shared object that ogv_library_allow was told of, and returns its whole path,
 * which the caller frees; NULL on failure. Loading the same file again is no error and changes
 * nothing. */
char *registry_load(const char *file, struct ogv_error *error);

/* A chip is about to be built, or is no more: what it is made of must not change meanwhile. */
void registry_use(void);
void registry_unuse(void);

#endif
