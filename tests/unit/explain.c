/* explain.c - rows in which a unit type explains itself: those of the tree hold, and each mistake
 * is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/explain.h"
#include "unit/registry.h"

static void rows_of_the_tree_hold(void **state)
{
    (void)state;
    struct ogv_error error;
    for (u32 i = 0; i < registry_count(); i++)
        if (!explain_check(registry_type(i), &error))
            fail_msg("%s", error.message);
}

/* A type of the tree with other rows. */
static struct unit_type type_with(const struct resource_row *resources,
                                  const struct account_row *accounts)
{
    struct unit_type type = *registry_type((u32)registry_find("cache"));
    type.resources = resources;
    type.accounts = accounts;
    return type;
}

static void refused(const struct unit_type *type, const char *words)
{
    struct ogv_error error = { 0 };
    assert_false(explain_check(type, &error));
    if (!strstr(error.message, words))
        fail_msg("'%s' lacks '%s'", error.message, words);
}

static void resource_refused(struct resource_row row, const char *words)
{
    struct resource_row rows[] = { row, { 0 } };
    struct unit_type type = type_with(rows, NULL);
    refused(&type, words);
}

static void wrong_resources_are_refused(void **state)
{
    (void)state;
    resource_refused((struct resource_row){ .name = "a", .used = "reads + wirtes" },
                     "unit type 'cache': resource 'a' names 'wirtes', which is neither a statistic "
                     "nor a parameter that is a number; did you mean 'writes'?");
    resource_refused((struct resource_row){ .name = "a", .capacity = "hash" }, "names 'hash'");
    resource_refused((struct resource_row){ .name = "a", .used = "reads +" }, "at character 8");
    resource_refused((struct resource_row){ .name = "a", .held = "users_room + reads" },
                     "or of other names, never of both");
    resource_refused((struct resource_row){ .name = "a", .kind = RESOURCE_LINKS },
                     "links have what was used");
    resource_refused((struct resource_row){ .name = "a", .kind = RESOURCE_KINDS }, "no kind");
}

static void accounts_refused(const struct account_row *rows, const char *words)
{
    static const struct resource_row resources[] = { { .name = "slots" },
                                                     { .name = "banks", .held = "reads" },
                                                     { 0 } };
    struct unit_type type = type_with(resources, rows);
    refused(&type, words);
}

#define ROOT                                            \
    {                                                   \
        0, "reads", "cycles", ACCOUNT_PARTS, NULL, NULL \
    }
#define ROWS(...)                \
    (const struct account_row[]) \
    {                            \
        __VA_ARGS__,             \
        {                        \
            0                    \
        }                        \
    }

static void wrong_accounts_are_refused(void **state)
{
    (void)state;
    accounts_refused(ROWS(ROOT, { 1, "hit", "a", ACCOUNT_WORK, NULL, NULL }),
                     "account 'a' names 'hit', which is no statistic; did you mean 'hits'?");
    accounts_refused(ROWS(ROOT, { 1, "hits", "a", ACCOUNT_OWN, "slost", NULL }),
                     "account 'a' is at 'slost', no resource; did you mean 'slots'?");
    accounts_refused(ROWS(ROOT, { 1, "hits", "a", ACCOUNT_OWN, "banks", NULL }),
                     "says itself what it held");
    accounts_refused(ROWS(ROOT, { 1, "hits", "a", ACCOUNT_OWN, NULL, NULL }), "at which resource");
    accounts_refused(ROWS(ROOT, { 1, "hits", "a", ACCOUNT_ROOM, NULL, NULL }), "at which resource");
    accounts_refused(ROWS(ROOT, { 1, NULL, "a", ACCOUNT_WORK, NULL, NULL }),
                     "neither a statistic nor parts");
    accounts_refused(ROWS(ROOT, { 2, "hits", "a", ACCOUNT_WORK, NULL, NULL }), "deeper than one");
    accounts_refused(ROWS(ROOT, { 1, "hits", "a", ACCOUNT_PARTS, NULL, NULL }), "first tree");
}

static void wrong_figures_are_refused(void **state)
{
    (void)state;
    struct unit_type type = type_with(NULL, NULL);
    type.figures = (const struct figure_row[]){ { "l{level}_hit_rat", "hits", NULL }, { 0 } };
    refused(&type, "figure 'l{level}_hit_rat' is none of those that sum up a run");
    type.figures = (const struct figure_row[]){ { "l{levle}_hit_rate", "hits", NULL }, { 0 } };
    refused(&type, "names 'levle', which is neither a statistic nor a parameter that is a number; "
                   "did you mean 'level'?");
    type.figures = (const struct figure_row[]){ { "dram_read_bytes", "hits", "cycle" }, { 0 } };
    refused(&type, "names 'cycle'");
}

static void wrong_scales_are_refused(void **state)
{
    (void)state;
    struct unit_type type = type_with(NULL, NULL);
    type.scales = "size  slizes";
    refused(&type, "'slizes' is no parameter that could grow; did you mean 'slices'?");
}

static void figures_have_the_level_of_the_unit(void **state)
{
    (void)state;
    const struct unit_type *type = registry_type((u32)registry_find("cache"));
    union param_value values[64] = { 0 };
    const struct figure_row row = { "l{level}_hit_rate", "hits", "lookups" };
    char name[64];
    u32 level;
    assert_true(explain_param(type, "level", &level));
    values[level].integer = 2;
    figure_name(type, &row, values, name, sizeof name);
    assert_string_equal(name, "l2_hit_rate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_the_tree_hold),
        cmocka_unit_test(wrong_resources_are_refused),
        cmocka_unit_test(wrong_accounts_are_refused),
        cmocka_unit_test(wrong_figures_are_refused),
        cmocka_unit_test(wrong_scales_are_refused),
        cmocka_unit_test(figures_have_the_level_of_the_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
