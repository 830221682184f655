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
#define READS   1000

static const char chip_text[] = "domains:\n"
                                "  a:\n"
                                "    units:\n"
                                "      t: { type: tester, requests: 1000, outstanding: 1, span: 1 "
                                "KiB, writes: 0 }\n"
                                "      c: { type: cache, size: 4 KiB, write: back, write_miss: "
                                "allocate }\n"
                                "      m: { type: memory }\n"
                                "    links:\n"
                                "      - t -> c\n"
                                "      - c -> m\n";

struct told {
    double reads, writes, misses, fetched;
};

/* By a cache that takes these requests as well, and has so many of the lines from a sector on. */
static struct told told_brought(const char *setting, const char *value, const u32 *requests,
                                u64 count, u32 brought, u64 shared)
{
    struct ogv_error error;
    struct unit_ghosts ghosts = { 0, UINT64_MAX, count, requests, brought, shared };
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
    struct told told = { stat_of(system, "a.c.reads"), stat_of(system, "a.c.writes"),
                         stat_of(system, "a.c.misses"), stat_of(system, "a.c.bytes_fetched") };
    ogv_system_destroy(system);
    ogv_arch_destroy(arch);
    return told;
}

static struct told told_with(const char *setting, const char *value, const u32 *requests, u64 count)
{
    return told_brought(setting, value, requests, count, 0, 0);
}

/* Two sectors with each request, long before the tester asks for most of them; it takes some time
 * until all have come. */
static void what_others_fetched_is_there(void **state)
{
    u32 requests[2 * READS], count = 0;
    (void)state;
    for (u32 i = 0; i < READS; i++) {
        if (2 * i < SECTORS)
            requests[count++] = unit_ghost(2 * i, 2);
        requests[count++] = unit_ghost(0, 1) | UNIT_GHOST_TURN;
    }
    struct told alone = told_with(NULL, NULL, NULL, 0);
    struct told with = told_with(NULL, NULL, requests, count);
    assert_true(alone.reads == READS && alone.misses > 20 && alone.misses <= SECTORS);
    assert_true(with.reads > READS && with.reads <= READS + SECTORS);
    assert_true(with.fetched == with.misses * MEMORY_SECTOR);
    assert_true(with.misses > 20 && with.misses <= SECTORS);
}

/* As much as the cache holds, elsewhere, between any two reads. */
static u32 *flood(u32 *count)
{
    u32 lines = 4 * KiB / MEMORY_SECTOR,
        *requests = heap_array(READS * (lines + 1), sizeof *requests);
    *count = 0;
    for (u32 i = 0; i < READS; i++) {
        for (u32 k = 0; k < lines; k++)
            requests[(*count)++] = unit_ghost(lines + k, 1);
        requests[(*count)++] = unit_ghost(0, 1) | UNIT_GHOST_TURN;
    }
    return requests;
}

static void what_others_drive_out_is_missed(void **state)
{
    u32 count, *requests = flood(&count);
    struct told alone = told_with(NULL, NULL, NULL, 0);
    struct told with = told_with(NULL, NULL, requests, count);
    (void)state;
    assert_true(alone.misses <= SECTORS);
    assert_true(with.misses > READS); /* else no more than one for each sector of both */
    free(requests);
}

/* They are hits, but the bytes still come from below. */
static void what_nobody_knows_to_have_been_brought_is_a_hit(void **state)
{
    u32 count, *requests = flood(&count);
    (void)state;
    struct told none = told_with(NULL, NULL, requests, count);
    struct told half = told_brought(NULL, NULL, requests, count, UINT32_MAX / 2, 0);
    struct told all = told_brought(NULL, NULL, requests, count, UINT32_MAX, 0);
    assert_true(all.misses == 0 && all.reads > READS && all.fetched > SPAN);
    assert_true(half.misses > 0.4 * none.misses && half.misses < 0.6 * none.misses);
    free(requests);
}

/* The tester's sectors lie before those of the flood. */
static void what_belongs_to_pieces_nobody_brings(void **state)
{
    u32 count, *requests = flood(&count);
    (void)state;
    struct told none = told_with(NULL, NULL, requests, count);
    struct told behind = told_brought(NULL, NULL, requests, count, UINT32_MAX, SECTORS);
    struct told nowhere = told_brought(NULL, NULL, requests, count, UINT32_MAX, UINT64_MAX);
    assert_true(behind.misses > 0 && behind.misses <= READS);
    assert_true(nowhere.misses == none.misses);
    free(requests);
}

/* Sixteen sectors, which nobody reads, by quarters: the first to write to one misses. */
static void what_others_write_is_counted(void **state)
{
    u32 requests[2 * READS], count = 0;
    (void)state;
    for (u32 i = 0; i < READS; i++) {
        requests[count++] = unit_ghost_write(SECTORS + i % 16, i / 16 % 4);
        requests[count++] = unit_ghost(0, 1) | UNIT_GHOST_TURN;
    }
    struct told alone = told_with(NULL, NULL, NULL, 0);
    struct told with = told_with(NULL, NULL, requests, count);
    assert_true(alone.writes == 0 && with.writes > 0.9 * READS && with.writes <= READS);
    assert_true(with.misses == alone.misses + 16);
    assert_true(with.fetched == alone.fetched);
}

