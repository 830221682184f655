/* vector_add.c - c = a + b, in blocks of 64 elements that harts fetch one by one.
 *
 * Argument: elements (4096). The result is checked by other harts than those that computed it. */
#include <ogive/device.h>

#define COUNT_MAX (1 << 20)
#define BLOCK     64

static float a[COUNT_MAX], b[COUNT_MAX], c[COUNT_MAX];
static uint32_t wrong, finished;

static float a_at(uint64_t i)
{
    return (float)(i % 1021);
}

static float b_at(uint64_t i)
{
    return (float)(i % 509) * 0.5f;
}

/* Harts take turns here, so that nobody's part depends on the order in which they come. */
static void inputs_fill(uint64_t count)
{
    for (uint64_t i = ogv_hart(); i < count; i += ogv_harts()) {
        a[i] = a_at(i);
        b[i] = b_at(i);
    }
}

static void blocks_add(uint64_t count)
{
    for (;;) {
        uint64_t first = ogv_next() * BLOCK, end = first + BLOCK;
        if (first >= count)
            return;
        if (end > count)
            end = count;
        for (uint64_t i = first; i < end; i++)
            c[i] = a[i] + b[i];
    }
}

static uint32_t elements_check(uint64_t count)
{
    uint32_t bad = 0;
    for (uint64_t i = ogv_hart(); i < count; i += ogv_harts())
        bad += c[i] != a_at(i) + b_at(i);
    return bad;
}

int main(int argc, char **argv)
{
    uint64_t count = ogv_argument(argc, argv, 1, 4096);
    if (count > COUNT_MAX)
        return 1;
    inputs_fill(count);
    ogv_barrier_all();
    blocks_add(count);
    ogv_barrier_all();
    ogv_atomic_add_u32(&wrong, elements_check(count));
    ogv_fence();
    if (ogv_atomic_add_u32(&finished, 1) + 1 < ogv_harts())
        return 0;
    uint32_t bad = ogv_atomic_load_u32(&wrong);
    ogv_print("vector_add: %lu elements, %u wrong\n", (unsigned long)count, bad);
    return bad != 0;
}
