/* arbiter.c - bit sets and arbiters against naive models. */
#include "ogive/arbiter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ogive/random.h"

/* ---- The naive models: one flag per member ---- */

struct model {
    bool has[BITSET_MAX];
    u32 next; /* of the round robin */
};

static u32 model_from(const struct model *model, u32 from)
{
    for (u32 i = from; i < BITSET_MAX; i++)
        if (model->has[i])
            return i;
    return NOBODY;
}

static u32 model_round_robin(struct model *model)
{
    for (u32 i = 0; i < BITSET_MAX; i++) {
        u32 member = (model->next + i) % BITSET_MAX;
        if (model->has[member]) {
            model->next = member + 1;
            return member;
        }
    }
    return NOBODY;
}

static u32 model_oldest(const struct model *model, const cycle *since)
{
    u32 winner = NOBODY;
    for (u32 i = 0; i < BITSET_MAX; i++)
        if (model->has[i] && (winner == NOBODY || since[i] < since[winner]))
            winner = i;
    return winner;
}

static void set_both(struct bitset *set, struct model *model, u32 member, bool present)
{
    model->has[member] = present;
    if (present)
        bitset_add(set, member);
    else
        bitset_remove(set, member);
}

static const u32 edges[] = { 0, 1, 62, 63, 64, 65, 127, 128, 4031, 4032, 4094, 4095 };
#define EDGES (sizeof edges / sizeof *edges)

/* Adds and removes members, near the edges of words more often than elsewhere, in a range of which
 * some seeds use only the beginning. */
static void change_both(struct bitset *set, struct model *model, u64 *random, u32 range)
{
    u64 changes = random_below(random, 8);
    for (u64 i = 0; i < changes; i++) {
        u32 member = random_below(random, 3) ? (u32)random_below(random, range)
                                             : edges[random_below(random, EDGES)] % range;
        set_both(set, model, member, random_below(random, 2));
    }
}

static const u32 ranges[] = { 1, 2, 63, 64, 65, 200, BITSET_MAX };
#define RANGES (sizeof ranges / sizeof *ranges)

/* ---- Bit sets ---- */

static void empty_set_has_nobody(void **state)
{
    (void)state;
    struct bitset set = { 0 };
    assert_true(bitset_empty(&set));
    assert_int_equal(bitset_first(&set), NOBODY);
    assert_int_equal(bitset_next(&set, 0), NOBODY);
    assert_int_equal(bitset_next(&set, BITSET_MAX - 1), NOBODY);
}

static void single_member_is_found_from_below_and_not_from_above(void **state)
{
    (void)state;
    for (u32 member = 0; member < BITSET_MAX; member++) {
        struct bitset set = { 0 };
        bitset_add(&set, member);
        assert_int_equal(bitset_first(&set), member);
        assert_int_equal(bitset_next(&set, 0), member);
        assert_int_equal(bitset_next(&set, member), member);
        assert_int_equal(bitset_next(&set, member + 1), NOBODY);
        bitset_remove(&set, member);
        assert_true(bitset_empty(&set));
    }
}

static void searching_beyond_the_last_member_finds_nobody(void **state)
{
    (void)state;
    struct bitset set = { 0 };
    for (u32 i = 0; i < BITSET_MAX; i++)
        bitset_add(&set, i);
    assert_int_equal(bitset_next(&set, BITSET_MAX - 1), BITSET_MAX - 1);
    assert_int_equal(bitset_next(&set, BITSET_MAX), NOBODY);
    assert_int_equal(bitset_next(&set, NOBODY), NOBODY);
}

static void adding_and_removing_twice_is_as_once(void **state)
{
    (void)state;
    struct bitset set = { 0 };
    bitset_add(&set, 70);
    bitset_add(&set, 70);
    bitset_add(&set, 71);
    bitset_remove(&set, 70);
    assert_false(bitset_has(&set, 70));
    assert_true(bitset_has(&set, 71));
    bitset_remove(&set, 70);
    assert_true(bitset_has(&set, 71));
    bitset_remove(&set, 71);
    assert_true(bitset_empty(&set));
}

static void random_sets_agree_with_the_model(void **state)
{
    (void)state;
    for (u32 r = 0; r < RANGES; r++) {
        static struct model model;
        struct bitset set = { 0 };
        u64 random = r;
        memset(&model, 0, sizeof model);
        for (u32 turn = 0; turn < 1000; turn++) {
            change_both(&set, &model, &random, ranges[r]);
            u32 from = (u32)random_below(&random, BITSET_MAX);
            u32 probe = (u32)random_below(&random, ranges[r]);
            assert_int_equal(bitset_has(&set, probe), model.has[probe]);
            assert_int_equal(bitset_first(&set), model_from(&model, 0));
            assert_int_equal(bitset_next(&set, from), model_from(&model, from));
            assert_int_equal(bitset_empty(&set), model_from(&model, 0) == NOBODY);
        }
    }
}

