/* triad.c - STREAM's triad, a = b + s c over doubles: as many bytes per cycle as memory gives.
 *
 * Arguments: elements (8192); rounds (4). Harts take every n-th block of 16 elements, so that
 * neighbours work on neighbouring memory. */
#include <ogive/device.h>

#define COUNT_MAX (1 << 21)
#define BLOCK     16

static double a[COUNT_MAX], b[COUNT_MAX], c[COUNT_MAX];
static uint32_t wrong, finished;
static uint64_t cycles;

static void blocks_fill(uint64_t count)
{
    for (uint64_t first = ogv_hart() * BLOCK; first < count; first += ogv_harts() * BLOCK)
        for (uint64_t i = first; i < first + BLOCK; i++) {
            b[i] = (double)(i % 4099);
            c[i] = (double)(i % 257);
        }
}

static void blocks_triad(uint64_t count, double s)
{
    for (uint64_t first = ogv_hart() * BLOCK; first < count; first += ogv_harts() * BLOCK)
#pragma GCC unroll 4
        for (uint64_t i = first; i < first + BLOCK; i++)
            a[i] = b[i] + s * c[i];
}

static uint32_t blocks_check(uint64_t count, double s)
{
    uint32_t bad = 0;
    for (uint64_t i = ogv_hart(); i < count; i += ogv_harts())
        bad += a[i] != (double)(i % 4099) + s * (double)(i % 257);
    return bad;
}

int main(int argc, char **argv)
{
    uint64_t count = ogv_argument(argc, argv, 1, 8192);
    uint64_t rounds = ogv_argument(argc, argv, 2, 4);
    if (count > COUNT_MAX || count % BLOCK || rounds < 1)
        return 1;
    blocks_fill(count);
    ogv_barrier();
    uint64_t before = ogv_cycles();
    for (uint64_t round = 1; round <= rounds; round++)
        blocks_triad(count, (double)round);
    ogv_barrier();
    ogv_atomic_max_u64(&cycles, ogv_cycles() - before);
    ogv_atomic_add_u32(&wrong, blocks_check(count, (double)rounds));
    ogv_fence();
    if (ogv_atomic_add_u32(&finished, 1) + 1 < ogv_harts())
        return 0;
    uint32_t bad = ogv_atomic_load_u32(&wrong);
    ogv_print("triad: %lu elements, %lu rounds, %.3f bytes per cycle, %u wrong\n",
              (unsigned long)count, (unsigned long)rounds,
              24.0 * (double)count * (double)rounds / (double)ogv_atomic_load_u64(&cycles), bad);
    return bad != 0;
}
