/* formula.c - what formulas are worth, and what is said of those that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/formula.h"
#include "base/text.h"
#include "ogive/ogive.h"

/* The value of a name is its length. */
static double name_length(void *context, const char *name)
{
    (void)context;
    return (double)strlen(name);
}

static double value_of(const char *text)
{
    struct ogv_error error;
    struct formula *formula = formula_parse(text, &error);
    if (!formula)
        fail_msg("%s", error.message);
    double value = formula_value(formula, name_length, NULL);
    formula_free(formula);
    return value;
}

static void values_follow_the_usual_order(void **state)
{
    (void)state;
    assert_true(value_of("7") == 7);
    assert_true(value_of(" one ") == 3);
    assert_true(value_of("2 + 3 * 4") == 14);
    assert_true(value_of("(2 + 3) * 4") == 20);
    assert_true(value_of("10 - 4 - 3") == 3);
    assert_true(value_of("12 / 4 / 3") == 1);
    assert_true(value_of("a_b*2.5+((1))") == 8.5);
    assert_true(value_of("hits * 20 + (lookups - hits) * (1 + fill)") == 95);
    assert_true(value_of("1 / (2 - 2)") == 0);
}

static void refused(const char *text, const char *words)
{
    struct ogv_error error = { 0 };
    assert_null(formula_parse(text, &error));
    if (!strstr(error.message, words))
        fail_msg("'%s' lacks '%s'", error.message, words);
}

static void mistakes_are_named_with_their_place(void **state)
{
    (void)state;
    refused("", "formula '': a name, a number or '(' is missing at character 1");
    refused("a + ", "is missing at character 5");
    refused("a b", "a sign (+ - * /) is missing at character 3");
    refused("(a", "a ')' is missing at character 3");
    refused("a)", "a sign (+ - * /) is missing at character 2");
    refused("2..5", "no number at character 1");
    refused("a \x1b b", "formula 'a ? b'");
}

/* What is repeated, with something before and behind it. */
static char *repeated(const char *piece, u32 times, const char *end)
{
    struct text text = { 0 };
    for (u32 i = 0; i < times; i++)
        text_add(&text, "%s", piece);
    text_add(&text, "%s", end);
    char *whole = heap_copy(text_get(&text));
    text_fini(&text);
    return whole;
}

static void refused_repeated(const char *piece, u32 times, const char *end, const char *words)
{
    char *text = repeated(piece, times, end);
    refused(text, words);
    free(text);
}

static void size_is_bounded(void **state)
{
    (void)state;
    char *most = repeated("1+", FORMULA_STEPS_MAX / 2 - 1, "1");
    assert_true(value_of(most) == FORMULA_STEPS_MAX / 2);
    free(most);
    refused_repeated("1+", FORMULA_STEPS_MAX / 2, "1", "it is too long");
    refused_repeated("(", FORMULA_DEPTH_MAX + 1, "1", "too many parentheses");
    refused_repeated("x", FORMULA_BYTES_MAX + 1, "", "more than 1024 characters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_follow_the_usual_order),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(size_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
