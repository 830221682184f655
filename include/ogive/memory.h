/* memory.h - what messages between cores, caches and memories mean.
 *
 * A request names `size_bytes` bytes from `address` on; they lie within one sector of 32 bytes.
 * data.byte[i] belongs to address + i. Every request but a prefetch is answered exactly once: the
 * answer has the request's address, tag, source and kind, or kind MEMORY_FAULT if there is no such
 * memory. Answers may come in any order.
 *
 * A request to read has `missed` 0. Every cache that had to ask below for the data adds one to that
 * of its answer: whoever wants to know sees how far it came.
 *
 * `source` is the number of the hardware thread, and travels unchanged all the way. `tag` belongs
 * to the asker on this link.
 *
 * Addresses: a unit whose serving port was linked `by: address` owns only some of the blocks. It
 * takes the address as the whole chip counts it, and counts its own blocks without gaps from there
 * on (route_local): what is behind it sees these local addresses. */
#ifndef OGIVE_MEMORY_H
#define OGIVE_MEMORY_H

#include "ogive/types.h"

#define MEMORY_SECTOR 32

/* message.kind, lower byte */
enum memory_kind {
    MEMORY_READ,     /* answered with the data */
    MEMORY_WRITE,    /* bytes i with bit i of `mask`; the answer says that it can be seen by all */
    MEMORY_AMO,      /* `amo` says which; data.dword[0] is the operand and then the old value;
                      * executes where the data lives. A load-reserved is answered with a stamp in
                      * data.dword[1], which the store-conditional must have there. Or several
                      * at once, see MEMORY_TOGETHER */
    MEMORY_PREFETCH, /* bring it near; not answered */
    MEMORY_FENCE,    /* no address: earlier writes of this cache leave it, what it holds of others'
                      * data is forgotten; answered when that is done */
    MEMORY_FAULT,    /* only as an answer */
};

#define MEMORY_KIND                         0xffu

/* `amo` of a MEMORY_AMO of a whole sector, its size_bytes: the same operation on several places,
 * each of `bytes` bytes, one at 4 * i for each bit i of `places`, which do not overlap. Operands
 * and then old values stand in their places of the data. Not for load-reserved and
 * store-conditional. */
#define MEMORY_TOGETHER(amo, bytes, places) ((u32)(amo) | (u32)(bytes) << 8 | (u32)(places) << 16)
#define MEMORY_TOGETHER_AMO(together)       ((together)&0xffu)
#define MEMORY_TOGETHER_BYTES(together)     ((together) >> 8 & 0xffu)
#define MEMORY_TOGETHER_PLACES(together)    ((together) >> 16)

/* message.kind, upper byte: pass the cache of that level (1 to 4) without leaving a copy in it. */
#define MEMORY_SKIP(level)                  (0x100u << ((level)-1))

/* The same, of a read of the scene: a DRAM partition answers it without asking its devices, for
 * these bytes would have been nearer (unit_ghosts). */
#define MEMORY_AT_ONCE                      0x1000u

#endif
