/* grids.c - thread blocks do what block.h and warp.h say, on any machine.
 *
 * Arguments: the most threads of a block (1024); 1: one thread does not come to a barrier. */
#include <ogive/device.h>

#define BLOCKS  5
#define THREADS 1024

static uint32_t visits[BLOCKS * THREADS], words[BLOCKS * THREADS], wrong, turns;

static void check(int right)
{
    if (!right)
        ogv_atomic_add_u32(&wrong, 1);
}

static uint32_t index_of(uint32_t thread)
{
    return ogv_block() * ogv_block_dim() + thread;
}

/* A quotient and a root, each rounded: of ordinary numbers, and at the ends of the range. */
static void kernel_rsqrt(void *argument)
{
    static const float ends[] = { 0.0f, 1e-45f, 3.4e38f, 1.0f, 4.0f, 2.0f };
    uint32_t thread = ogv_block_thread();
    volatile float x = thread < 6 ? ends[thread] : (float)thread * 0.37f, root = __builtin_sqrtf(x);
    (void)argument;
    check(ogv_rsqrt(x) == 1.0f / root);
    check(ogv_rsqrt(-1.0f - x) != ogv_rsqrt(-1.0f - x));
}

/* Every thread runs once; what a block wrote before a barrier, in shared memory and elsewhere, it
 * sees after it. */
static void kernel_share(void *argument)
{
    const struct ogv_grid *grid = (const struct ogv_grid *)argument;
    uint32_t thread = ogv_block_thread(), last = ogv_block_dim() - 1;
    uint32_t *shared = (uint32_t *)ogv_block_shared();
    check(ogv_block() < grid->blocks && ogv_blocks() == grid->blocks);
    check(thread < grid->threads && ogv_block_dim() == grid->threads);
    ogv_atomic_add_u32(&visits[index_of(thread)], 1);
    for (uint32_t round = 0; round < 3; round++) {
        shared[thread] = index_of(thread) + round;
        words[index_of(thread)] = ~index_of(thread) - round;
        ogv_block_barrier();
        check(shared[last - thread] == index_of(last - thread) + round);
        check(words[index_of(last - thread)] == ~index_of(last - thread) - round);
        ogv_block_barrier();
    }
}

/* What another lane gives: its own, if there is a thread. */
static uint32_t from(uint32_t lane, uint32_t otherwise)
{
    uint32_t first = ogv_block_thread() - ogv_lane();
    return lane < ogv_warp_width() && first + lane < ogv_block_dim() ? first + lane : otherwise;
}

