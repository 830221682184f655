/* plot.c - figures: a line per series, at the right places; wrong names are explained. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "report/plot.h"
#include "stand.h"

static u32 occurrences(const char *text, const char *piece)
{
    u32 count = 0;
    for (const char *at = text; (at = strstr(at, piece)); at++)
        count++;
    return count;
}

/* 800 x 400 with two lines of legend: the area is 70 to 780 across and 52 to 352 down. */
static void lines_are_where_they_belong(void **state)
{
    (void)state;
    const char *folder = stand_made_up();
    struct plot_options options = { .folders = &folder,
                                    .folder_count = 1,
                                    .series = "sm.core.active,sm.l1.lookups",
                                    .width = 800,
                                    .height = 400 };
    struct text svg = { 0 };
    struct ogv_error error;
    if (!plot_draw(&options, &svg, &error))
        fail_msg("%s", error.message);
    assert_int_equal(occurrences(text_get(&svg), "class=\"line\""), 2);
    assert_non_null(strstr(text_get(&svg), "d=\"M425.0 52.0L780.0 202.0\""));
    assert_non_null(strstr(text_get(&svg), "d=\"M425.0 262.0L780.0 292.0\""));
    assert_non_null(strstr(text_get(&svg), "sm.core[*].active"));
    text_fini(&svg);
    stand_remove((char *)folder);
}

static void several_runs_share_a_figure(void **state)
{
    (void)state;
    char *folders[] = { stand_made_up(), stand_made_up() };
    struct plot_options options = { .folders = (const char *const *)folders,
                                    .folder_count = 2,
                                    .series = "sm.l1.hit_rate",
                                    .width = 640,
                                    .height = 480 };
    struct text svg = { 0 };
    struct ogv_error error;
    assert_true(plot_draw(&options, &svg, &error));
    assert_int_equal(occurrences(text_get(&svg), "class=\"line\""), 2);
    assert_non_null(strstr(text_get(&svg), folders[1]));
    text_fini(&svg);
    stand_remove(folders[0]);
    stand_remove(folders[1]);
}

/* Of both memories together 4 and 2 bytes per cycle for rays, and 1 of hits on top of that. */
static void traffic_is_piled_up_by_purpose(void **state)
{
    (void)state;
    const char *folder = stand_made_up();
    struct plot_options options = {
        .folders = &folder, .folder_count = 1, .traffic = true, .width = 800, .height = 400
    };
    struct text svg = { 0 };
    struct ogv_error error = { 0 };
    assert_false(plot_draw(&options, &svg, &error));
    assert_non_null(strstr(error.message, "by purpose"));
    stand_write(folder, "series.csv",
                "cycle,a.m[*].bytes_read,a.m[*].bytes_read_ray,b.m.bytes_read_ray,"
                "a.m[*].bytes_read_scene,a.m[*].bytes_written_hit\n"
                "50,900,100,100,0,50\n100,900,0,100,0,50\n");
    if (!plot_draw(&options, &svg, &error))
        fail_msg("%s", error.message);
    assert_int_equal(occurrences(text_get(&svg), "class=\"area\""), 2);
    assert_non_null(
        strstr(text_get(&svg), "d=\"M425.0 112.0L780.0 232.0L780.0 352.0L425.0 352.0z\""));
    assert_non_null(
        strstr(text_get(&svg), "d=\"M425.0 52.0L780.0 172.0L780.0 232.0L425.0 112.0z\""));
    assert_non_null(strstr(text_get(&svg), ">ray reads<"));
    assert_non_null(strstr(text_get(&svg), ">hit writes<"));
    assert_non_null(strstr(text_get(&svg), ">bytes per cycle<"));
    text_fini(&svg);
    stand_remove((char *)folder);
}

static void refused(const char *folder, const char *series, const char *words)
{
    struct plot_options options = {
        .folders = &folder, .folder_count = 1, .series = series, .width = 800, .height = 400
    };
    struct text svg = { 0 };
    struct ogv_error error = { 0 };
    assert_false(plot_draw(&options, &svg, &error));
    if (!strstr(error.message, words))
        fail_msg("'%s' lacks '%s'", error.message, words);
    text_fini(&svg);
}

static void wrong_names_are_explained(void **state)
{
    (void)state;
    char *folder = stand_made_up();
    refused(folder, "sm.l1.hit_rat", "did you mean 'sm.l1.hit_rate'?");
    refused(folder, ",", "--series");
    refused(folder,
            "sm.l1.hits,sm.l1.hits,sm.l1.hits,sm.l1.hits,sm.l1.hits,sm.l1.hits,sm.l1.hits,"
            "sm.l1.hits,sm.l1.hits,sm.l1.hits,sm.l1.hits,sm.l1.hits,sm.l1.hits",
            "at most 12");
    stand_write(folder, "series.csv", "cycle,sm.l1.hits\n");
    refused(folder, "sm.l1.hits", "no intervals");
    stand_remove(folder);
    refused("/nowhere", "a", "the folder of a run is needed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_where_they_belong),
        cmocka_unit_test(several_runs_share_a_figure),
        cmocka_unit_test(traffic_is_piled_up_by_purpose),
        cmocka_unit_test(wrong_names_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
