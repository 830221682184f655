/* streams.h - memory for machines that keep rays by treelet (ogive/stream_role.h). */
#ifndef RUN_STREAMS_H
#define RUN_STREAMS_H

#include "arch/system.h"
#include "run/world.h"

/* Bytes that the chip's units want behind the world and all else; 0: it has none of them. */
u64 streams_bytes(ogv_system *system, const struct world *world);

/* Lays that memory out from `address` on, writes records of hits with nothing hit, and tells the
 * units where everything lies; the world begins at `world_address`. */
bool streams_load(ogv_system *system, const struct world *world, u64 world_address, u64 address,
                  struct ogv_error *error);

#endif
