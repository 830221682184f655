/* host.c - what the host reads from a chip: each byte from where it is newest, however many layers
 * of caches there are and whoever shares them. */
#include "arch/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "support.h"

#define SECTOR 32

/* Two clusters of three cores: two with a first layer of their own, and one without. The cores
 * aside have a memory of their own, so that the same address is something else to them. */
static const char chip_text[] =
    "unit_path: %s/layer.so\n"
    "name: layered\n"
    "domains:\n"
    "  cluster:\n"
    "    count: 2\n"
    "    units:\n"
    "      core: { type: core, count: 2, execute: { load: l1 } }\n"
    "      l1: { type: layer, count: 2, span: 5, value: 10 }\n"
    "      bare: { type: core, execute: { load: l2 } }\n"
    "      l2: { type: layer, span: 12, value: 20 }\n"
    "    links:\n"
    "      - core -> l1: { map: each }\n"
    "      - bare -> l2\n"
    "      - l1 -> l2\n"
    "  aside:\n"
    "    units:\n"
    "      core: { type: core, execute: { load: l1 } }\n"
    "      l1: { type: layer, span: 32, value: 50 }\n"
    "      memory: { type: memory, size: 64 KiB }\n"
    "    links:\n"
    "      - core -> l1\n"
    "      - l1 -> memory\n"
    "  partition:\n"
    "    count: 2\n"
    "    units:\n"
    "      l3: { type: layer, span: 28, value: 30 }\n"
    "      memory: { type: memory, size: 64 KiB }\n"
    "    links:\n"
    "      - l3 -> memory\n"
    "links:\n"
    "  - cluster.l2 -> partition.l3: { by: address, interleave: 32 B, latency: 9 cycles }\n";

static ogv_system *layered(void)
{
    struct ogv_error error;
    char *text = text_format(chip_text, getenv("OGIVE_TEST_BUILD"));
    assert_good(ogv_library_allow(getenv("OGIVE_TEST_BUILD"), &error), error);
    ogv_arch *arch = ogv_arch_load(folder_file("layered.yaml", text), &error);
    assert_good(arch, error);
    ogv_system *system = ogv_system_create(arch, &error);
    assert_good(system, error);
    ogv_arch_destroy(arch);
    free(text);
    return system;
}

static void bytes_are_those_nearest_to_a_core(void **state)
{
    static const u8 newest[SECTOR] = {
        10, 10, 10, 10, 10, 11, 11, 11, 11, 11, /* l1 */
        12, 12, 12, 12, 12, 13, 13, 13, 13, 13, /* l1 of the other cluster */
        21, 21, 21, 21,                         /* l2 of the other cluster */
        30, 30, 30, 30,                         /* l3 */
        99, 99, 99, 99,                         /* memory */
    };
    (void)state;
    struct ogv_error error;
    u8 bytes[SECTOR];
    ogv_system *system = layered();
    memset(bytes, 99, sizeof bytes);
    assert_good(host_write(system, 64, bytes, sizeof bytes, &error), error);
    assert_good(host_read(system, 64, bytes, sizeof bytes, &error), error);
    assert_memory_equal(bytes, newest, sizeof bytes);
    assert_good(host_read(system, 64 + 19, bytes, 3, &error), error);
    assert_memory_equal(bytes, newest + 19, 3);
    ogv_system_destroy(system);
}

static void each_unit_is_asked_once_for_a_sector(void **state)
{
    (void)state;
    struct ogv_error error;
    u8 bytes[4 * SECTOR];
    ogv_system *system = layered();
    assert_good(host_read(system, 0, bytes, sizeof bytes, &error), error);
    for (u32 i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "cluster[%u].l1[%u].asked", i / 2, i % 2);
        assert_true(stat_of(system, path) == 4);
    }
    assert_true(stat_of(system, "cluster[0].l2.asked") == 4);
    assert_true(stat_of(system, "cluster[1].l2.asked") == 4);
    ogv_system_destroy(system);
}

static void only_the_owner_of_an_address_is_asked(void **state)
{
    (void)state;
    struct ogv_error error;
    u8 bytes[3 * SECTOR];
    ogv_system *system = layered();
    assert_good(host_read(system, 0, bytes, sizeof bytes, &error), error);
    assert_true(stat_of(system, "partition[0].l3.asked") == 2);
    assert_true(stat_of(system, "partition[1].l3.asked") == 1);
    assert_true(stat_of(system, "aside.l1.asked") == 0);
    ogv_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        folder_test(bytes_are_those_nearest_to_a_core),
        folder_test(each_unit_is_asked_once_for_a_sector),
        folder_test(only_the_owner_of_an_address_is_asked),
    };
    return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
