/* store.c - reads, writes, atomics and fences on stored bytes. What is not all inside the memory
 * becomes a fault and changes nothing. */
#include "unit/parts/store.h"

bool store_init(struct store *store, struct unit *unit, u64 size_bytes, const struct route *route,
                struct ogv_error *error)
{
    store->bytes = unit_alloc(unit, size_bytes, 1, error);
    store->unit = unit;
    store->size_bytes = size_bytes;
    store->route = *route;
    return store->bytes;
}

static bool store_holds(const struct store *store, u64 local, u64 size)
{
    return local < store->size_bytes && size <= store->size_bytes - local;
}

bool store_has(const struct store *store, const struct message *request)
{
    u32 kind = request->kind & MEMORY_KIND;
    return kind == MEMORY_FENCE ||
           (request->size_bytes <= MESSAGE_DATA_BYTES &&
            (kind != MEMORY_AMO || atomic_fits(request)) &&
            store_holds(store, store_local(store, request->address), request->size_bytes));
}

static u32 store_write(struct store *store, const struct message *request, u8 *bytes)
{
    u32 written = 0;
    for (u32 i = 0; i < request->size_bytes; i++) {
        if (!(request->mask >> i & 1))
            continue;
        bytes[i] = request->data.byte[i];
        written++;
    }
    atomic_written(&store->reservations, request->address);
    return written;
}

u32 store_execute(struct store *store, struct message *request)
{
    u32 kind = request->kind & MEMORY_KIND;
    if (!store_has(store, request)) {
        request->kind = MEMORY_FAULT;
        return 0;
    }
    if (kind == MEMORY_FENCE)
        return 0; /* what came before was executed */
    u8 *bytes = store->bytes + store_local(store, request->address);
    if (kind == MEMORY_WRITE)
        return store_write(store, request, bytes);
    if (kind == MEMORY_AMO)
        return atomic_execute(store->unit, &store->reservations, request, bytes)
                   ? request->size_bytes
                   : 0;
    store_read(store, request, (u64)(bytes - store->bytes));
    return 0;
}

u8 *store_find(struct store *store, u64 address, u64 *length)
{
    u64 local = store_local(store, address);
    if (!store_holds(store, local, 1))
        return NULL;
    *length = store->size_bytes - local;
    if (store->route.interleave)
        *length = min_u64(*length, store->route.interleave - local % store->route.interleave);
    return store->bytes + local;
}

/* The blocks of others in between take no room here. */
bool store_mark(struct store *store, u64 address, u64 bytes, enum purpose purpose)
{
    u64 begin = store_local(store, address), last = store_local(store, address + bytes - 1);
    return purposes_add(&store->purposes, begin, last + 1, purpose);
}
