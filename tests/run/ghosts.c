/* ghosts.c - requests of SMs that are not simulated: what they are, and what caches make of them.
 */
#include "run/ghosts.h"

#include <stdlib.h>
#include <string.h>

#include "../arch/support.h"
#include "base/text.h"
#include "ogive/memory.h"
#include "rt/bvh.h"
#include "unit/registry.h"

/* ---- A cache with them ---- */

#define SPAN    (1 * KiB) /* that is read */
#define SECTORS (SPAN / MEMORY_SECTOR)
#define READS   100

static const char chip_text[] = "domains:\n"
                                "  a:\n"
                                "    units:\n"
                                "      t: { type: tester, requests: 100, outstanding: 1, span: 1 "
                                "KiB, writes: 0 }\n"
                                "      c: { type: cache, size: 4 KiB, write: back, write_miss: "
                                "allocate }\n"
                                "      m: { type: memory }\n"
                                "    links:\n"
                                "      - t -> c\n"
                                "      - c -> m\n";

/* Misses of a cache that takes these requests as well. */
static double misses_with(const char *setting, const char *value, const u32 *sectors, u64 count)
{
    struct ogv_error error;
    struct unit_ghosts ghosts = { 0, UINT64_MAX, count, sectors };
    ogv_arch *arch = arch_from(chip_text);
    if (setting)
        assert_good(ogv_arch_set(arch, setting, value, &error), error);
    ogv_system *system = ogv_system_create(arch, &error);
    assert_good(system, error);
    for (u32 i = 0; count && i < system->chip->unit_count; i++) {
        const struct unit_type *type = registry_type(system->chip->units[i]->type);
        if (type->haunt)
            type->haunt(system->chip->units[i], &ghosts);
    }
    assert_int_equal(ogv_system_run(system, OGV_FOREVER, &error), OGV_END_FINISHED);
    assert_true(stat_of(system, "a.t.answered") == READS && stat_of(system, "a.t.wrong") == 0);
    double misses = stat_of(system, "a.c.misses");
    ogv_system_destroy(system);
    ogv_arch_destroy(arch);
    return misses;
}

static void what_others_fetched_is_there(void **state)
{
    u32 sectors[SECTORS];
    (void)state;
    for (u32 i = 0; i < SECTORS; i++)
        sectors[i] = i;
    double alone = misses_with(NULL, NULL, NULL, 0);
    assert_true(alone > 20 && alone <= SECTORS);
    assert_true(misses_with(NULL, NULL, sectors, SECTORS) <= 1); /* the first read comes first */
}

/* As much as the cache holds, elsewhere, between any two reads. */
static u32 *flood(u32 *count)
{
    u32 lines = 4 * KiB / MEMORY_SECTOR,
        *sectors = heap_array(READS * (lines + 1), sizeof *sectors);
    *count = 0;
    for (u32 i = 0; i < READS; i++) {
        for (u32 k = 0; k < lines; k++)
            sectors[(*count)++] = lines + k;
        sectors[(*count)++] = UNIT_GHOST_TURN;
    }
    return sectors;
}

static void what_others_drive_out_is_missed(void **state)
{
    u32 count, *sectors = flood(&count);
    (void)state;
    assert_true(misses_with(NULL, NULL, sectors, count) > 0.9 * READS);
    free(sectors);
}

/* Bytes that nothing below has yet are not lost, and none are old. */
static void written_bytes_stay(void **state)
{
    u32 count, *sectors = flood(&count);
    (void)state;
    for (u32 i = 0; i < count; i++)
        sectors[i] ^= i % 3 ? 0 : 4 * KiB / MEMORY_SECTOR; /* some where the tester writes */
    misses_with("a.t.writes", "0.5", sectors, count);
    free(sectors);
}

/* ---- What they ask for ---- */

/* Nodes of 64 bytes from 0 on, blocks of 32 from 1024 on; L1s of two lines with two sectors each.
 */
static struct ghosts ghosts_of(struct visit_list *lists, u64 count, u32 sms)
{
    struct visit_lists all = { lists, count, 0, 1024, 64, 32 };
    struct ghost_source source = {
        &all, 1, { .sms = sms, .threads = 2, .rays = 1, .sets = 1, .ways = 2, 64, 32 }
    };
    return ghosts_make(&source);
}

static void ghosts_check(struct ghosts *ghosts, const u32 *expected, const u16 *blocks, u64 count)
{
    assert_int_equal(ghosts->count, count);
    assert_memory_equal(ghosts->blocks, blocks, count * sizeof *blocks);
    assert_memory_equal(ghosts->sectors, expected, count * sizeof *expected);
    ghosts_fini(ghosts);
}

/* One ray after the other; what the L1 has is not asked for. */
static void an_l1_asks_for_what_it_lacks(void **state)
{
    u32 first[] = { 0, 1, 0, BVH_LIST_BLOCK | 0, BVH_LIST_END, 1, BVH_LIST_END };
    struct visit_list lists[] = { { first, 7 } };
    static const u32 expected[] = { 0, 1, 2, 3, 32, 2, 3 }; /* the block drove node 1 out */
    static const u16 blocks[7] = { 0 };
    (void)state;
    struct ghosts ghosts = ghosts_of(lists, 1, 1);
    ghosts_check(&ghosts, expected, blocks, 7);
}

/* Two SMs in turn, each with an L1 of its own; the third piece waits for the first to end. */
static void sms_take_turns_and_pieces(void **state)
{
    u32 a[] = { 0, 1, BVH_LIST_END }, b[] = { 0, 2, 3, BVH_LIST_END }, c[] = { 1, BVH_LIST_END };
    struct visit_list lists[] = { { a, 3 }, { b, 4 }, { NULL, 0 }, { c, 2 } };
    static const u32 expected[] = { 0, 1, 0, 1, 2, 3, 4, 5, 6, 7 };
    static const u16 blocks[] = { 0, 0, 1, 1, 0, 0, 1, 1, 1, 1 };
    (void)state;
    struct ghosts ghosts = ghosts_of(lists, 4, 2);
    ghosts_check(&ghosts, expected, blocks, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_others_fetched_is_there),
        cmocka_unit_test(what_others_drive_out_is_missed),
        cmocka_unit_test(written_bytes_stay),
        cmocka_unit_test(an_l1_asks_for_what_it_lacks),
        cmocka_unit_test(sms_take_turns_and_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
