/* text.c - growing strings and the nearest known name. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Growing strings ---- */

static void empty_text_reads_as_the_empty_string(void **state)
{
    (void)state;
    struct text text = { 0 };
    assert_string_equal(text_get(&text), "");
    assert_null(text.chars);
    text_fini(&text);
}

static void added_pieces_stand_one_after_the_other(void **state)
{
    (void)state;
    struct text text = { 0 };
    text_add(&text, "%s has %d", "l1", 4);
    text_add(&text, "%s", "");
    text_add_bytes(&text, " ways, not this", 5);
    assert_string_equal(text_get(&text), "l1 has 4 ways");
    assert_int_equal(text.length, 13);
    text_fini(&text);
}

static void whole_numbers_and_words_are_added_as_printf_does(void **state)
{
    (void)state;
    static const u64 numbers[] = { 0, 9, 10, 123456789, UINT64_MAX };
    struct text text = { 0 }, expected = { 0 };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        text_add_words(&text, i ? ", " : "");
        text_add_whole(&text, numbers[i]);
        text_add(&expected, "%s%llu", i ? ", " : "", (unsigned long long)numbers[i]);
    }
    assert_string_equal(text_get(&text), text_get(&expected));
    text_fini(&text);
    text_fini(&expected);
}

static void text_grows_without_losing_a_letter(void **state)
{
    (void)state;
    struct text text = { 0 };
    for (u32 i = 0; i < 5000; i++)
        text_add(&text, "%04u", i);
    assert_int_equal(text.length, 20000);
    assert_int_equal(strlen(text_get(&text)), 20000);
    for (u32 i = 0; i < 5000; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, "%04u", i);
        assert_memory_equal(text_get(&text) + 4 * i, expected, 4);
    }
    text_fini(&text);
}

static void one_piece_may_be_longer_than_all_before(void **state)
{
    (void)state;
    for (int length = 60; length < 70; length++) { /* around the first capacity */
        struct text text = { 0 };
        text_add(&text, "%*s", length, "x");
        text_add(&text, "%*s", 10 * length, "y");
        assert_int_equal(strlen(text_get(&text)), 11 * length);
        assert_int_equal(text_get(&text)[length - 1], 'x');
        assert_int_equal(text_get(&text)[11 * length - 1], 'y');
        text_fini(&text);
    }
}

static void bytes_may_contain_zero(void **state)
{
    (void)state;
    struct text text = { 0 };
    text_add_bytes(&text, "a\0b", 3);
    assert_int_equal(text.length, 3);
    assert_memory_equal(text.chars, "a\0b", 4);
    text_fini(&text);
}

static void finished_text_may_be_used_again(void **state)
{
    (void)state;
    struct text text = { 0 };
    text_add(&text, "first");
    text_fini(&text);
    assert_string_equal(text_get(&text), "");
    text_add(&text, "second");
    assert_string_equal(text_get(&text), "second");
    text_fini(&text);
}

static void formatted_text_belongs_to_the_caller(void **state)
{
    (void)state;
    char *copy = text_format("%s[%u]", "sm", 3);
    assert_string_equal(copy, "sm[3]");
    free(copy);
    copy = text_format("%s", "");
    assert_string_equal(copy, "");
    free(copy);
}

/* ---- Nearest names ---- */

static const char *hint_for(const char *typed, const char *const *known)
{
    static char buffer[128];
    struct nearest nearest;
    nearest_init(&nearest, typed);
    for (; *known; known++)
        nearest_offer(&nearest, *known);
    return nearest_hint(&nearest, buffer, sizeof buffer);
}

static const char *const names[] = { "latency", "capacity", "depth", "width", "size", "l1", NULL };

static void slip_of_a_letter_is_recognised(void **state)
{
    (void)state;
    assert_string_equal(hint_for("latncy", names), "; did you mean 'latency'?");
    assert_string_equal(hint_for("latenccy", names), "; did you mean 'latency'?");
    assert_string_equal(hint_for("latemcy", names), "; did you mean 'latency'?");
    assert_string_equal(hint_for("dpeth", names), "; did you mean 'depth'?");
}

