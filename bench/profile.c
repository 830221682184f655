/* profile.c - what profiling costs: the same programs with and without it, turn by turn.
 *
 * Time is what the process computed on one thread, so that others on the machine matter little. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/stats.h"
#include "base/error.h"
#include "measure.h"
#include "run/compile.h"
#include "run/program.h"

#define ROUNDS 5

static _Noreturn void give_up(const struct ogv_error *error)
{
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

struct outcome {
    double seconds;
    u64 instructions;
    char digest[HASH_TEXT_BYTES];
};

static struct outcome simulate(const ogv_arch *arch, const struct program_options *program)
{
    struct ogv_error error;
    struct outcome outcome;
    ogv_system *system = ogv_system_create(arch, &error);
    if (!system || !program_load(system, program, &error))
        give_up(&error);
    ogv_system_set_threads(system, 1);
    double start = measure_work();
    if (ogv_system_run(system, OGV_FOREVER, &error) != OGV_END_FINISHED)
        give_up(&error);
    outcome.seconds = measure_work() - start;
    outcome.instructions = system_sum(system, "core", "issued");
    ogv_system_digest(system, outcome.digest);
    ogv_system_destroy(system);
    return outcome;
}

static void bench_program(const char *machine, const char *name, const char *const *arguments,
                          u32 count)
{
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_load(machine, &error);
    if (!arch)
        give_up(&error);
    char *file = compile_program(name, ".", (struct compile_formats){ 0 }, &error);
    if (!file)
        give_up(&error);
    double rates[2][ROUNDS], ratios[ROUNDS];
    for (u32 i = 0; i < ROUNDS; i++) {
        struct outcome outcomes[2];
        for (u32 turn = 0; turn < 2; turn++) {
            u32 profile = (turn + i) % 2;
            struct program_options program = { file, arguments, count, profile };
            outcomes[profile] = simulate(arch, &program);
            rates[profile][i] =
                (double)outcomes[profile].instructions / outcomes[profile].seconds / 1e6;
        }
        if (strcmp(outcomes[0].digest, outcomes[1].digest))
            ogv_bug("%s: a profile changes the digest", name);
        ratios[i] = outcomes[1].seconds / outcomes[0].seconds;
    }
    printf("%-16s %-12s %6.1f MSIPS without, %6.1f with: %+.1f%% time   (target: <= +15%%)\n",
           machine, name, measure_median(rates[0], ROUNDS), measure_median(rates[1], ROUNDS),
           100 * (measure_median(ratios, ROUNDS) - 1));
    remove("program.elf");
    free(file);
    ogv_arch_destroy(arch);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *picture[] = { "384", "128" };
    const char *vectors[] = { "65536", "1" };
    const char *intervals[] = { "2000" }; /* calls and virtual functions all the time */
    printf("1 thread, medians of %d pairs\n", ROUNDS);
    bench_program("rtx2080-compute", "mandelbrot", picture, 2);
    bench_program("rtx2080-compute", "triad", vectors, 2);
    bench_program("tiny", "templates", intervals, 1);
    return 0;
}