#define CHECK_SHUFFLES(T, type)                                                  \
    check(ogv_shuffle_##T((type)t, width + 1) == (type)from(1 % width, t));      \
    check(ogv_shuffle_xor_##T((type)t, 2) == (type)from((lane ^ 2) % width, t)); \
    check(ogv_shuffle_up_##T((type)t, 3) == (type)(lane >= 3 ? t - 3 : t));      \
    check(ogv_shuffle_down_##T((type)t, 1) == (type)from(lane + 1, t));          \
    check(ogv_shuffle_down_##T((type)t, ~0u) == (type)t);                        \
    check(ogv_warp_add_##T((type)t) == (type)sum &&                              \
          ogv_warp_min_##T((type)t) == (type)(t - lane));                        \
    check(ogv_warp_max_##T((type)t) == (type)(t - lane + count - 1))

static void kernel_tell(void *argument)
{
    uint32_t t = ogv_block_thread(), lane = ogv_lane(), width = ogv_warp_width();
    uint32_t rest = ogv_block_dim() - (t - lane), count = rest < width ? rest : width;
    uint32_t sum = count * (t - lane) + count * (count - 1) / 2;
    uint64_t all = ~UINT64_C(0) >> (64 - count);
    (void)argument;
    /* Some come late. */
    for (volatile uint32_t i = 0; i < (t % 3) * 400; i++) {
    }
    check(lane == t % width && ogv_active() == all);
    check(ogv_ballot(t & 1) == (width == 1 ? t & 1 : all & UINT64_C(0xaaaaaaaaaaaaaaaa)));
    check(ogv_any(lane == count - 1) && ogv_all(t < ogv_block_dim()));
    check(!ogv_any(t == ogv_block_dim()) && ogv_all(lane == 0) == (count == 1));
    CHECK_SHUFFLES(u32, uint32_t);
    CHECK_SHUFFLES(i32, int32_t);
    CHECK_SHUFFLES(u64, uint64_t);
    CHECK_SHUFFLES(i64, int64_t);
    CHECK_SHUFFLES(float, float);
    CHECK_SHUFFLES(double, double);
    /* GCC makes two of what comes behind the question, one for either answer. */
    check(ogv_warp_max_float((float)lane * (lane & 1 ? -1.0f : 0.5f)) == (float)((count - 1) / 2));
    /* Every other one ends; the others go on without. */
    if (lane % 2)
        return;
    check(ogv_active() == (all & UINT64_C(0x5555555555555555)));
    check(ogv_shuffle_xor_u32(t, 1) == t);
    check(ogv_warp_add_u32(lane) == (count + 1) / 2 * ((count + 1) / 2 - 1));
}

/* Needs no stack, as little as whoever waits for the next block. */
static void kernel_leaf(void *argument)
{
    (void)argument;
    check(ogv_all(ogv_block_thread() < ogv_block_dim()));
}

/* Takes its time, of which other threads of the warp make use. */
static void linger(uint32_t rounds)
{
    while (rounds--)
        check(ogv_atomic_add_u32(&turns, 1) != UINT32_MAX);
}

/* Threads of a warp come to the barrier at two places, some of them late. */
static void kernel_part(void *argument)
{
    uint32_t thread = ogv_block_thread(), other = thread ^ 1, late = argument ? 4 : 0;
    uint32_t *shared = (uint32_t *)ogv_block_shared();
    shared[thread] = thread;
    if (thread % 2) {
        linger(late);
        ogv_block_barrier();
        check(shared[other] == other);
    } else {
        linger(4 - late);
        ogv_block_barrier();
        check(other >= ogv_block_dim() || shared[other] == other);
    }
}

static void kernel_leave(void *argument)
{
    (void)argument;
    if (ogv_block_thread())
        ogv_block_barrier();
}

static void grid_check(uint32_t blocks, uint32_t threads)
{
    struct ogv_grid grid = { blocks, threads, threads * (uint32_t)sizeof(uint32_t), 0 };
    ogv_launch(&grid, kernel_share, &grid);
    for (uint32_t i = ogv_hart(); i < BLOCKS * THREADS; i += ogv_harts()) {
        check(visits[i] == (i < blocks * threads));
        visits[i] = 0;
    }
    ogv_launch(&grid, kernel_tell, NULL);
    ogv_launch(&grid, kernel_leaf, NULL);
    ogv_launch(&grid, kernel_rsqrt, NULL);
    ogv_launch(&grid, kernel_part, NULL);
    ogv_launch(&grid, kernel_part, &grid);
}

int main(int argc, char **argv)
{
    uint32_t most = (uint32_t)ogv_argument(argc, argv, 1, THREADS);
    if (ogv_argument(argc, argv, 2, 0)) {
        struct ogv_grid grid = { 1, most, 0, 0 };
        ogv_launch(&grid, kernel_leave, NULL);
        return 0;
    }
    grid_check(3, 1);
    grid_check(BLOCKS, 7);
    grid_check(0, 7);
    grid_check(3, 0);
    grid_check(2, most);
    if (ogv_hart() != 0)
        return 0;
    ogv_print("grids: %u wrong\n", ogv_atomic_load_u32(&wrong));
    return ogv_atomic_load_u32(&wrong) != 0;
}
