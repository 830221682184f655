/* roles.c - a unit type that promises more than it has is refused, and told what is missing. */
#include "unit/roles.h"

#include <stdlib.h>

#include "base/text.h"
#include "ogive/program.h"
#include "support.h"
#include "unit/registry.h"

static void types_of_the_tree_keep_what_they_promise(void **state)
{
    (void)state;
    struct ogv_error error;
    u32 cores = 0, giving = 0;
    for (u32 i = 0; i < registry_count(); i++) {
        const struct unit_type *type = registry_type(i);
        assert_good(roles_check(type, "the tree", &error), error);
        cores += unit_runs_programs(type);
        giving += type->pieces != NULL;
    }
    assert_true(cores && giving);
}

/* A type of the tree that runs programs, to be spoilt. */
struct spoilt {
    struct unit_type type;
    struct program_role programs;
};

static void spoilt_take(struct spoilt *spoilt)
{
    spoilt->type = *registry_type((u32)registry_find("core"));
    spoilt->programs = *spoilt->type.programs;
    spoilt->type.programs = &spoilt->programs;
}

static void assert_refused(const struct spoilt *spoilt, const char *expected)
{
    struct ogv_error error;
    char *message = text_format("mine.so: unit type 'core'%s", expected);
    assert_false(roles_check(&spoilt->type, "mine.so", &error));
    assert_string_equal(error.message, message);
    free(message);
}

#define REFUSED(field, value, expected)    \
    do {                                   \
        struct spoilt spoilt;              \
        spoilt_take(&spoilt);              \
        spoilt.field = value;              \
        assert_refused(&spoilt, expected); \
    } while (0)

static void what_runs_programs_lacks_nothing(void **state)
{
    (void)state;
    REFUSED(type.harts, NULL, " runs programs, but lacks `harts`");
    REFUSED(type.toward, NULL, " runs programs, but lacks `toward`");
    REFUSED(programs.start, NULL, " runs programs, but lacks `programs.start`");
    REFUSED(programs.output, NULL, " runs programs, but lacks `programs.output`");
    REFUSED(programs.hart, NULL, " runs programs, but lacks `programs.hart`");
    REFUSED(programs.instructions, NULL, " runs programs, but lacks `programs.instructions`");
    REFUSED(programs.halted, NULL, " runs programs, but lacks `programs.halted`");
}

static void names_are_those_of_the_lists(void **state)
{
    (void)state;
    REFUSED(programs.instructions, "retired", ": programs.instructions is 'retired', no statistic");
    REFUSED(programs.halted, "over", ": programs.halted is 'over', no statistic");
    REFUSED(programs.stack, "own", ": programs.stack is 'own', no parameter");
    REFUSED(programs.execute, "table", ": programs.execute is 'table', no parameter");
    REFUSED(type.pieces, "handed", ": pieces is 'handed', no statistic");
    REFUSED(type.any_clock, "free", ": any_clock is 'free', no parameter");
}

static void what_may_be_left_out_may_be_left_out(void **state)
{
    (void)state;
    struct ogv_error error;
    struct spoilt spoilt;
    spoilt_take(&spoilt);
    spoilt.programs.issue_pj = NULL;
    spoilt.programs.stack = spoilt.programs.execute = NULL;
    assert_good(roles_check(&spoilt.type, "mine.so", &error), error);
    spoilt.type.programs = NULL;
    spoilt.type.harts = NULL;
    assert_good(roles_check(&spoilt.type, "mine.so", &error), error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_of_the_tree_keep_what_they_promise),
        cmocka_unit_test(what_runs_programs_lacks_nothing),
        cmocka_unit_test(names_are_those_of_the_lists),
        cmocka_unit_test(what_may_be_left_out_may_be_left_out),
    };
    return cmocka_run_group_tests_name("roles", tests, NULL, NULL);
}
