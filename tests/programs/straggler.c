/* straggler.c - one hart works while all others wait for it: at the barrier of the units (argument
 * 1), or at the one in memory (0). */
#include <ogive/device.h>

#define WORK 4000

static uint32_t numbers[WORK];

int main(int argc, char **argv)
{
    uint64_t by_units = ogv_argument(argc, argv, 1, 0);
    if (ogv_hart() == 0)
        for (uint32_t i = 0; i < 2 * WORK; i++)
            numbers[i % WORK] += i;
    if (by_units)
        ogv_barrier();
    else
        ogv_barrier_all();
    return numbers[ogv_hart() % WORK] != 2 * (ogv_hart() % WORK) + WORK;
}
