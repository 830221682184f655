/* chase.c - follows pointers through memory: each load waits for the one before, so the time per
 * step is the latency of whatever level of the memory hierarchy the nodes fit in.
 *
 * Arguments: nodes of 64 bytes, a power of two (1024); steps (8192); harts that walk (1).
 * Node i points to node (5 i + 12345) mod n, which visits every node before it repeats. */
#include <ogive/device.h>

#define NODES_MAX (1 << 18)
#define MULTIPLY  5
#define ADD       12345

static struct node {
    const struct node *next;
    uint64_t unused[7];
} nodes[NODES_MAX];
static uint32_t wrong, finished;
static uint64_t cycles_most;

/* Where `steps` steps lead: squares the step, multiplies in those squares that are needed. */
static uint64_t steps_end(uint64_t start, uint64_t steps, uint64_t count)
{
    uint64_t multiply = MULTIPLY, add = ADD, place = start;
    for (; steps; steps >>= 1) {
        if (steps & 1)
            place = place * multiply + add;
        add = add * multiply + add;
        multiply *= multiply;
    }
    return place % count;
}

static const struct node *steps_walk(const struct node *node, uint64_t steps)
{
    for (; steps; steps--)
        node = node->next;
    return node;
}

static void hart_walk(uint64_t count, uint64_t steps)
{
    uint64_t start = ogv_hart() % count;
    uint64_t before = ogv_cycles();
    uint64_t end = (uint64_t)(steps_walk(&nodes[start], steps) - nodes);
    /* To wait for the last load before the clock is read again. */
    ogv_atomic_add_u32(&wrong, end != steps_end(start, steps, count));
    ogv_atomic_max_u64(&cycles_most, ogv_cycles() - before);
}

int main(int argc, char **argv)
{
    uint64_t count = ogv_argument(argc, argv, 1, 1024);
    uint64_t steps = ogv_argument(argc, argv, 2, 8192);
    uint64_t walkers = ogv_argument(argc, argv, 3, 1);
    if (count < 1 || count > NODES_MAX || (count & (count - 1)) || steps < 1)
        return 1;
    for (uint64_t i = ogv_hart(); i < count; i += ogv_harts())
        nodes[i].next = &nodes[(i * MULTIPLY + ADD) % count];
    ogv_barrier_all();
    if (ogv_hart() < walkers)
        hart_walk(count, steps);
    ogv_fence();
    if (ogv_atomic_add_u32(&finished, 1) + 1 < ogv_harts())
        return 0;
    uint32_t bad = ogv_atomic_load_u32(&wrong);
    double cycles = (double)ogv_atomic_load_u64(&cycles_most) / (double)steps;
    ogv_print("chase: %lu nodes, %lu steps, %.2f cycles per step, %u wrong\n", (unsigned long)count,
              (unsigned long)steps, cycles, bad);
    return bad != 0;
}
