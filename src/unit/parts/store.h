/* store.h - the bytes of a memory, and what requests do to them.
 *
 * A memory that was linked by address owns only some blocks of the address space and keeps them
 * without gaps: local addresses. */
#ifndef UNIT_PARTS_STORE_H
#define UNIT_PARTS_STORE_H

#include <string.h>

#include "ogive/memory.h"
#include "ogive/unit.h"
#include "unit/parts/atomic.h"

struct store {
    struct unit *unit; /* that it belongs to */
    u8 *bytes;
    u64 size_bytes;
    struct route route; /* of the port that serves */
    struct reservations reservations;
    struct purposes purposes; /* of local addresses */
};

bool store_init(struct store *store, struct unit *unit, u64 size_bytes, const struct route *route,
                struct ogv_error *error);

/* The local address. */
static inline u64 store_local(const struct store *store, u64 address)
{
    return store->route.interleave ? route_local(&store->route, address) : address;
}

/* Whether a request can be executed; a fence always can. If not, its answer is a fault. */
bool store_has(const struct store *store, const struct message *request);

/* The same of a read at its local address. */
static inline bool store_has_read(const struct store *store, const struct message *request,
                                  u64 local)
{
    u64 size = request->size_bytes;
    return size <= MESSAGE_DATA_BYTES && local < store->size_bytes &&
           size <= store->size_bytes - local;
}

/* Fetches what a read will take into the host's cache. */
static inline void store_prefetch(const struct store *store, u64 local)
{
    __builtin_prefetch(store->bytes + local);
}

/* Executes a read at its local address, of which store_has was true. */
static inline void store_read(const struct store *store, struct message *request, u64 local)
{
    const u8 *bytes = store->bytes + local;
    if (request->size_bytes == MEMORY_SECTOR)
        memcpy(request->data.byte, bytes, MEMORY_SECTOR); /* most are: without a call */
    else
        memcpy(request->data.byte, bytes, request->size_bytes);
}

/* Executes a request and turns it into its answer. Returns the bytes that were written. */
u32 store_execute(struct store *store, struct message *request);

/* For the `mark` function of a unit type. */
bool store_mark(struct store *store, u64 address, u64 bytes, enum purpose purpose);

/* For the `stored` function of a unit type. */
u8 *store_find(struct store *store, u64 address, u64 *length);

#endif
