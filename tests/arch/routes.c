/* routes.c - addresses dealt out among n ways find their way there and back. */
#include <stdlib.h>

#include "ogive/random.h"
#include "ogive/unit.h"
#include "support.h"

static const struct route routes[] = { { 64, 1 }, { 64, 3 }, { 256, 5 },  { 4096, 8 },
                                       { 96, 7 }, { 1, 2 },  { 1000, 11 } };

#define ROUTES (sizeof routes / sizeof *routes)

static void assert_inverse(const struct route *route, u64 address)
{
    u32 way = route_way(route, address);
    assert_true(way < route->ways);
    assert_int_equal(route_global(route, route_local(route, address), way), address);
}

static void local_and_global_are_inverse(void **state)
{
    (void)state;
    u64 random = 1;
    for (size_t i = 0; i < ROUTES; i++) {
        for (u64 address = 0; address < 20000; address++)
            assert_inverse(&routes[i], address);
        for (int k = 0; k < 10000; k++)
            assert_inverse(&routes[i], random_below(&random, UINT64_C(1) << 48));
    }
}

static void every_way_gets_every_local_address_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROUTES; i++) {
        const struct route *route = &routes[i];
        u64 size = 3 * route->interleave; /* of the part that each way holds */
        u8 *seen = calloc(route->ways, size);
        for (u64 address = 0; address < size * route->ways; address++) {
            u64 local = route_local(route, address);
            assert_true(local < size);
            u8 *mark = &seen[route_way(route, address) * size + local];
            assert_int_equal(*mark, 0);
            *mark = 1;
        }
        free(seen);
    }
}

static void blocks_go_round(void **state)
{
    (void)state;
    const struct route route = { 64, 3 };
    static const u32 ways[] = { 0, 1, 2, 0, 1, 2, 0 };
    for (u64 block = 0; block < 7; block++) {
        assert_int_equal(route_way(&route, block * 64), ways[block]);
        assert_int_equal(route_way(&route, block * 64 + 63), ways[block]);
        assert_int_equal(route_local(&route, block * 64 + 5), block / 3 * 64 + 5);
    }
}

/* Five memories of 64 KiB behind one range of 320 KiB: nobody is asked for what it has not. */
static void memories_behind_an_odd_number_of_ways_work(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_system *system = system_from(
        "domains:\n"
        "  a: { count: 4, units: { t: { type: tester, requests: 2000, span: 80 KiB } } }\n"
        "  b: { count: 5, units: { m: { type: memory, size: 64 KiB, latency: 3 cycles } } }\n"
        "links:\n"
        "  - a.t -> b.m: { by: address, interleave: 256 B, latency: 2 cycles }\n");
    assert_int_equal(ogv_system_run(system, OGV_FOREVER, &error), OGV_END_FINISHED);
    assert_int_equal((u64)stat_of(system, "a.t.answered"), 8000);
    assert_int_equal((u64)stat_of(system, "a.t.wrong"), 0);
    assert_int_equal((u64)stat_of(system, "b.m.faults"), 0);
    for (int i = 0; i < 5; i++) {
        char path[] = "b[0].m.reads";
        path[2] = (char)('0' + i);
        assert_true(stat_of(system, path) > 500);
    }
    ogv_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_and_global_are_inverse),
        cmocka_unit_test(every_way_gets_every_local_address_once),
        cmocka_unit_test(blocks_go_round),
        cmocka_unit_test(memories_behind_an_odd_number_of_ways_work),
    };
    return cmocka_run_group_tests_name("routes", tests, NULL, NULL);
}
