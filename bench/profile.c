/* profile.c - what profiling costs: the same programs with and without it, turn by turn.
 *
 * Time is what the process computed on one thread, and the fastest of several turns counts:
 * whatever else the machine does can only add to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/stats.h"
#include "base/error.h"
#include "measure.h"
#include "run/compile.h"
#include "run/program.h"

#define ROUNDS 9

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
    double start = work_clock();
    if (ogv_system_run(system, OGV_FOREVER, &error) != OGV_END_FINISHED)
        give_up(&error);
    outcome.seconds = work_clock() - start;
    outcome.instructions = program_instructions(system);
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
    char *file = compile_program(name, "program.elf", (struct compile_formats){ 0 }, &error);
    if (!file)
        give_up(&error);
    double best[2] = { 1e9, 1e9 };
    struct outcome outcomes[2];
    for (u32 turn = 0; turn < 2 * ROUNDS; turn++) {
        u32 profile = turn % 2;
        struct program_options program = {
            .file = file, .arguments = arguments, .argument_count = count, .profile = profile
        };
        outcomes[profile] = simulate(arch, &program);
        if (outcomes[profile].seconds < best[profile])
            best[profile] = outcomes[profile].seconds;
        if (turn && strcmp(outcomes[0].digest, outcomes[1].digest))
            ogv_bug("%s: a profile changes the digest", name);
    }
    double millions = (double)outcomes[0].instructions / 1e6;
    printf("%-16s %-12s %6.1f MSIPS without, %6.1f with: %+.1f%% time   (target: <= +15%%)\n",
           machine, name, millions / best[0], millions / best[1], 100 * (best[1] / best[0] - 1));
    remove("program.elf");
    free(file);
    ogv_arch_destroy(arch);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *picture[] = { "256", "64" };
    const char *vectors[] = { "32768", "1" };
    const char *intervals[] = { "2000" }; /* calls and virtual functions all the time */
    printf("1 thread, the fastest of %d turns each\n", ROUNDS);
    bench_program("rtx2080-compute", "mandelbrot", picture, 2);
    bench_program("rtx2080-compute", "triad", vectors, 2);
    bench_program("tiny", "templates", intervals, 1);
    return 0;
}