/* Bytes that nothing below has yet are not lost, and none are old: the tester would say so. */
static void written_bytes_stay(void **state)
{
    u32 count, *requests = flood(&count);
    (void)state;
    for (u32 i = 0; i < count; i++)
        requests[i] ^= i % 3 ? 0 : 4 * KiB / MEMORY_SECTOR; /* some where the tester writes */
    assert_true(told_with("a.t.writes", "0.5", requests, count).reads > READS / 4);
    free(requests);
}

/* ---- What they ask for ---- */

#define LIST_MOST 16

struct list {
    u32 visits[LIST_MOST];
    u64 count;
};

/* Nodes of 64 bytes from 0 on, blocks of 32 from 1024 on; L1s of two lines with two sectors each.
 */
static struct ghosts ghosts_of(const struct list *lists, u64 count, u32 sms)
{
    struct visit_list of[8];
    u32 visits[8 * LIST_MOST], *all = visits;
    for (u64 i = 0; i < count; i++) {
        of[i] = (struct visit_list){ i * LIST_MOST, lists[i].count, 0 };
        memcpy(&visits[i * LIST_MOST], lists[i].visits, sizeof lists[i].visits);
    }
    struct visit_lists given = { .of = of,
                                 .count = count,
                                 .visits = &all,
                                 .runners = 1,
                                 .blocks = 1024,
                                 .node_bytes = 64,
                                 .block_bytes = 32 };
    struct ghost_source source = {
        &given, 1, { .sms = sms, .threads = 2, .rays = 1, .sets = 1, .ways = 2, 64, 32 }, 0
    };
    return ghosts_make(&source);
}

struct expected {
    u32 sector, count;
    u16 block;
};

static void ghosts_check(struct ghosts *ghosts, const struct expected *expected, u64 count)
{
    assert_int_equal(ghosts->count, count);
    for (u64 i = 0; i < count; i++) {
        assert_int_equal(unit_ghost_sector(ghosts->requests[i]), expected[i].sector);
        assert_int_equal(unit_ghost_count(ghosts->requests[i]), expected[i].count);
        assert_int_equal(ghosts->blocks[i], expected[i].block);
    }
    ghosts_fini(ghosts);
}

/* One ray after the other; what the L1 has is not asked for. */
static void an_l1_asks_for_what_it_lacks(void **state)
{
    static const struct list lists[] = {
        { { 0, 1, 0, BVH_LIST_BLOCK | 0, BVH_LIST_END, 1, BVH_LIST_END }, 7 }
    };
    static const struct expected expected[] = { /* the block drove node 1 out */
                                                { 0, 2, 0 },
                                                { 2, 2, 0 },
                                                { 32, 1, 0 },
                                                { 2, 2, 0 }
    };
    (void)state;
    struct ghosts ghosts = ghosts_of(lists, 1, 1);
    ghosts_check(&ghosts, expected, 4);
}

/* What a program loads comes before the ray behind it, sector by sector. */
static void loads_are_asked_for_too(void **state)
{
    static const struct list lists[] = { { { BVH_LIST_LOAD | 65, 0, BVH_LIST_END,
                                             BVH_LIST_LOAD | 64, BVH_LIST_LOAD | 65,
                                             BVH_LIST_LOAD | 2 },
                                           6 } };
    static const struct expected expected[] = {
        { 65, 1, 0 }, { 0, 2, 0 }, { 64, 1, 0 }, { 2, 1, 0 }
    };
    (void)state;
    struct ghosts ghosts = ghosts_of(lists, 1, 1);
    ghosts_check(&ghosts, expected, 4);
}

/* A doubleword at 1040: the third quarter of the 33rd sector, which L1s know nothing of. */
static void stores_are_asked_for_too(void **state)
{
    static const struct list lists[] = {
        { { 0, BVH_LIST_END, BVH_LIST_STORE | 130, BVH_LIST_STORE | 130 }, 4 }
    };
    static const struct expected expected[] = { { 0, 2, 0 }, { 32, 1, 0 }, { 32, 1, 0 } };
    (void)state;
    struct ghosts ghosts = ghosts_of(lists, 1, 1);
    assert_int_equal(ghosts.requests[0] & UNIT_GHOST_WRITE, 0);
    assert_int_equal(ghosts.requests[1] & UNIT_GHOST_WRITE, UNIT_GHOST_WRITE);
    assert_int_equal(unit_ghost_quarter(ghosts.requests[1]), 2);
    ghosts_check(&ghosts, expected, 3);
}

