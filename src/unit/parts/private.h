/* private.h - an access to the private memory of a thread, done at once. */
#ifndef UNIT_PARTS_PRIVATE_H
#define UNIT_PARTS_PRIVATE_H

#include <string.h>

#include "ogive/isa.h"

struct private_done {
    u64 raw; /* for isa_finish, if it reads */
    bool reads, writes;
};

/* Nobody else writes there: a reservation lasts until it is used. */
static inline struct private_done private_do(u64 *reservation, const struct isa_access *access,
                                             u8 *bytes)
{
    u64 old = 0;
    bool conditional = access->amo == AMO_SC, plain = access->store && !access->amo;
    bool fails = conditional && *reservation != access->address;
    bool writes = access->store || (access->amo && access->amo != AMO_LR && !fails);
    memcpy(&old, bytes, access->size_bytes);
    if (access->amo == AMO_LR || conditional)
        *reservation = conditional ? NEVER : access->address;
    if (writes) {
        u64 value = plain || conditional
                        ? access->data
                        : isa_amo(access->amo, access->size_bytes, old, access->data);
        memcpy(bytes, &value, access->size_bytes);
    }
    return (struct private_done){ conditional ? fails : old, !plain, writes };
}

#endif