static void letter_case_is_free(void **state)
{
    (void)state;
    assert_string_equal(hint_for("LATENCY", names), "; did you mean 'latency'?");
    assert_string_equal(hint_for("Capacity", names), "; did you mean 'capacity'?");
}

static void nothing_near_gives_no_hint(void **state)
{
    static const char *const none[] = { NULL };
    (void)state;
    assert_string_equal(hint_for("associativity", names), "");
    assert_string_equal(hint_for("latency", none), "");
}

static void long_names_forgive_three_letters_and_not_four(void **state)
{
    static const char *const one[] = { "abcdefghij", NULL };
    (void)state;
    assert_string_equal(hint_for("abcdefg", one), "; did you mean 'abcdefghij'?");
    assert_string_equal(hint_for("abcdef", one), "");
    assert_string_equal(hint_for("abXdXfXhij", one), "; did you mean 'abcdefghij'?");
    assert_string_equal(hint_for("abXdXfXhXj", one), "");
}

static void short_names_forgive_one_letter(void **state)
{
    (void)state;
    assert_string_equal(hint_for("l2", names), "; did you mean 'l1'?");
    assert_string_equal(hint_for("mc", names), "");
}

static void nearest_of_several_wins_and_the_first_of_equals(void **state)
{
    static const char *const known[] = { "banks", "bank", "tank", "rank", NULL };
    (void)state;
    assert_string_equal(hint_for("bank", known), "; did you mean 'bank'?");
    assert_string_equal(hint_for("sank", known), "; did you mean 'bank'?");
}

static void very_long_names_are_compared_by_their_beginning(void **state)
{
    char typed[301], known[301];
    const char *const list[] = { known, NULL };
    (void)state;
    memset(typed, 'a', 300);
    memset(known, 'a', 300);
    typed[300] = known[300] = 0;
    typed[10] = 'b';
    known[200] = 'c';
    static char buffer[512];
    struct nearest nearest;
    nearest_init(&nearest, typed);
    nearest_offer(&nearest, list[0]);
    assert_int_equal(nearest.distance, 1);
    assert_ptr_equal(strstr(nearest_hint(&nearest, buffer, sizeof buffer), "; did you"), buffer);
}

static void hint_is_cut_to_the_buffer(void **state)
{
    char buffer[10];
    struct nearest nearest;
    (void)state;
    nearest_init(&nearest, "latncy");
    nearest_offer(&nearest, "latency");
    assert_string_equal(nearest_hint(&nearest, buffer, sizeof buffer), "; did you");
}

static void list_grows_without_losing_an_item_and_seldom_moves(void **state)
{
    (void)state;
    u32 *list = NULL, moves = 0;
    for (u32 i = 0; i < 1000; i++) {
        u32 *grown = heap_append(list, i, sizeof *list);
        moves += grown != list;
        list = grown;
        list[i] = i;
    }
    for (u32 i = 0; i < 1000; i++)
        assert_int_equal(list[i], i);
    assert_in_range(moves, 1, 11); /* 1, 2, 4 to 1024 */
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_text_reads_as_the_empty_string),
        cmocka_unit_test(added_pieces_stand_one_after_the_other),
        cmocka_unit_test(whole_numbers_and_words_are_added_as_printf_does),
        cmocka_unit_test(text_grows_without_losing_a_letter),
        cmocka_unit_test(one_piece_may_be_longer_than_all_before),
        cmocka_unit_test(bytes_may_contain_zero),
        cmocka_unit_test(finished_text_may_be_used_again),
        cmocka_unit_test(formatted_text_belongs_to_the_caller),
        cmocka_unit_test(slip_of_a_letter_is_recognised),
        cmocka_unit_test(letter_case_is_free),
        cmocka_unit_test(nothing_near_gives_no_hint),
        cmocka_unit_test(long_names_forgive_three_letters_and_not_four),
        cmocka_unit_test(short_names_forgive_one_letter),
        cmocka_unit_test(nearest_of_several_wins_and_the_first_of_equals),
        cmocka_unit_test(very_long_names_are_compared_by_their_beginning),
        cmocka_unit_test(hint_is_cut_to_the_buffer),
        cmocka_unit_test(list_grows_without_losing_an_item_and_seldom_moves),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
