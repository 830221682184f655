/* size.c - a chip that is too large for this machine is refused before it is built, with numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/system.h"
#include "support.h"

static int allow_again(void **state)
{
    ogv_memory_allow(0);
    return folder_teardown(state);
}

#define size_test(function) cmocka_unit_test_setup_teardown(function, folder_setup, allow_again)

static bool good_with(const char *text, u64 bytes, struct ogv_error *error)
{
    ogv_arch *arch = ogv_arch_load(folder_file("chip.yaml", text), error);
    assert_good(arch, *error);
    ogv_memory_allow(bytes);
    bool good = ogv_arch_check(arch, error);
    ogv_arch_destroy(arch);
    return good;
}

static void assert_refused(const char *text, u64 bytes, const char *place, const char *expected)
{
    struct ogv_error error;
    assert_false(good_with(text, bytes, &error));
    char *message = text_format("%s:%s: %s", folder_path("chip.yaml"), place, expected);
    assert_string_equal(error.message, message);
    assert_int_equal(error.kind, OGV_ERROR_USER);
    free(message);
}

static const char many_links[] = "domains:\n"
                                 "  a: { count: 1000, units: { s: { type: source } } }\n"
                                 "  b: { count: 1000, units: { k: { type: sink } } }\n"
                                 "links:\n"
                                 "  - a.s -> b.k: { map: all, latency: 40 cycles }\n";

static void links_count_before_any_is_made(void **state)
{
    (void)state;
    assert_refused(
        many_links, 1 * GiB, "5:5",
        "'a.s -> b.k': the chip is too large: with 2000 units and 1000000 joints between "
        "them its state takes 7.85 GiB, 7.84 GiB of it for this line; 1.00 GiB is "
        "allowed by --memory");
}

static const char large_state[] = "domains:\n"
                                  "  a:\n"
                                  "    count: 8\n"
                                  "    units:\n"
                                  "      t: { type: tester, count: 16, span: 4 MiB }\n"
                                  "      m: { type: memory, size: 64 KiB }\n"
                                  "    links: [ t -> m ]\n";

/* What init allocates is known from the first of them. */
static void state_of_units_counts(void **state)
{
    (void)state;
    struct ogv_error error;
    assert_refused(large_state, 512 * MiB, "5:7",
                   "'t': the chip is too large: with 136 units and 128 joints between them its "
                   "state takes 1.00 GiB, 1.00 GiB of it for this line; 512 MiB is allowed by "
                   "--memory");
    assert_good(good_with(large_state, 1100 * MiB, &error), error);
}

static void simulated_memory_does_not_count(void **state)
{
    (void)state;
    struct ogv_error error;
    static const char text[] =
        "domains:\n"
        "  a:\n"
        "    units: { t: { type: tester }, m: { type: memory, size: 8 GiB } }\n"
        "    links: [ t -> m ]\n";
    assert_good(good_with(text, 4 * MiB, &error), error);
}

static void simulated_memory_has_room_in_the_arena(void **state)
{
    (void)state;
    assert_refused(
        "domains:\n"
        "  a:\n"
        "    count: 65536\n"
        "    units:\n"
        "      t: { type: tester, span: 64 KiB }\n"
        "      m: { type: memory, size: 16 GiB }\n"
        "    links: [ t -> m ]\n",
        1000 * GiB, "6:7",
        "'m': the chip is too large: with 131072 units and 65536 joints between them its "
        "state with its simulated memory takes 1.00 PiB, 1.00 PiB of it for this line; a "
        "chip may take 32 GiB");
}

static void what_the_machine_has_is_the_default(void **state)
{
    (void)state;
    struct ogv_error error;
    static const char text[] =
        "domains:\n"
        "  a: { count: 4000, units: { s: { type: source } } }\n"
        "  b: { count: 4000, units: { k: { type: sink } } }\n"
        "links:\n"
        "  - a.s -> b.k: { map: all, latency: 255 cycles, capacity: 65536 }\n";
    assert_false(good_with(text, 0, &error));
    assert_non_null(strstr(error.message, "its state takes 61 TiB"));
    assert_non_null(strstr(error.message, " available (--memory says how much to take)"));
}

/* For every shipped machine: a tenth more than it takes when built is enough, and a tenth less is
 * not. */
static void estimate_is_near(void *context, const char *name, const char *path)
{
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_load(path, &error);
    (void)context;
    assert_good(arch, error);
    ogv_memory_allow(0);
    ogv_system *system = ogv_system_create(arch, &error);
    assert_good(system, error);
    u64 took = system->chip->arena->taken - (u64)system->plan->memory_bytes;
    ogv_system_destroy(system);
    ogv_memory_allow(took + took / 10);
    if (!ogv_arch_check(arch, &error))
        fail_msg("%s: %s", name, error.message);
    ogv_memory_allow(took - took / 10);
    assert_false(ogv_arch_check(arch, &error));
    ogv_arch_destroy(arch);
}

static void estimates_of_shipped_machines_are_near(void **state)
{
    (void)state;
    arch_list(estimate_is_near, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        size_test(links_count_before_any_is_made),
        size_test(state_of_units_counts),
        size_test(simulated_memory_does_not_count),
        size_test(simulated_memory_has_room_in_the_arena),
        size_test(what_the_machine_has_is_the_default),
        size_test(estimates_of_shipped_machines_are_near),
    };
    return cmocka_run_group_tests_name("size", tests, NULL, NULL);
}
