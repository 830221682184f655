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
    u64 column_mask; /* bits of an address that say the lowest of its column, and nothing else */
    u8 bits[DRAM_LEVELS];
    u8 hash;
};

struct dram_address {
    u32 channel, bank; /* bank counts through the whole channel */
    u32 column;        /* in transactions */
    u32 account; /* of DRAM_ACCOUNTS that its column command counts for; the caller's to set */
    u64 row;
};

bool dram_map_init(struct dram_map *map, const struct dram_device *device, const char *text,
                   struct ogv_error *error);
/* XORs the fields as the hash says; the same a second time undoes it. */
void dram_map_hash(const struct dram_map *map, u64 field[DRAM_LEVELS]);

static inline u64 dram_map_turn(u64 bits, u32 by)
{
    return bits << by | bits >> (-by & 63);
}

static inline struct dram_address dram_map_address(const struct dram_map *map,
                                                   const struct dram_device *device, u64 address)
{
    u64 field[DRAM_LEVELS] = { 0 };
    const struct dram_map_piece *end = &map->piece[map->pieces];
    for (const struct dram_map_piece *piece = map->piece; piece < end; piece++)
        field[piece->level] |= dram_map_turn(address & piece->mask, piece->turn);
    if (map->hash)
        dram_map_hash(map, field);
    u64 group = field[DRAM_RANK] * device->count[DRAM_BANKGROUP] + field[DRAM_BANKGROUP];
    return (struct dram_address){
        .channel = (u32)field[DRAM_CHANNEL],
        .bank = (u32)(group * device->count[DRAM_BANK] + field[DRAM_BANK]),
        .column = (u32)field[DRAM_COLUMN],
        .row = field[DRAM_ROW],
    };
}

/* Turns `place`, that of the address `from`, into that of another, if they differ in nothing but
 * the lowest bits of the column. */
static inline bool dram_map_near(const struct dram_map *map, u64 from, u64 address,
                                 struct dram_address *place)
{
    u64 other = from ^ address;
    if (other & ~map->column_mask)
        return false;
    place->column ^= (u32)(other >> map->transaction_shift);
    return true;
}

/* The inverse: the lowest byte address of a place. */
u64 dram_map_compose(const struct dram_map *map, const u64 field[DRAM_LEVELS]);

#endif