/* ---- Round robin ---- */

static void round_robin_serves_a_constant_set_in_turn(void **state)
{
    static const u32 members[] = { 0, 3, 63, 64, 1000, 4095 };
    const u32 count = sizeof members / sizeof *members;
    (void)state;
    struct bitset set = { 0 };
    struct rr_arbiter arbiter = { 0 };
    for (u32 i = 0; i < count; i++)
        bitset_add(&set, members[i]);
    for (u32 turn = 0; turn < 10 * count; turn++)
        assert_int_equal(rr_pick(&arbiter, &set), members[turn % count]);
}

static void round_robin_gives_everybody_the_same_share(void **state)
{
    static const u32 sizes[] = { 1, 2, 63, 64, 65, 1000, BITSET_MAX };
    (void)state;
    for (u32 s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        static u32 served[BITSET_MAX];
        struct bitset set = { 0 };
        struct rr_arbiter arbiter = { 0 };
        memset(served, 0, sizeof served);
        for (u32 i = 0; i < sizes[s]; i++)
            bitset_add(&set, i);
        for (u32 turn = 0; turn < 3 * sizes[s]; turn++)
            served[rr_pick(&arbiter, &set)]++;
        for (u32 i = 0; i < sizes[s]; i++)
            assert_int_equal(served[i], 3);
    }
}

static void round_robin_wraps_around_behind_the_last_member(void **state)
{
    (void)state;
    struct bitset set = { 0 };
    struct rr_arbiter arbiter = { 0 };
    bitset_add(&set, BITSET_MAX - 1);
    assert_int_equal(rr_pick(&arbiter, &set), BITSET_MAX - 1);
    assert_int_equal(rr_pick(&arbiter, &set), BITSET_MAX - 1);
    bitset_add(&set, 5);
    assert_int_equal(rr_pick(&arbiter, &set), 5);
    assert_int_equal(rr_pick(&arbiter, &set), BITSET_MAX - 1);
}

static void round_robin_picks_nobody_and_forgets_nothing_when_nobody_asks(void **state)
{
    (void)state;
    struct bitset set = { 0 };
    struct rr_arbiter arbiter = { 0 };
    bitset_add(&set, 7);
    bitset_add(&set, 9);
    assert_int_equal(rr_pick(&arbiter, &set), 7);
    struct bitset none = { 0 };
    assert_int_equal(rr_pick(&arbiter, &none), NOBODY);
    assert_int_equal(rr_pick(&arbiter, &set), 9);
}

static void round_robin_agrees_with_the_model(void **state)
{
    (void)state;
    for (u32 r = 0; r < RANGES; r++) {
        static struct model model;
        struct bitset set = { 0 };
        struct rr_arbiter arbiter = { 0 };
        u64 random = 100 + r;
        memset(&model, 0, sizeof model);
        for (u32 turn = 0; turn < 2000; turn++) {
            change_both(&set, &model, &random, ranges[r]);
            assert_int_equal(rr_pick(&arbiter, &set), model_round_robin(&model));
        }
    }
}

/* ---- Others ---- */

static void fixed_priority_always_picks_the_smallest(void **state)
{
    (void)state;
    struct bitset set = { 0 };
    bitset_add(&set, 4000);
    bitset_add(&set, 130);
    assert_int_equal(bitset_first(&set), 130);
    assert_int_equal(bitset_first(&set), 130);
    bitset_add(&set, 129);
    assert_int_equal(bitset_first(&set), 129);
    bitset_remove(&set, 129);
    bitset_remove(&set, 130);
    assert_int_equal(bitset_first(&set), 4000);
}

static void oldest_first_breaks_ties_by_number(void **state)
{
    (void)state;
    static cycle since[BITSET_MAX];
    struct bitset set = { 0 };
    assert_int_equal(oldest_pick(&set, since), NOBODY);
    bitset_add(&set, 10);
    bitset_add(&set, 70);
    bitset_add(&set, 4095);
    since[10] = 9;
    since[70] = 4;
    since[4095] = 4;
    since[11] = 1; /* does not ask */
    assert_int_equal(oldest_pick(&set, since), 70);
    since[4095] = 3;
    assert_int_equal(oldest_pick(&set, since), 4095);
}

