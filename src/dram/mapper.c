/* mapper.c - reads a mapping into pieces, bits of the address that go to bits of a level, and
 * follows them in both directions. */
#include "dram/mapper.h"

#include <ctype.h>
#include <string.h>

/* The reference's mappers in our notation. In MOP4CLXOR the row takes all bits that are left, not
 * only its own: 40 stands for them. */
static const struct {
    const char *name, *fields;
} aliases[] = {
    { "RoBaRaCoCh", "RoBaBgRaCoCh" },
    { "ChRaBaRoCo", "ChRaBgBaRoCo" },
    { "MOP4CLXOR", "Ro40CoBaBgRaChCo2+column" },
    { "RoRaBaChCo", "RoRaBaChCo" },
};

static const char *const field_names[DRAM_LEVELS] = { "Ch", "Ra", "Bg", "Ba", "Ro", "Co" };

static u32 log2_of(u32 value)
{
    return value ? 31 - (u32)__builtin_clz(value) : 0;
}

static int field_parse(const char **text, u32 *bits)
{
    for (int level = 0; level < DRAM_LEVELS; level++) {
        if (strncmp(*text, field_names[level], 2))
            continue;
        *text += 2;
        *bits = 0;
        while (isdigit((unsigned char)**text))
            *bits = *bits * 10 + (u32)(*(*text)++ - '0');
        return level;
    }
    return -1;
}

static bool hash_parse(struct dram_map *map, const char *text, struct ogv_error *error)
{
    if (!*text)
        return true;
    if (!strcmp(text, "+column"))
        map->hash = DRAM_HASH_COLUMN;
    else if (!strcmp(text, "+row"))
        map->hash = DRAM_HASH_ROW;
    else
        return error_user(error,
                          "address mapping: '%s' is neither a field nor a hash; fields are "
                          "Ch Ra Bg Ba Ro Co, hashes +column and +row",
                          text);
    return true;
}

struct written_field {
    int level;
    u32 bits;
};

/* Of a field that goes beyond the address only a part is there, or nothing. */
static struct dram_map_piece piece_at(u32 from, u8 level, u8 shift, u32 bits)
{
    u64 mask = (UINT64_C(1) << bits) - 1;
    return (struct dram_map_piece){ .mask = from < 64 ? mask << from : 0,
                                    .level = level,
                                    .shift = shift,
                                    .bits = (u8)bits,
                                    .turn = (u8)((shift - from) & 63) };
}

/* Fields come from the least significant one; `given` counts the bits of each level so far. */
static bool pieces_place(struct dram_map *map, const struct written_field *field, u32 count,
                         struct ogv_error *error)
{
    u8 given[DRAM_LEVELS] = { 0 };
    u32 from = map->transaction_shift;
    while (count--) {
        u8 level = (u8)field[count].level;
        u32 rest = given[level] < map->bits[level] ? map->bits[level] - given[level] : 0;
        u32 bits = field[count].bits ? field[count].bits : rest;
        if (given[level] + bits > 63)
            return error_user(error, "address mapping: too many bits of %s", field_names[level]);
        if (bits)
            map->piece[map->pieces++] = piece_at(from, level, given[level], bits);
        given[level] = (u8)(given[level] + bits);
        from += bits;
    }
    for (u32 level = 0; level < DRAM_LEVELS; level++)
        if (given[level] < map->bits[level])
            return error_user(error, "address mapping: %u bits of %s have no place",
                              map->bits[level] - given[level], field_names[level]);
    return true;
}

static bool fields_parse(struct dram_map *map, const char *text, struct ogv_error *error)
{
    struct written_field field[DRAM_MAP_PIECES];
    u32 count = 0;
    while (*text && *text != '+') {
        int level = field_parse(&text, &field[count].bits);
        if (level < 0)
            return hash_parse(map, text, error);
        field[count++].level = level;
        if (count == DRAM_MAP_PIECES)
            return error_user(error, "address mapping: more than %d fields", DRAM_MAP_PIECES - 1);
    }
    if (!hash_parse(map, text, error) || !pieces_place(map, field, count, error))
        return false;
    if (!map->hash && map->piece[0].level == DRAM_COLUMN)
        map->column_mask = map->piece[0].mask;
    return true;
}

bool dram_map_init(struct dram_map *map, const struct dram_device *device, const char *text,
                   struct ogv_error *error)
{
    *map = (struct dram_map){ .transaction_shift = log2_of(device->transaction_bytes) };
    for (u32 level = 0; level < DRAM_LEVELS; level++)
        map->bits[level] = (u8)log2_of(device->count[level]);
    map->bits[DRAM_COLUMN] = (u8)(map->bits[DRAM_COLUMN] - log2_of(device->prefetch));
    for (u32 i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (!strcmp(aliases[i].name, text))
            text = aliases[i].fields;
    return fields_parse(map, text, error);
}

void dram_map_hash(const struct dram_map *map, u64 field[DRAM_LEVELS])
{
    u32 levels = map->hash == DRAM_HASH_COLUMN ? DRAM_ROW + 1 : DRAM_BANK + 1;
    u64 source = map->hash == DRAM_HASH_COLUMN ? field[DRAM_COLUMN] : field[DRAM_ROW];
    for (u32 level = 0; level < levels; level++) {
        u64 mask = (UINT64_C(1) << map->bits[level]) - 1;
        field[level] ^= source & mask;
        source >>= map->bits[level];
    }
}

u64 dram_map_compose(const struct dram_map *map, const u64 wanted[DRAM_LEVELS])
{
    u64 field[DRAM_LEVELS];
    memcpy(field, wanted, sizeof field);
    if (map->hash)
        dram_map_hash(map, field);
    u64 address = 0;
    for (u32 i = map->pieces; i--;) {
        u64 mask = (UINT64_C(1) << map->piece[i].bits) - 1;
        address = address << map->piece[i].bits |
                  (field[map->piece[i].level] >> map->piece[i].shift & mask);
    }
    return address << map->transaction_shift;
}
