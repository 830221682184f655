/* private.h - an access to the private memory of a thread, done at once. */
#ifndef UNIT_PARTS_PRIVATE_H
#define UNIT_PARTS_PRIVATE_H

#include <string.h>

#include "ogive/isa.h"

struct private_done {
    u64 raw; /* for isa_finish, if it reads */
    bool reads, writes;
};

/* Each size has a branch of its own, so that none needs a call. */
static inline u64 private_load(const u8 *bytes, u32 size)
{
    u64 raw = 0;
    switch (size) {
    case 8:
        memcpy(&raw, bytes, 8);
        break;
    case 4:
        memcpy(&raw, bytes, 4);
        break;
    case 2:
        memcpy(&raw, bytes, 2);
        break;
    default:
        raw = *bytes;
    }
    return raw;
}

static inline void private_store(u8 *bytes, u64 value, u32 size)
{
    switch (size) {
    case 8:
        memcpy(bytes, &value, 8);
        break;
    case 4:
        memcpy(bytes, &value, 4);
        break;
    case 2:
        memcpy(bytes, &value, 2);
        break;
    default:
        *bytes = (u8)value;
    }
}

/* Nobody else writes there: a reservation lasts until it is used. */
static inline struct private_done private_do(u64 *reservation, const struct isa_access *access,
                                             u8 *bytes)
{
    bool conditional = access->amo == AMO_SC, plain = access->store && !access->amo;
    bool fails = conditional && *reservation != access->address;
    bool writes = access->store || (access->amo && access->amo != AMO_LR && !fails);
    u64 old = private_load(bytes, access->size_bytes);
    if (access->amo == AMO_LR || conditional)
        *reservation = conditional ? NEVER : access->address;
    if (writes) {
        u64 value = plain || conditional
                        ? access->data
                        : isa_amo(access->amo, access->size_bytes, old, access->data);
        private_store(bytes, value, access->size_bytes);
    }
    return (struct private_done){ conditional ? fails : old, !plain, writes };
}

#endif
