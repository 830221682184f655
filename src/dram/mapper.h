/* mapper.h - from a byte address to a place in the memory.
 *
 * A mapping is written as fields from the most significant bit down: Ch channel, Ra rank (or
 * pseudochannel), Bg bank group, Ba bank, Ro row, Co column; "RoBgBaRaChCo". A number after a field
 * takes that many of its bits; the same field without a number, above, takes the rest:
 * "RoCoBaBgRaChCo2". Bits below a transaction are dropped; bits above the last field are, too.
 * A suffix adds a hash:
 *   "+column" each of channel, rank, group, bank and row is XORed with the next bits of the column;
 *   "+row"    channel, rank, group and bank are XORed with the next bits of the row.
 * The reference's own names are known as well: RoBaRaCoCh, ChRaBaRoCo, MOP4CLXOR, RoRaBaChCo. */
#ifndef DRAM_MAPPER_H
#define DRAM_MAPPER_H

#include "dram/device.h"

#define DRAM_MAP_PIECES 16

enum dram_hash { DRAM_HASH_NONE, DRAM_HASH_COLUMN, DRAM_HASH_ROW };

struct dram_map {
    u32 transaction_shift;
    u32 pieces;
    struct dram_map_piece {
        u64 mask; /* its bits in an address */
        u8 level, shift, bits;
        u8 turn;              /* to the left, from there to their place in the field */
    } piece[DRAM_MAP_PIECES]; /* from the least significant bit */
    u8 bits[DRAM_LEVELS];
    u8 hash;
};

struct dram_address {
    u32 channel, bank; /* bank counts through the whole channel */
    u32 column;        /* in transactions */
    u64 row;
};

bool dram_map_init(struct dram_map *map, const struct dram_device *device, const char *text,
                   struct ogv_error *error);
struct dram_address dram_map_address(const struct dram_map *map, const struct dram_device *device,
                                     u64 address);

/* The inverse: the lowest byte address of a place. */
u64 dram_map_compose(const struct dram_map *map, const u64 field[DRAM_LEVELS]);

#endif
