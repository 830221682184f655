/* host.h - the memory of a chip as its programs see it, for the host: to load and to read results.
 *
 * An address is followed from a core down to the memory that stores it, the way a request would go.
 * Reading adds what caches between any core and that memory hold and it does not have yet. Takes no
 * simulated time; only to be used while the chip stands still. */
#ifndef ARCH_HOST_H
#define ARCH_HOST_H

#include "arch/system.h"

bool host_write(ogv_system *system, u64 address, const void *bytes, u64 length,
                struct ogv_error *error);
bool host_read(ogv_system *system, u64 address, void *bytes, u64 length, struct ogv_error *error);

/* As host_write, in the middle of a run: all copies that caches have are changed as well. */
bool host_change(ogv_system *system, u64 address, const void *bytes, u64 length,
                 struct ogv_error *error);

/* What these bytes are for (ogive/purpose.h). Before the first cycle. */
bool host_mark(ogv_system *system, u64 address, u64 length, enum purpose purpose,
               struct ogv_error *error);

/* How much there is for all cores, from address 0 on; 0: nothing. */
u64 host_memory_bytes(ogv_system *system);

/* Calls `visit` for each unit that requests of cores for an address can pass or end in, with the
 * address of its sector as that unit takes it. */
void host_follow(ogv_system *system, u64 address,
                 void (*visit)(void *context, struct unit *unit, u64 address), void *context);

/* Calls `visit` for each unit whose type has a role (unit_runs_programs, unit_traces_rays), in
 * order. */
void host_visit(ogv_system *system, bool (*has)(const struct unit_type *type),
                void (*visit)(void *context, struct unit *unit), void *context);

/* Puts what is on its way to a unit, and so is newer than what that holds, into the bytes from
 * `address` on. */
void host_add_under_way(const struct unit *unit, u64 address, u8 *bytes, u64 length);

#endif
