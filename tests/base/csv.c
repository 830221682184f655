/* csv.c - tables of values separated by commas, right and wrong ones. */
#include "base/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static struct csv csv_of(const char *text)
{
    return (struct csv){ .path = "t.csv", .text = heap_copy(text), .length = strlen(text) };
}

/* The next record has these fields, and begins in that line. */
static void record_is(struct csv *csv, u32 line, u32 count, const char *const *fields)
{
    struct ogv_error error;
    assert_true(csv_next(csv, &error));
    assert_int_equal(csv->line, line);
    assert_int_equal(csv->count, count);
    for (u32 i = 0; i < count; i++)
        assert_string_equal(csv->fields[i], fields[i]);
}

#define RECORD(csv, line, ...)                                                     \
    record_is(csv, line, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), \
              (const char *[]){ __VA_ARGS__ })

static void ends(struct csv *csv)
{
    struct ogv_error error;
    assert_false(csv_next(csv, &error));
    assert_int_equal(error.kind, 0);
    free(csv->text);
}

static void fails(const char *text, const char *words)
{
    struct csv csv = csv_of(text);
    struct ogv_error error;
    while (csv_next(&csv, &error))
        ;
    assert_int_equal(error.kind, OGV_ERROR_USER);
    assert_string_equal(error.message, words);
    free(csv.text);
}

static void records_end_with_lines(void **state)
{
    (void)state;
    struct csv csv = csv_of("a,b\r\n\n\nc,,\nlast");
    RECORD(&csv, 1, "a", "b");
    RECORD(&csv, 4, "c", "", "");
    RECORD(&csv, 5, "last");
    ends(&csv);
    csv = csv_of("");
    ends(&csv);
}

static void quotes_hold_anything(void **state)
{
    (void)state;
    struct csv csv = csv_of("\"a,b\",\"say \"\"x\"\"\"\n\"two\nlines\",\"\"\nc");
    RECORD(&csv, 1, "a,b", "say \"x\"");
    RECORD(&csv, 2, "two\nlines", "");
    RECORD(&csv, 4, "c");
    ends(&csv);
}

static void what_is_wrong_has_a_line(void **state)
{
    (void)state;
    fails("a\nb,\"c\nd", "t.csv:2: a quote is opened and not closed");
    fails("a\"b", "t.csv:1: a quote in the middle of a value");
    fails("a\n\"b\"c", "t.csv:2: a quote in the middle of a value");
    fails(",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,",
          "t.csv:1: too many columns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_end_with_lines),
        cmocka_unit_test(quotes_hold_anything),
        cmocka_unit_test(what_is_wrong_has_a_line),
    };
    return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
