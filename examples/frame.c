/* frame.c - a frame by libogive: two SMs of an RTX 2080 draw the Cornell box in steps.
 *
 *     cc frame.c $(pkg-config --cflags --libs ogive) -o frame
 *     ./frame
 *
 * Prints how far it is after every 50,000 cycles, then what the chip did, and leaves frame.png. */
#include <ogive/ogive.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP 50000 /* cycles */

/* The chip, with its program and its scene; NULL on failure. */
static ogv_system *chip_create(struct ogv_error *error)
{
    static const char *const settings[][2] = {
        { "sm.count", "2" },
        { "chip.barrier.arrivals", "2" },
        { "partition.dram.size", "32 MiB" },
    };
    const struct ogv_workload work = { .scene = "cornell", .width = 32, .height = 32 };
    ogv_arch *arch = ogv_arch_load("rtx2080", error);
    bool good = arch;
    for (size_t i = 0; good && i < sizeof settings / sizeof *settings; i++)
        good = ogv_arch_set(arch, settings[i][0], settings[i][1], error);
    ogv_system *system = good ? ogv_system_create(arch, error) : NULL;
    ogv_arch_destroy(arch);
    if (system && !ogv_system_load(system, &work, error)) {
        ogv_system_destroy(system);
        return NULL;
    }
    return system;
}

static bool chip_run(ogv_system *system, struct ogv_error *error)
{
    enum ogv_end end;
    while ((end = ogv_system_step(system, STEP, error)) == OGV_END_REACHED)
        printf("at cycle %llu\n", (unsigned long long)ogv_system_cycle(system));
    return end == OGV_END_FINISHED;
}

static bool chip_show(ogv_system *system, struct ogv_error *error)
{
    double rays, hit_rate;
    if (!ogv_system_stat(system, "sm[*].rt.rays", &rays, error) ||
        !ogv_system_stat(system, "sm[*].l1.hit_rate", &hit_rate, error) ||
        !ogv_system_save_image(system, "frame.png", error))
        return false;
    printf("cycles    %llu\n", (unsigned long long)ogv_system_cycle(system));
    printf("rays      %.0f\n", rays);
    printf("L1 hits   %.1f%%\n", 100 * hit_rate);
    printf("image     frame.png\n");
    return true;
}

int main(void)
{
    struct ogv_error error;
    ogv_system *system = chip_create(&error);
    bool good = system && chip_run(system, &error) && chip_show(system, &error);
    if (!good)
        fprintf(stderr, "frame: %s\n", error.message);
    ogv_system_destroy(system);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