static void oldest_first_agrees_with_the_model(void **state)
{
    (void)state;
    for (u32 r = 0; r < RANGES; r++) {
        static struct model model;
        static cycle since[BITSET_MAX];
        struct bitset set = { 0 };
        u64 random = 200 + r;
        memset(&model, 0, sizeof model);
        for (u32 turn = 0; turn < 1000; turn++) {
            change_both(&set, &model, &random, ranges[r]);
            since[random_below(&random, ranges[r])] = random_below(&random, 50);
            assert_int_equal(oldest_pick(&set, since), model_oldest(&model, since));
        }
    }
}

/* ---- Waiting lines ---- */

/* One pass: all of `wanted` are shown; those in `refused` are, those in `served` got something
 * first. The order in which they were shown, as digits. */
static u64 line_pass(struct waiting_line *line, u64 wanted, u64 refused, u64 served)
{
    u64 shown = 0;
    u32 member;
    for (u64 left = wanted; (member = line_next(line, &left)) != NOBODY;) {
        shown = shown * 10 + member;
        if (refused >> member & 1)
            line_refuse(line, member, served >> member & 1);
    }
    line_end(line);
    return shown;
}

static void line_shows_those_that_were_refused_first(void **state)
{
    (void)state;
    struct waiting_line line = { 0 };
    assert_int_equal(line_pass(&line, 0x0e, 0x08, 0), 123);
    assert_int_equal(line.members, 0x08);
    assert_int_equal(line_pass(&line, 0x0e, 0x0a, 0), 312);
    assert_int_equal(line_pass(&line, 0x0e, 0x0a, 0), 312);
    assert_int_equal(line_pass(&line, 0x1e, 0x02, 0), 3124);
    assert_int_equal(line.members, 0x02);
    assert_int_equal(line_pass(&line, 0x1e, 0, 0), 1234);
    assert_int_equal(line.members, 0);
}

static void line_ends_with_those_that_got_something(void **state)
{
    (void)state;
    struct waiting_line line = { 0 };
    line_pass(&line, 0x0e, 0x0e, 0);
    assert_int_equal(line_pass(&line, 0x0e, 0x0e, 0x02), 123);
    assert_int_equal(line_pass(&line, 0x0e, 0x0e, 0x04), 231);
    assert_int_equal(line_pass(&line, 0x0e, 0x0e, 0), 312);
}

static void line_takes_all_members(void **state)
{
    (void)state;
    struct waiting_line line = { 0 };
    for (u32 pass = 0; pass < 3; pass++) {
        u64 left = UINT64_MAX;
        u32 count = 0;
        for (u32 member; (member = line_next(&line, &left)) != NOBODY; count++) {
            assert_int_equal(member, count);
            line_refuse(&line, member, false);
        }
        line_end(&line);
        assert_int_equal(count, 64);
        assert_int_equal(line.members, UINT64_MAX);
    }
}

/* One place per pass: whoever waits gets it after all others that waited before, and no others. */
static void line_serves_everybody_in_bounded_time(void **state)
{
    (void)state;
    struct waiting_line line = { 0 };
    u64 random = 3;
    u32 since[64] = { 0 };
    for (u32 pass = 1; pass < 10000; pass++) {
        bool free = true;
        u64 wanted = line.members | random_next(&random);
        u32 member;
        for (u64 left = wanted; (member = line_next(&line, &left)) != NOBODY;) {
            if (!since[member])
                since[member] = pass;
            assert_true(pass - since[member] <= 64);
            if (free)
                since[member] = 0;
            else
                line_refuse(&line, member, false);
            free = false;
        }
        line_end(&line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_shows_those_that_were_refused_first),
        cmocka_unit_test(line_ends_with_those_that_got_something),
        cmocka_unit_test(line_takes_all_members),
        cmocka_unit_test(line_serves_everybody_in_bounded_time),
        cmocka_unit_test(empty_set_has_nobody),
        cmocka_unit_test(single_member_is_found_from_below_and_not_from_above),
        cmocka_unit_test(searching_beyond_the_last_member_finds_nobody),
        cmocka_unit_test(adding_and_removing_twice_is_as_once),
        cmocka_unit_test(random_sets_agree_with_the_model),
        cmocka_unit_test(round_robin_serves_a_constant_set_in_turn),
        cmocka_unit_test(round_robin_gives_everybody_the_same_share),
        cmocka_unit_test(round_robin_wraps_around_behind_the_last_member),
        cmocka_unit_test(round_robin_picks_nobody_and_forgets_nothing_when_nobody_asks),
        cmocka_unit_test(round_robin_agrees_with_the_model),
        cmocka_unit_test(fixed_priority_always_picks_the_smallest),
        cmocka_unit_test(oldest_first_breaks_ties_by_number),
        cmocka_unit_test(oldest_first_agrees_with_the_model),
    };
    return cmocka_run_group_tests_name("arbiter", tests, NULL, NULL);
}
