/* cache_replacement.c - which line leaves. */
#include <string.h>

#include "ogive/random.h"
#include "unit/cache/cache.h"
#include "unit/cache_stand.h"

/* One set of four lines. */
static struct stand set_create(const char *replacement)
{
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "size", 512);
    bench_set(stand.cache, "ways", 4);
    bench_set_choice(stand.cache, "replacement", replacement);
    return stand;
}

/* Reads lines one after the other, 100 cycles apart. */
static cycle set_use(struct stand *stand, const u64 *lines, u32 count)
{
    for (u32 i = 0; i < count; i++)
        stand_read(stand, 0, 100 * i, lines[i] * 128);
    return 100 * count;
}

#define COUNT(list) ((u32)(sizeof(list) / sizeof *(list)))

static void lru_gives_up_the_line_used_longest_ago(void **state)
{
    static const u64 used[] = { 0, 1, 2, 3, 0, 4, 1 };        /* 4 takes 1's place, 1 then 2's */
    static const u64 kept[] = { 0, 1, 3, 4 }, left[] = { 2 }; /* probing changes the order too */
    (void)state;
    struct stand stand = set_create("lru");
    cycle end = set_use(&stand, used, COUNT(used));
    struct kept there = stand_probe(&stand, end, kept, COUNT(kept));
    struct kept gone = stand_probe(&stand, end + 1000, left, COUNT(left));
    stand_finish(&stand);
    for (u32 i = 0; i < COUNT(kept); i++)
        assert_true(kept_hit(&there, i));
    assert_false(kept_hit(&gone, 0));
    assert_int_equal(stand_stat(&stand, "evictions"), 3);
}

static void fifo_gives_up_the_line_that_came_first(void **state)
{
    static const u64 used[] = { 0, 1, 2, 3, 0, 0, 4 };
    static const u64 kept[] = { 1, 2, 3, 4 }, left[] = { 0 };
    (void)state;
    struct stand stand = set_create("fifo");
    cycle end = set_use(&stand, used, COUNT(used));
    struct kept there = stand_probe(&stand, end, kept, COUNT(kept));
    struct kept gone = stand_probe(&stand, end + 1000, left, COUNT(left));
    stand_finish(&stand);
    for (u32 i = 0; i < COUNT(kept); i++)
        assert_true(kept_hit(&there, i));
    assert_false(kept_hit(&gone, 0));
}

static void plru_follows_its_tree(void **state)
{
    /* Ways 0 to 3 hold lines 0 to 3. After using 0, the tree points to the right half, there to way
     * 2 (3 was used later): line 4 goes there. Then left, to way 1, for line 5. */
    static const u64 used[] = { 0, 1, 2, 3, 0, 4, 5 };
    static const u64 kept[] = { 0, 3, 4, 5 }, left[] = { 1, 2 };
    (void)state;
    struct stand stand = set_create("plru");
    cycle end = set_use(&stand, used, COUNT(used));
    struct kept there = stand_probe(&stand, end, kept, COUNT(kept));
    struct kept gone = stand_probe(&stand, end + 1000, left, COUNT(left));
    stand_finish(&stand);
    for (u32 i = 0; i < COUNT(kept); i++)
        assert_true(kept_hit(&there, i));
    for (u32 i = 0; i < COUNT(left); i++)
        assert_false(kept_hit(&gone, i));
}

