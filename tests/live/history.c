/* history.c - the series in little memory: what is put together adds up to what came. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/stats.h"
#include "live/history.h"
#include "result/tally.h"

static ogv_system *chip(void)
{
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_load("exchange", &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    if (!system)
        fail_msg("%s", error.message);
    ogv_arch_destroy(arch);
    return system;
}

/* Sample i: cell c grew by i + c, or stands at 1000 - i. */
static void sample_make(const struct history *history, u32 i, u64 *cells)
{
    for (u32 c = 0; c < history->cells; c++)
        cells[c] = history->keeps[c] ? 1000000 - i : i + c;
}

static void bins_check(const struct history *history, u32 samples)
{
    u32 done = samples / history->merge * history->merge;
    u64 sum = 0;
    assert_int_equal(history->bins, samples / history->merge);
    for (u32 b = 0; b < history->bins; b++) {
        u32 first = b * history->merge;
        const u64 *cells = &history->values[(size_t)b * history->cells];
        assert_int_equal(history->ends[b], 10 * (first + history->merge));
        for (u32 c = 0; c < history->cells; c++)
            if (history->keeps[c])
                assert_int_equal(cells[c], 1000000 - first);
        sum += history->keeps[1] ? 0 : cells[1];
    }
    if (!history->keeps[1])
        assert_int_equal(sum, (u64)done * (done - 1) / 2 + done);
}

static void bins_are_put_together_when_room_is_used_up(void **state)
{
    ogv_system *system = chip();
    struct history history;
    u32 generation = 0;
    bool largest = false;
    (void)state;
    history_init(&history, system->plan, 0);
    u64 *cells = heap_array(history.cells, sizeof *cells);
    for (u32 c = 0; c < history.cells; c++)
        largest = largest || history.keeps[c];
    assert_true(largest);
    for (u32 i = 0; i < 5 * HISTORY_BINS + 3; i++) {
        sample_make(&history, i, cells);
        history_add(&history, 10 * (i + 1), cells);
        assert_true(history.bins < HISTORY_BINS);
        if (history.generation != generation || i % 97 == 0)
            bins_check(&history, i + 1);
        generation = history.generation;
    }
    assert_int_equal(history.merge, 8);
    assert_int_equal(history.generation, 3);
    free(cells);
    history_fini(&history);
    ogv_system_destroy(system);
}

static void part_has_what_is_new(void **state)
{
    ogv_system *system = chip();
    struct history history;
    struct history_part part;
    (void)state;
    history_init(&history, system->plan, 5);
    u64 *cells = heap_array(history.cells, sizeof *cells);
    for (u32 i = 0; i < 6; i++) {
        sample_make(&history, i, cells);
        history_add(&history, 10 * (i + 1), cells);
    }
    history_part_copy(&part, &history, 4, 0);
    assert_int_equal(part.from, 4);
    assert_int_equal(part.bins, 2);
    assert_int_equal(part.ends[0], 50);
    assert_memory_equal(part.values, &history.values[(size_t)4 * history.cells],
                        2 * history.cells * sizeof *cells);
    history_part_fini(&part);
    history_part_copy(&part, &history, 6, 0);
    assert_int_equal(part.bins, 0);
    history_part_fini(&part);
    history_part_copy(&part, &history, 4, 1); /* another generation */
    assert_int_equal(part.bins, 6);
    history_part_fini(&part);
    history_part_copy(&part, &history, 1000000, 0); /* more than there are */
    assert_int_equal(part.bins, 6);
    struct text json = { 0 };
    history_part_write(&part, &json);
    assert_non_null(strstr(text_get(&json), "\"start\":5,"));
    assert_non_null(strstr(text_get(&json), "[ 10,20,30,40,50,60]"));
    text_fini(&json);
    history_part_fini(&part);
    free(cells);
    history_fini(&history);
    ogv_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_are_put_together_when_room_is_used_up),
        cmocka_unit_test(part_has_what_is_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
