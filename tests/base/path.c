/* path.c - paths of units taken apart. */
#include "base/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct path_word word_of(const char *text)
{
    return (struct path_word){ text, strlen(text) };
}

static void word_is(struct path_word word, const char *text)
{
    assert_int_equal(word.length, strlen(text));
    assert_memory_equal(word.chars, text, word.length);
}

/* ---- Names and indices ---- */

static void path_comes_apart_from_the_front(void **state)
{
    (void)state;
    const char *path = "sm[0..3].core[7][*2].next";
    struct path_word inside;
    word_is(path_name_cut(&path), "sm");
    assert_true(path_index_cut(&path, &inside));
    word_is(inside, "0..3");
    assert_string_equal(path, ".core[7][*2].next");
    path++;
    word_is(path_name_cut(&path), "core");
    assert_true(path_index_cut(&path, &inside));
    word_is(inside, "7");
    assert_true(path_index_cut(&path, &inside));
    word_is(inside, "*2");
    assert_false(path_index_cut(&path, &inside));
    assert_string_equal(path, ".next");
    path++;
    word_is(path_name_cut(&path), "next");
    assert_string_equal(path, "");
    word_is(path_name_cut(&path), "");
}

static void what_is_no_index_leaves_the_path_alone(void **state)
{
    (void)state;
    static const char *const paths[] = { "", ".l1", "[]", "[].l1", "[", "[3", "[3.l1", "3]" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *path = paths[i];
        struct path_word inside;
        assert_false(path_index_cut(&path, &inside));
        assert_ptr_equal(path, paths[i]);
    }
}

static void word_is_copied_if_it_fits(void **state)
{
    (void)state;
    char three[3] = "";
    assert_true(path_word_copy((struct path_word){ "core", 2 }, three, sizeof three));
    assert_string_equal(three, "co");
    assert_false(path_word_copy((struct path_word){ "core", 3 }, three, sizeof three));
    assert_true(path_word_copy((struct path_word){ "core", 0 }, three, sizeof three));
    assert_string_equal(three, "");
}

/* ---- Copies ---- */

static void numbers_are_digits_and_nothing_else(void **state)
{
    (void)state;
    static const char *const wrong[] = { "", "*", "-1", "+1", " 1", "1 ", "0x1", "1..2", "a" };
    u64 number;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(path_word_number(word_of(wrong[i]), &number));
    assert_true(path_word_number(word_of("4294967296"), &number));
    assert_int_equal(number, UINT64_C(4294967296));
    assert_true(path_word_number((struct path_word){ "17]", 2 }, &number));
    assert_int_equal(number, 17);
    assert_false(path_word_number((struct path_word){ "17]", 1 }, &number));
}

static void copies_are_one_or_a_range_or_all(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        u64 first, last;
    } rows[] = { { "3", 3, 3 }, { "0..7", 0, 7 }, { "5..5", 5, 5 }, { "*", 0, UINT64_MAX } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct path_copies copies;
        assert_true(path_word_copies(word_of(rows[i].text), &copies));
        assert_int_equal(copies.first, rows[i].first);
        assert_int_equal(copies.last, rows[i].last);
    }
}

static void other_copies_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = { "",      "*2",  "**",   "3..1", "0..-1", "first",
                                         "..",    "0..", "..7",  "0.7",  "0...7", "0..7..9",
                                         "0 ..7", "-1",  "0..*", "*..7" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct path_copies copies;
        assert_false(path_word_copies(word_of(wrong[i]), &copies));
    }
}

/* ---- Without indices ---- */

static void plain_is(const char *path, const char *instead, const char *expected)
{
    char buffer[64];
    path_plain(path, instead, buffer, sizeof buffer);
    assert_string_equal(buffer, expected);
}

static void indices_leave_or_become_something_else(void **state)
{
    (void)state;
    plain_is("sm[3].core[17].cycles", "", "sm.core.cycles");
    plain_is("sm[3].core[17].cycles", "[*]", "sm[*].core[*].cycles");
    plain_is("rt[0..3][*2].next", "", "rt.next");
    plain_is("chip.l2", "[*]", "chip.l2");
    plain_is("", "", "");
    plain_is("sm[3", "", "sm");
    plain_is("sm[3", "[*]", "sm[*]");
}

static void plain_path_may_stay_where_it_is(void **state)
{
    (void)state;
    char path[] = "sm[3].core[17].cycles";
    path_plain(path, "", path, sizeof path);
    assert_string_equal(path, "sm.core.cycles");
}

static void plain_path_is_cut_to_the_buffer(void **state)
{
    (void)state;
    char buffer[6];
    path_plain("sm[3].core", "", buffer, sizeof buffer);
    assert_string_equal(buffer, "sm.co");
    path_plain("sm[3].core", "[*]", buffer, sizeof buffer);
    assert_string_equal(buffer, "sm[*]");
    path_plain("sm[3].core", "[*]", buffer, 5);
    assert_string_equal(buffer, "sm");
}

static void plain_path_is_compared_to_its_end(void **state)
{
    (void)state;
    assert_true(path_plain_is("sm[3].core[17]", "sm.core", 7));
    assert_true(path_plain_is("sm[3].core[17]", "sm.core.cycles", 7));
    assert_true(path_plain_is("", "", 0));
    assert_false(path_plain_is("sm[3].core[17]", "sm.core", 6));
    assert_false(path_plain_is("sm[3].core[17]", "sm.core.cycles", 14));
    assert_false(path_plain_is("sm[3].core[17]", "sm.cord", 7));
    assert_false(path_plain_is("sm[3].core", "sm[3].core", 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_comes_apart_from_the_front),
        cmocka_unit_test(what_is_no_index_leaves_the_path_alone),
        cmocka_unit_test(word_is_copied_if_it_fits),
        cmocka_unit_test(numbers_are_digits_and_nothing_else),
        cmocka_unit_test(copies_are_one_or_a_range_or_all),
        cmocka_unit_test(other_copies_are_refused),
        cmocka_unit_test(indices_leave_or_become_something_else),
        cmocka_unit_test(plain_path_may_stay_where_it_is),
        cmocka_unit_test(plain_path_is_cut_to_the_buffer),
        cmocka_unit_test(plain_path_is_compared_to_its_end),
    };
    return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