/* Two SMs in turn, each with an L1 of its own; the third piece waits for the first to end. */
static void sms_take_turns_and_pieces(void **state)
{
    static const struct list lists[] = { { { 0, 1, BVH_LIST_END }, 3 },
                                         { { 0, 2, 3, BVH_LIST_END }, 4 },
                                         { { 0 }, 0 },
                                         { { 1, BVH_LIST_END }, 2 } };
    (void)state;
    struct ghosts ghosts = ghosts_of(lists, 4, 2);
    u32 of_block[4] = { 0 };
    for (u64 i = 0; i < ghosts.count; i++)
        of_block[ghosts.blocks[i]] += unit_ghost_count(ghosts.requests[i]);
    assert_int_equal(of_block[0], 4);
    assert_int_equal(of_block[1], 6);
    assert_int_equal(of_block[2] + of_block[3], 0); /* the first SM has that node already */
    assert_int_equal(ghosts.last_block, 1);
    ghosts_fini(&ghosts);
}

/* Two rays of 20 visits each, on two SMs: a visit of each, 16 of each, and what is left. */
static void what_sms_ask_for_is_in_the_order_of_their_turns(void **state)
{
    static const u32 turns[] = { 1, 1, 16, 16, 3, 3 };
    u32 visits[42], *all = visits;
    struct visit_list of[] = { { 0, 21, 0 }, { 21, 21, 0 } };
    (void)state;
    for (u32 i = 0; i < 42; i++)
        visits[i] = i % 21 == 20 ? BVH_LIST_END : i;
    struct visit_lists lists = {
        .of = of, .count = 2, .visits = &all, .runners = 1, .node_bytes = 64, .block_bytes = 64
    };
    struct ghost_source source = {
        &lists, 1, { .sms = 2, .threads = 1, .rays = 1, .sets = 3, .ways = 2, 64, 32 }, 0
    };
    struct ghosts ghosts = ghosts_make(&source);
    u64 k = 0;
    assert_int_equal(ghosts.count, 40);
    for (u32 turn = 0; turn < 6; turn++)
        for (u32 i = 0; i < turns[turn]; i++, k++)
            assert_int_equal(ghosts.blocks[k], turn % 2);
    assert_int_equal(ghosts.last_block, 1);
    ghosts_fini(&ghosts);
}

/* ---- If there were more of them ---- */

#define PIECES 64
#define VISITS 16

/* What is missed if pieces that visit these nodes are half of all. Of lines, every fourth one is
 * looked at: they are those of the nodes. */
static double missed_by_twice(u32 (*node)(u32 piece, u32 visit))
{
    static u32 visits[PIECES * (VISITS + 1)];
    struct visit_list of[PIECES];
    u32 *all = visits;
    for (u32 i = 0; i < PIECES; i++) {
        u32 *list = &visits[i * (VISITS + 1)];
        for (u32 k = 0; k < VISITS; k++)
            list[k] = 4 * node(i, k);
        list[VISITS] = BVH_LIST_END;
        of[i] = (struct visit_list){ i * (VISITS + 1), VISITS + 1, 0 };
    }
    struct visit_lists lists = {
        .of = of, .count = PIECES, .visits = &all, .runners = 1, .node_bytes = 64, .block_bytes = 64
    };
    struct ghost_shape shape = { .sms = 2,
                                 .threads = 2,
                                 .rays = 1,
                                 .sets = 1,
                                 .ways = 1,
                                 .line = 64,
                                 .sector = 32,
                                 .shared_sets = 256,
                                 .shared_ways = 8,
                                 .shared_line = 64 };
    struct ghost_source source = { &lists, 1, shape, 0 };
    struct ghosts ghosts = ghosts_make(&source);
    double missed = ghosts_missed_by_all(&source, &ghosts, 1, 0.5);
    assert_true(ghosts_missed_by_all(&source, &ghosts, 1, 1) == 1);
    ghosts_fini(&ghosts);
    return missed;
}

static u32 node_of_all(u32 piece, u32 visit)
{
    (void)piece;
    return visit;
}

static u32 node_of_its_own(u32 piece, u32 visit)
{
    return piece * VISITS + visit;
}

/* Twice as many pieces miss the same, and so would all. */
static void what_all_visit_is_missed_once(void **state)
{
    double missed = missed_by_twice(node_of_all);
    (void)state;
    assert_float_equal(missed, 0.5, 1e-3);
}

static void what_each_visits_alone_is_missed_as_often(void **state)
{
    (void)state;
    assert_true(missed_by_twice(node_of_its_own) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_others_fetched_is_there),
        cmocka_unit_test(what_others_drive_out_is_missed),
        cmocka_unit_test(what_nobody_knows_to_have_been_brought_is_a_hit),
        cmocka_unit_test(what_belongs_to_pieces_nobody_brings),
        cmocka_unit_test(what_others_write_is_counted),
        cmocka_unit_test(written_bytes_stay),
        cmocka_unit_test(an_l1_asks_for_what_it_lacks),
        cmocka_unit_test(loads_are_asked_for_too),
        cmocka_unit_test(stores_are_asked_for_too),
        cmocka_unit_test(sms_take_turns_and_pieces),
        cmocka_unit_test(what_sms_ask_for_is_in_the_order_of_their_turns),
        cmocka_unit_test(what_all_visit_is_missed_once),
        cmocka_unit_test(what_each_visits_alone_is_missed_as_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
