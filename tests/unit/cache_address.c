/* cache_address.c - which part of a cache an address belongs to, and what is seen behind it. */
#include <string.h>

#include "ogive/random.h"
#include "unit/cache_stand.h"

extern const struct unit_type unit_type_cache;

/* How many of the requests that arrive together are answered together: those for different banks.
 */
static u32 answered_together(const char *hash, u64 stride, u64 interleave)
{
    u32 together = 0;
    struct stand stand = stand_create(4);
    bench_set(stand.cache, "size", 16 * KiB);
    bench_set(stand.cache, "banks", 4);
    bench_set(stand.cache, "interleave", interleave);
    bench_set_choice(stand.cache, "hash", hash);
    for (u32 user = 0; user < 4; user++)
        stand_read(&stand, user, 100 * user, user * stride);
    for (u32 user = 0; user < 4; user++)
        stand_read(&stand, user, 1000, user * stride);
    stand_finish(&stand);
    for (u32 user = 0; user < 4; user++)
        together += asked[user][1].answered == 1000 + HIT;
    bench_destroy(stand.sim);
    return together;
}

static void linear_interleave_goes_by_lines(void **state)
{
    (void)state;
    assert_int_equal(answered_together("linear", 128, 0), 4);
    assert_int_equal(answered_together("linear", 32, 0), 1);
    assert_int_equal(answered_together("linear", 512, 0), 1); /* all in bank 0 */
}

static void interleave_is_how_much_lies_together(void **state)
{
    (void)state;
    assert_int_equal(answered_together("linear", 32, 32), 4);
    assert_int_equal(answered_together("linear", 128, 256), 2);
    assert_int_equal(answered_together("linear", 256, 256), 4);
}

static void xor_hash_spreads_strides(void **state)
{
    (void)state;
    assert_int_equal(answered_together("xor", 128, 0), 4);
    assert_int_equal(answered_together("xor", 512, 0), 4); /* bits 9, 10 are mixed in */
    assert_int_equal(answered_together("xor", 2048, 0), 4);
}

static void slices_keep_lines_apart_and_use_all_sets(void **state)
{
    static const char *const hashes[] = { "linear", "xor" };
    (void)state;
    for (u32 h = 0; h < 2; h++) {
        struct stand stand = stand_create(1);
        bench_set(stand.cache, "size", 4 * KiB);
        bench_set(stand.cache, "slices", 4);
        bench_set_choice(stand.cache, "hash", hashes[h]);
        for (u64 i = 0; i < 32; i++)
            stand_read(&stand, 0, 100 * i, 128 * i);
        for (u64 i = 0; i < 32; i++)
            stand_read(&stand, 0, 10000 + 100 * i, 128 * i);
        stand_finish(&stand);
        for (u32 i = 0; i < 32; i++)
            expect_read(&asked[0][32 + i], HIT); /* 4 KiB fit exactly */
        bench_destroy(stand.sim);
    }
}

static void sets_need_not_be_a_power_of_two(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "size", 3 * 256);
    for (u64 i = 0; i < 6; i++)
        stand_read(&stand, 0, 100 * i, 128 * i);
    for (u64 i = 0; i < 6; i++)
        stand_read(&stand, 0, 1000 + 100 * i, 128 * i);
    stand_finish(&stand);
    for (u32 i = 0; i < 6; i++)
        expect_read(&asked[0][6 + i], HIT);
}

