/* mapping.c - addresses to places and back. */
#include "support.h"

static struct dram_device device_of(const char *name)
{
    struct dram_device device;
    struct ogv_error error;
    if (!dram_device_init(&device, test_config(name), &error))
        fail_msg("%s", error.message);
    return device;
}

static void fields_follow_the_text(void **state)
{
    (void)state;
    struct dram_device device = device_of("arches_gddr6_14000");
    struct dram_map map;
    assert_true(dram_map_init(&map, &device, "RoBgBaRaChCo", NULL));
    /* 5 bits in a transaction, 7 of column, channel 12, bank 13-14, group 15-16, row from 17. */
    struct dram_address a =
        dram_map_address(&map, &device, 3 << 17 | 2 << 15 | 1 << 13 | 1 << 12 | 5 << 5 | 17);
    assert_int_equal(a.row, 3);
    assert_int_equal(a.bank, 2 * 4 + 1);
    assert_int_equal(a.channel, 1);
    assert_int_equal(a.column, 5);
}

static void compose_is_the_inverse(void **state)
{
    (void)state;
    const char *mappers[] = { "RoBaRaCoCh",   "ChRaBaRoCo",          "MOP4CLXOR",
                              "RoBgBaRaChCo", "RoCoBaBgRaChCo3+row", "RoBaBgRaCoCh+column" };
    struct dram_device device = device_of("ddr4_2400r_2rank");
    u64 seed = 9;
    for (u32 i = 0; i < sizeof mappers / sizeof *mappers; i++) {
        struct dram_map map;
        assert_true(dram_map_init(&map, &device, mappers[i], NULL));
        for (u32 n = 0; n < 1000; n++) {
            u64 address = random_below(&seed, 16 * GiB) & ~UINT64_C(63);
            struct dram_address a = dram_map_address(&map, &device, address);
            struct dram_place p = dram_place_of(&device, a.bank);
            u64 field[DRAM_LEVELS] = { a.channel,   (u64)p.rank, (u64)p.group,
                                       (u64)p.bank, a.row,       a.column };
            assert_int_equal(dram_map_compose(&map, field), address);
        }
    }
}

/* The place of an address that is near another follows from that one's, or it is not near. */
static void near_addresses_have_near_places(void **state)
{
    (void)state;
    const char *mappers[] = { "RoBaRaCoBgChCo2", "RoBaRaCoCh", "RoBgBaRaChCo",
                              "RoCoBaBgRaChCo3+row", "RoBaBgRaChCo+column" };
    struct dram_device device = device_of("gddr6_14000");
    u64 seed = 4;
    for (u32 i = 0; i < sizeof mappers / sizeof *mappers; i++) {
        struct dram_map map;
        assert_true(dram_map_init(&map, &device, mappers[i], NULL));
        u32 near = 0;
        for (u32 n = 0; n < 1000; n++) {
            u64 from = random_below(&seed, 1 * GiB) & ~UINT64_C(31);
            u64 to = from ^ (random_below(&seed, 64) << (n % 4 ? 5 : 20));
            struct dram_address place = dram_map_address(&map, &device, from);
            struct dram_address right = dram_map_address(&map, &device, to);
            if (!dram_map_near(&map, from, to, &place))
                continue;
            assert_memory_equal(&place, &right, sizeof place);
            near += from != to;
        }
        assert_true(near ? map.column_mask : !map.column_mask);
    }
}

static void mistakes_are_named(void **state)
{
    (void)state;
    struct dram_device device = device_of("ddr4_2400r_2rank");
    struct dram_map map;
    struct ogv_error error;
    assert_false(dram_map_init(&map, &device, "RoBaXxCo", &error));
    assert_non_null(strstr(error.message, "Xx"));
    assert_false(dram_map_init(&map, &device, "RoBaRaCoChX", &error));
    assert_false(dram_map_init(&map, &device, "RoBgRaCoCh", &error));
    assert_non_null(strstr(error.message, "Ba"));
    assert_false(dram_map_init(&map, &device, "RoBaBgRaCoCh+moon", &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_follow_the_text),
        cmocka_unit_test(compose_is_the_inverse),
        cmocka_unit_test(near_addresses_have_near_places),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
