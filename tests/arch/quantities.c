/* quantities.c - values with units of measure: read exactly, written so that they are read back. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ogive/random.h"
#include "support.h"
#include "unit/quantity.h"

static void assert_reads(const char *text, enum param_type type, u64 expected)
{
    char why[QUANTITY_WHY_BYTES] = "";
    u64 value = 0;
    if (!quantity_read(text, type, &value, why))
        fail_msg("%s", why);
    assert_int_equal(value, expected);
}

static void assert_unreadable(const char *text, enum param_type type, const char *expected)
{
    char why[QUANTITY_WHY_BYTES] = "";
    u64 value;
    assert_false(quantity_read(text, type, &value, why));
    assert_string_equal(why, expected);
}

static void units_of_measure_multiply(void **state)
{
    (void)state;
    assert_reads("8", PARAM_NUMBER, 8);
    assert_reads("64 KiB", PARAM_BYTES, 65536);
    assert_reads("64KiB", PARAM_BYTES, 65536);
    assert_reads("3   MiB", PARAM_BYTES, 3 * MiB);
    assert_reads("1515 MHz", PARAM_HERTZ, UINT64_C(1515000000));
    assert_reads("448 GB/s", PARAM_BANDWIDTH, UINT64_C(448000000000));
    assert_reads("16 bit", PARAM_BITS, 16);
    assert_reads("16 bits", PARAM_BITS, 16);
    assert_reads("1 cycle", PARAM_CYCLES, 1);
    assert_reads("20 cycles", PARAM_CYCLES, 20);
}

static void fractions_are_exact_or_refused(void **state)
{
    (void)state;
    assert_reads("1.5 KiB", PARAM_BYTES, 1536);
    assert_reads("1.515 GHz", PARAM_HERTZ, UINT64_C(1515000000));
    assert_reads("0.1 kHz", PARAM_HERTZ, 100);
    assert_reads("2.0", PARAM_NUMBER, 2);
    assert_reads(".5 KiB", PARAM_BYTES, 512);
    assert_unreadable("0.1 KiB", PARAM_BYTES, "'0.1 KiB' is not a whole number of bytes");
    assert_unreadable("2.5", PARAM_NUMBER, "'2.5' is not a whole number");
    assert_unreadable("0.5 bit", PARAM_BITS, "'0.5 bit' is not a whole number of bits");
    assert_unreadable("0.3 Hz", PARAM_HERTZ, "'0.3 Hz' is not a whole number of Hz");
    assert_unreadable("0.3 B/s", PARAM_BANDWIDTH, "'0.3 B/s' is not a whole number of B/s");
}

static void largest_value_is_read_and_the_next_is_not(void **state)
{
    (void)state;
    assert_reads("18446744073709551615", PARAM_NUMBER, UINT64_MAX);
    assert_unreadable("18446744073709551616", PARAM_NUMBER,
                      "'18446744073709551616' is too large, or has too many digits");
    assert_reads("17179869183 GiB", PARAM_BYTES, UINT64_C(17179869183) << 30);
    assert_unreadable("17179869184 GiB", PARAM_BYTES,
                      "'17179869184 GiB' is too large, or has too many digits");
    assert_unreadable("0.0000000000000000001 GHz", PARAM_HERTZ,
                      "'0.0000000000000000001 GHz' is too large, or has too many digits");
}

static void words_are_no_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = { "", " ", "x", ".", "+3", "--3", "-", "KiB", "\xff" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char expected[QUANTITY_WHY_BYTES];
        snprintf(expected, sizeof expected, "'%s' is not a number as in '8'", texts[i]);
        assert_unreadable(texts[i], PARAM_NUMBER, expected);
    }
    assert_unreadable("0x10", PARAM_NUMBER, "'0x10' must be a plain number as in '8'");
    assert_unreadable("1e6", PARAM_NUMBER, "'1e6' must be a plain number as in '8'");
    assert_unreadable("1,000", PARAM_NUMBER, "'1,000' must be a plain number as in '8'");
    assert_unreadable("1.2.3", PARAM_NUMBER, "'1.2.3' must be a plain number as in '8'");
}

static void long_text_does_not_overflow_the_message(void **state)
{
    (void)state;
    static const enum param_type types[] = { PARAM_NUMBER, PARAM_BYTES, PARAM_BANDWIDTH };
    char text[3000];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        for (char first = '1'; first <= 'a'; first = (char)(first + 'a' - '1')) {
            char why[QUANTITY_WHY_BYTES];
            u64 value;
            memset(text, 'q', sizeof text - 1);
            text[0] = first;
            text[sizeof text - 1] = 0;
            assert_false(quantity_read(text, types[i], &value, why));
            assert_true(strlen(why) < 300);
        }
    }
}

static void assert_round_trip(enum param_type type, u64 value)
{
    struct text out = { 0 };
    quantity_write(&out, type, value);
    assert_reads(text_get(&out), type, value);
    text_fini(&out);
}

static void every_value_survives_writing_and_reading(void **state)
{
    (void)state;
    static const enum param_type types[] = { PARAM_NUMBER, PARAM_CYCLES, PARAM_BYTES,
                                             PARAM_BITS,   PARAM_HERTZ,  PARAM_BANDWIDTH };
    u64 random = 7;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        assert_round_trip(types[i], 0);
        assert_round_trip(types[i], UINT64_MAX);
        for (u32 bit = 0; bit < 64; bit++)
            assert_round_trip(types[i], UINT64_C(1) << bit);
        for (u64 power = 1; power < UINT64_C(1000000000000000000); power *= 10)
            assert_round_trip(types[i], power);
        for (u32 k = 0; k < 1000; k++)
            assert_round_trip(types[i], random_next(&random) >> (k % 64));
    }
}

static void values_are_written_in_their_largest_whole_unit(void **state)
{
    (void)state;
    struct text out = { 0 };
    quantity_write(&out, PARAM_BYTES, 64 * KiB);
    text_add(&out, ", ");
    quantity_write(&out, PARAM_BYTES, 64 * KiB + 1);
    text_add(&out, ", ");
    quantity_write(&out, PARAM_HERTZ, 1515 * MHz);
    text_add(&out, ", ");
    quantity_write(&out, PARAM_BANDWIDTH, UINT64_C(1500000000000));
    text_add(&out, ", ");
    quantity_write(&out, PARAM_BYTES, 0);
    assert_string_equal(text_get(&out), "64 KiB, 65537 B, 1515 MHz, 1500 GB/s, 0 B");
    text_fini(&out);
}

static const struct param_row real_param = {
    .name = "share", .type = PARAM_REAL, .smallest.real = -1e300, .largest.real = 1e300
};

static void fractions_survive_to_the_last_bit(void **state)
{
    (void)state;
    u64 random = 3;
    for (u32 i = 0; i < 2000; i++) {
        char why[QUANTITY_WHY_BYTES];
        union param_value value, again;
        value.real = ldexp((double)random_next(&random), (int)random_below(&random, 200) - 130);
        struct text out = { 0 };
        param_write(&out, &real_param, value);
        assert_true(param_read(&real_param, text_get(&out), &again, why));
        assert_true(again.real == value.real);
        text_fini(&out);
    }
}

static void fraction_must_be_finite(void **state)
{
    (void)state;
    static const char *const texts[] = { "nan", "inf", "-inf", "1e999", "", "0.5x" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char why[QUANTITY_WHY_BYTES];
        union param_value value;
        assert_false(param_read(&real_param, texts[i], &value, why));
        assert_non_null(strstr(why, "is not a number as in '0.5'"));
    }
}

static void bounds_are_part_of_the_range(void **state)
{
    (void)state;
    const struct param_row param = {
        .name = "size", .type = PARAM_BYTES, .smallest.integer = 64, .largest.integer = 1 * KiB
    };
    char why[QUANTITY_WHY_BYTES];
    union param_value value;
    assert_true(param_read(&param, "64 B", &value, why));
    assert_true(param_read(&param, "1 KiB", &value, why));
    assert_false(param_read(&param, "63 B", &value, why));
    assert_string_equal(why, "'63 B' is out of range, it must be 64 B to 1 KiB");
    assert_false(param_read(&param, "1025 B", &value, why));
    assert_string_equal(why, "'1025 B' is out of range, it must be 64 B to 1 KiB");
}

static void flag_is_true_or_false(void **state)
{
    (void)state;
    const struct param_row param = { .name = "on", .type = PARAM_FLAG, .largest.integer = 1 };
    char why[QUANTITY_WHY_BYTES];
    union param_value value;
    assert_true(param_read(&param, "true", &value, why) && value.integer == 1);
    assert_true(param_read(&param, "false", &value, why) && value.integer == 0);
    assert_false(param_read(&param, "yes", &value, why));
    assert_string_equal(why, "'yes' must be true or false");
}

static void length_of_words_is_bounded(void **state)
{
    (void)state;
    const struct param_row param = {
        .name = "file", .type = PARAM_WORDS, .smallest.integer = 2, .largest.integer = 4
    };
    char why[QUANTITY_WHY_BYTES];
    union param_value value;
    assert_true(param_read(&param, "ab", &value, why));
    assert_true(param_read(&param, "abcd", &value, why));
    assert_false(param_read(&param, "a", &value, why));
    assert_string_equal(why, "text of 1 characters, it must have 2 to 4");
    assert_false(param_read(&param, "abcde", &value, why));
    assert_string_equal(why, "text of 5 characters, it must have 2 to 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_measure_multiply),
        cmocka_unit_test(fractions_are_exact_or_refused),
        cmocka_unit_test(largest_value_is_read_and_the_next_is_not),
        cmocka_unit_test(words_are_no_numbers),
        cmocka_unit_test(long_text_does_not_overflow_the_message),
        cmocka_unit_test(every_value_survives_writing_and_reading),
        cmocka_unit_test(values_are_written_in_their_largest_whole_unit),
        cmocka_unit_test(fractions_survive_to_the_last_bit),
        cmocka_unit_test(fraction_must_be_finite),
        cmocka_unit_test(bounds_are_part_of_the_range),
        cmocka_unit_test(flag_is_true_or_false),
        cmocka_unit_test(length_of_words_is_bounded),
    };
    return cmocka_run_group_tests_name("quantities", tests, NULL, NULL);
}
