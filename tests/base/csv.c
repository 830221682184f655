/* csv.c - tables of values separated by commas, right and wrong ones. */
#include "base/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void open_text(struct csv *csv, const char *text)
{
    csv_open(csv, "t.csv", text, strlen(text));
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
    csv_close(csv);
}

static void fails(const char *text, const char *words)
{
    struct csv csv;
    open_text(&csv, text);
    struct ogv_error error;
    while (csv_next(&csv, &error))
        ;
    assert_int_equal(error.kind, OGV_ERROR_USER);
    assert_string_equal(error.message, words);
    csv_close(&csv);
}

static void records_end_with_lines(void **state)
{
    (void)state;
    struct csv csv;
    open_text(&csv, "a,b\r\n\n\nc,,\nlast");
    RECORD(&csv, 1, "a", "b");
    RECORD(&csv, 4, "c", "", "");
    RECORD(&csv, 5, "last");
    ends(&csv);
    open_text(&csv, "");
    ends(&csv);
}

static void quotes_hold_anything(void **state)
{
    (void)state;
    struct csv csv;
    open_text(&csv, "\"a,b\",\"say \"\"x\"\"\"\n\"two\nlines\",\"\"\nc");
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

static void bytes_of_zero_are_refused(void **state)
{
    (void)state;
    struct ogv_error error;
    struct csv csv;
    csv_open(&csv, "t.csv", "a\nb\0c\n", 6);
    RECORD(&csv, 1, "a");
    assert_false(csv_next(&csv, &error));
    assert_string_equal(error.message, "t.csv:2: there is a byte of zero in it: it is no text");
    csv_close(&csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_end_with_lines),
        cmocka_unit_test(quotes_hold_anything),
        cmocka_unit_test(what_is_wrong_has_a_line),
        cmocka_unit_test(bytes_of_zero_are_refused),
    };
    return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
