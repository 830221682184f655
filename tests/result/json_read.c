/* json_read.c - the fast reader and jansson agree: on values, on what is refused, and on why. */
#include "result/json_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const texts[] = {
    "{\"a\": 1, \"b\": [2, -3, 4.5e-6, 7E2, 0], \"c\": {}, \"d\": [], \"e\": null}",
    " [ true , false , \"\" , \"x y\" ] \n",
    "{\"quoted \\\" key\": \"escapes \\n \\u00e9 \\\\\", \"\xc2\xb5s\": \"\xe2\x82\xac\"}",
    "{\"whole\": 999999999999999999, \"large\": 1234567890123456789}",
    "[-9223372036854775808, 9223372036854775807]",
    "[18446744073709551616]",
    "[1.0e400]",
    "[01]",
    "[-]",
    "[1.]",
    "[1 2]",
    "[1,]",
    "[,1]",
    "{\"a\": 1, \"a\": 2}",
    "{\"a\\n\": 1, \"a\\n\": 2}",
    "{\"a\" 1}",
    "{\"a\": }",
    "{a: 1}",
    "{\"a\": 1",
    "{\"a\": 1}}",
    "{\"a\": 1} x",
    "{\"a\": \"open}",
    "{\"a\": \"\\u0000\"}",
    "{\"\\u0000\": 1}",
    "{\"a\": \"\\x\"}",
    "{\"a\": \"\x01\"}",
    "{\"a\": \"\xff\"}",
    "{\"a\": \"\\",
    "[nul]",
    "[nullx]",
    "[truefalse]",
    "\"alone\"",
    "7",
    "",
    "   ",
};

/* Reads it both ways. */
static void agree(const char *text, size_t length)
{
    json_error_t why = { 0 }, expected_why = { 0 };
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    json_t *expected = json_loadb(text, length, JSON_REJECT_DUPLICATES, &expected_why);
    json_t *value = json_read(copy, length, &why);
    assert_memory_equal(copy, text, length);
    if (!expected) {
        assert_null(value);
        assert_string_equal(why.text, expected_why.text);
        assert_int_equal(why.line, expected_why.line);
        assert_int_equal(why.column, expected_why.column);
    } else {
        char *shown = json_dumps(value, 0), *wanted = json_dumps(expected, 0);
        assert_string_equal(shown, wanted); /* the order of members too */
        assert_true(json_equal(value, expected));
        free(shown);
        free(wanted);
    }
    json_decref(value);
    json_decref(expected);
    free(copy);
}

static void all_kinds_of_text_are_read_as_jansson_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        agree(texts[i], strlen(texts[i]));
}

static void every_beginning_of_a_text_is_refused_alike(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t length = 0; length < strlen(texts[i]); length++)
            agree(texts[i], length);
}

/* xorshift */
static u32 random_below(u64 *seed, u32 limit)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (u32)(*seed % limit);
}

static void damaged_texts_are_judged_alike(void **state)
{
    static const char letters[] = "{}[]\",:\\ 0159-+.eEtfnu\n\x01\xc2\xb5";
    u64 seed = 88172645463325252u;
    (void)state;
    for (u32 turn = 0; turn < 20000; turn++) {
        const char *text = texts[random_below(&seed, sizeof texts / sizeof *texts)];
        char damaged[128];
        size_t length = strlen(text);
        memcpy(damaged, text, length);
        for (u32 i = 0; length && i <= random_below(&seed, 3); i++)
            damaged[random_below(&seed, (u32)length)] =
                letters[random_below(&seed, sizeof letters)]; /* the zero at its end, too */
        agree(damaged, length);
    }
}

static void nesting_has_no_limit_but_jansson_s(void **state)
{
    char text[6000];
    (void)state;
    for (size_t depth = 60; depth < 2900; depth += depth < 70 ? 1 : 700) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        agree(text, 2 * depth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_of_text_are_read_as_jansson_does),
        cmocka_unit_test(every_beginning_of_a_text_is_refused_alike),
        cmocka_unit_test(damaged_texts_are_judged_alike),
        cmocka_unit_test(nesting_has_no_limit_but_jansson_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