static void interleaved_cache_counts_its_own_blocks(void **state)
{
    static const struct route routes[] = { { 256, 4 }, { 96, 3 } };
    (void)state;
    for (u32 i = 0; i < 2; i++) {
        struct stand stand = stand_create(1);
        bench_ports(stand.cache, "users")->route = routes[i];
        u64 turn = routes[i].interleave * routes[i].ways;
        /* The second block of this cache's own, and a write beside it. */
        struct exchange *read = stand_read(&stand, 0, 0, turn + 40);
        struct exchange *write = stand_write(&stand, 0, 100, turn + 48, 5);
        stand_finish(&stand);
        u64 local = routes[i].interleave + 40;
        expect_seen(0, 3, MEMORY_READ, local / 32 * 32);
        expect_seen(1, 103, MEMORY_WRITE, local + 8);
        assert_int_equal(read->answer_value, memory_word(local));
        assert_int_equal(read->answer_address, turn + 40);
        assert_int_equal(write->answer_address, turn + 48);
        bench_destroy(stand.sim);
    }
}

static void address_chooses_the_memory_behind(void **state)
{
    (void)state;
    struct stand stand = stand_create_behind(1, 2, ASKED_MAX);
    bench_ports(stand.cache, "next")->route = (struct route){ 64, 2 };
    for (u64 i = 0; i < 4; i++)
        stand_read(&stand, 0, 100 * i, 64 * i);
    stand_finish(&stand);
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(behind[i].count, 2);
        assert_int_equal(behind[i].seen[0].message.address, 64 * i);
        assert_int_equal(behind[i].seen[1].message.address, 64 * i + 128); /* as the chip counts */
    }
}

static void host_finds_the_way_and_newer_bytes(void **state)
{
    (void)state;
    struct stand stand = stand_create_behind(1, 2, ASKED_MAX);
    struct ports *next = bench_ports(stand.cache, "next");
    bench_ports(stand.cache, "users")->route = (struct route){ 256, 4 };
    next->route = (struct route){ 64, 2 };
    bench_set_choice(stand.cache, "write", "back");
    bench_set_choice(stand.cache, "write_miss", "allocate");
    stand_write(&stand, 0, 0, 1024 + 72, 0x1122334455667788)->mask = 0x0f;
    stand_finish(&stand);
    u64 address = 1024 + 64;
    u8 data[32] = { 0 };
    unit_type_cache.newer(stand.cache, address, data);
    assert_ptr_equal(unit_type_cache.toward(stand.cache, &address), next->at[1].out);
    assert_int_equal(address, 256 + 64);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(data[i], i < 8 || i > 11 ? 0 : 0x88 - 0x11 * (i - 8));
    memset(data, 3, sizeof data);
    unit_type_cache.newer(stand.cache, 4096, data);
    assert_int_equal(data[0], 3);
}

static void address_without_memory_is_a_fault(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange *beyond = stand_read(&stand, 0, 0, MEMORY_BYTES);
    struct exchange *again = stand_read(&stand, 0, 100, MEMORY_BYTES);
    struct exchange *wild = stand_read(&stand, 0, 200, UINT64_MAX - 7);
    struct exchange *write = stand_write(&stand, 0, 300, UINT64_C(1) << 50, 1);
    stand_finish(&stand);
    assert_int_equal(beyond->answer_kind, MEMORY_FAULT);
    assert_int_equal(beyond->answered, MISS);
    assert_int_equal(again->answer_kind, MEMORY_FAULT); /* not kept */
    assert_int_equal(wild->answer_kind, MEMORY_FAULT);
    assert_int_equal(wild->answer_address, UINT64_MAX - 7);
    assert_int_equal(write->answer_kind, MEMORY_FAULT);
}

static void request_across_sectors_is_a_fault(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    struct exchange *across = stand_read(&stand, 0, 0, 28);
    struct exchange *empty = stand_read(&stand, 0, 100, 0);
    empty->size_bytes = 0;
    stand_finish(&stand);
    assert_int_equal(across->answer_kind, MEMORY_FAULT);
    assert_int_equal(empty->answer_kind, MEMORY_FAULT);
    assert_int_equal(behind[0].count, 0);
}