/* Which of lines 0 to 3 left for line 4, as bits. */
static u32 random_victims(u64 seed)
{
    static const u64 used[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    u32 left = 0;
    struct stand stand = set_create("random");
    bench_set(stand.cache, "seed", seed);
    cycle end = set_use(&stand, used, COUNT(used));
    struct kept there = stand_probe(&stand, end, used, 1);
    stand_finish(&stand);
    for (u32 i = 0; i < there.count; i++)
        left |= (u32)!kept_hit(&there, i) << i;
    bench_destroy(stand.sim);
    return left;
}

static void random_depends_on_the_seed_only(void **state)
{
    u32 left = 0;
    (void)state;
    for (u64 seed = 0; seed < 16; seed++) {
        u32 once = random_victims(seed);
        assert_int_equal(once, random_victims(seed));
        left += once;
    }
    /* Line 0 stays with a chance of (3/4)^6. */
    assert_in_range(left, 8, 15);
}

static void none_keeps_nothing(void **state)
{
    (void)state;
    struct stand stand = set_create("none");
    struct exchange *first = stand_read(&stand, 0, 0, 0);
    struct exchange *merged = stand_read(&stand, 0, 2, 8);
    struct exchange *again = stand_read(&stand, 0, 100, 0);
    stand_finish(&stand);
    expect_read(first, MISS);
    expect_read(again, MISS);
    assert_int_equal(merged->answered, first->answered + 1);
    assert_int_equal(stand_stat(&stand, "evictions"), 0);
}

static void awaited_lines_stay(void **state)
{
    (void)state;
    struct stand stand = stand_create(1); /* two ways */
    for (u64 i = 0; i < 3; i++)
        stand_read(&stand, 0, i, 512 * i); /* the same set */
    stand_finish(&stand);
    expect_read(&asked[0][0], MISS);
    expect_read(&asked[0][1], MISS);
    cycle data = 4 + DELAY; /* of the first, when its line can leave again */
    expect_seen(2, data + 2, MEMORY_READ, 1024);
    assert_int_equal(stand_stat(&stand, "way_stalls"), data - 3);
}

static void allocation_on_fill_needs_no_line_before(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set_choice(stand.cache, "allocate", "fill");
    for (u64 i = 0; i < 3; i++)
        stand_read(&stand, 0, i, 512 * i);
    struct exchange *last = stand_read(&stand, 0, 100, 1024);
    struct exchange *first = stand_read(&stand, 0, 200, 0);
    stand_finish(&stand);
    for (u32 i = 0; i < 3; i++)
        expect_read(&asked[0][i], MISS);
    expect_read(last, HIT);
    expect_read(first, MISS);
    assert_int_equal(stand_stat(&stand, "way_stalls"), 0);
}

static void allocation_on_fill_keeps_lines_for_longer(void **state)
{
    static const char *const whens[] = { "miss", "fill" };
    static const cycle answered[] = { MISS, HIT };
    (void)state;
    for (u32 i = 0; i < 2; i++) {
        struct stand stand = stand_create(1);
        bench_set_choice(stand.cache, "allocate", whens[i]);
        stand_read(&stand, 0, 0, 0);
        stand_read(&stand, 0, 100, 512);
        stand_read(&stand, 0, 200, 1024); /* line 0 leaves now, or when the data comes */
        struct exchange *read = stand_read(&stand, 0, 202, 0);
        stand_finish(&stand);
        expect_read(read, answered[i]);
        bench_destroy(stand.sim);
    }
}

/* The ways of a set as they were used, the last one first. */
struct used {
    u32 ways[300], count;
};

static void used_now(struct used *used, u32 way)
{
    u32 at = 0;
    while (at < used->count && used->ways[at] != way)
        at++;
    used->count += at == used->count;
    memmove(used->ways + 1, used->ways, at * sizeof *used->ways);
    used->ways[0] = way;
}

static void expect_victim(struct cache_tags *tags, u32 set, const struct used *used)
{
    u32 first = set * tags->ways, oldest = first + used->ways[used->count - 1];
    assert_int_equal(tags_victim(tags, set), oldest);
    tags->lines[oldest].pins = 1;
    u32 next = used->count > 1 ? first + used->ways[used->count - 2] : NOBODY;
    assert_int_equal(tags_victim(tags, set), next);
    tags->lines[oldest].pins = 0;
}

/* Ranks and rings say what a list says. */
static void order_of_use_is_kept_for_any_number_of_ways(void **state)
{
    static const u32 ways[] = { 1, 2, 5, 16, 17, 32, 127, 128, 129, 300 };
    (void)state;
    u64 random = 1, number = 0;
    for (u32 i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct stand stand = stand_create(1);
        bench_set(stand.cache, "ways", ways[i]);
        bench_set(stand.cache, "size", 2 * ways[i] * 128);
        stand_finish(&stand);
        struct cache_tags *tags = &((struct cache *)stand.cache)->tags;
        assert_int_equal(tags->order == NULL, ways[i] <= CACHE_RANKED_WAYS);
        struct used used = { .count = 0 };
        for (u32 step = 0; step < 5 * ways[i]; step++) {
            u32 line = tags_victim(tags, 1);
            bool puts = step < ways[i] || random_below(&random, 2);
            if (puts)
                tags_put(tags, 1, line, number++);
            else
                tags_touch(tags, 1, line = ways[i] + (u32)random_below(&random, ways[i]));
            used_now(&used, line - ways[i]);
            if (used.count == ways[i])
                expect_victim(tags, 1, &used);
        }
        bench_destroy(stand.sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(lru_gives_up_the_line_used_longest_ago),
        bench_test_all_ways(fifo_gives_up_the_line_that_came_first),
        bench_test_all_ways(plru_follows_its_tree),
        bench_test_all_ways(random_depends_on_the_seed_only),
        bench_test_all_ways(none_keeps_nothing),
        bench_test_all_ways(awaited_lines_stay),
        bench_test_all_ways(allocation_on_fill_needs_no_line_before),
        bench_test_all_ways(allocation_on_fill_keeps_lines_for_longer),
        bench_test(order_of_use_is_kept_for_any_number_of_ways),
    };
    return cmocka_run_group_tests_name("cache_replacement", tests, NULL, NULL);
}