static void expect_refused(const char *param, u64 value, const char *words)
{
    struct stand stand = stand_create(1);
    bench_set(stand.cache, param, value);
    bench_init_refused(stand.cache, words);
    bench_destroy(stand.sim);
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
    expect_refused("line", 96, "powers of two");
    expect_refused("sector", 256, "cannot be larger than a line");
    expect_refused("size", 1000, "multiple of slices x ways x line");
    expect_refused("ways", 16, "multiple of slices x ways x line");
    expect_refused("interleave", 48, "powers of two");
    struct stand stand = stand_create(1);
    bench_set(stand.cache, "slices", 2);
    bench_set(stand.cache, "interleave", 64);
    bench_init_refused(stand.cache, "slices cannot share a line");
    bench_set(stand.cache, "interleave", 128);
    bench_set_choice(stand.cache, "atomics", "here");
    bench_init_refused(stand.cache, "atomics: here needs write: back");
    bench_set_choice(stand.cache, "atomics", "below");
    bench_set(stand.cache, "banks", 3);
    bench_set_choice(stand.cache, "hash", "xor");
    bench_init_refused(stand.cache, "hash: xor needs powers of two");
}

/* Random requests of four users to a cache of one bank; what came of them is left in `asked`. */
static void random_run(const char *hash, u64 seed)
{
    static const u16 sizes[] = { 1, 2, 4, 8 };
    struct stand stand = stand_create(4);
    bench_set_choice(stand.cache, "hash", hash);
    bench_set_choice(stand.cache, "write", "back");
    bench_set_choice(stand.cache, "write_miss", "allocate");
    for (u32 i = 0; i < 4 * 30; i++) {
        u16 size = sizes[random_below(&seed, 4)];
        u64 address = random_below(&seed, 4 * KiB / size) * size;
        stand_ask(&stand, i % 4,
                  (struct exchange){ .asked = 4 * i + random_below(&seed, 20),
                                     .kind = random_below(&seed, 3) ? MEMORY_READ : MEMORY_WRITE,
                                     .size_bytes = size,
                                     .mask = (UINT32_C(1) << size) - 1,
                                     .address = address,
                                     .value = random_next(&seed) });
    }
    stand_finish(&stand);
    bench_destroy(stand.sim);
}

/* What a request's answer says; bytes behind its size mean nothing. */
static u64 value_of(const struct exchange *exchange)
{
    return exchange->answer_value << (64 - 8 * exchange->size_bytes);
}

/* With one bank, a hash has nothing to choose: only the way to calculate is another. */
static void bits_of_an_address_say_what_division_says(void **state)
{
    static struct exchange before[USERS_MAX][ASKED_MAX];
    (void)state;
    for (u64 seed = 1; seed <= 20; seed++) {
        random_run("xor", seed);
        memcpy(before, asked, sizeof before);
        random_run("linear", seed);
        for (u32 user = 0; user < 4; user++)
            for (u32 i = 0; i < 30; i++) {
                assert_int_equal(before[user][i].answers, 1);
                assert_int_equal(before[user][i].answered, asked[user][i].answered);
                assert_int_equal(value_of(&before[user][i]), value_of(&asked[user][i]));
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(linear_interleave_goes_by_lines),
        bench_test_all_ways(interleave_is_how_much_lies_together),
        bench_test_all_ways(xor_hash_spreads_strides),
        bench_test_all_ways(slices_keep_lines_apart_and_use_all_sets),
        bench_test_all_ways(bits_of_an_address_say_what_division_says),
        bench_test_all_ways(sets_need_not_be_a_power_of_two),
        bench_test_all_ways(interleaved_cache_counts_its_own_blocks),
        bench_test_all_ways(address_chooses_the_memory_behind),
        bench_test_all_ways(host_finds_the_way_and_newer_bytes),
        bench_test_all_ways(address_without_memory_is_a_fault),
        bench_test_all_ways(request_across_sectors_is_a_fault),
        bench_test(impossible_shapes_are_refused),
    };
    return cmocka_run_group_tests_name("cache_address", tests, NULL, NULL);
}
