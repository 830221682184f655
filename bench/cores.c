/* cores.c - real programs on 2944 cores, and on 184 sub-cores that run warps: simulated
 * instructions, of threads, per second of a host thread's processor time, for one thread and for
 * each of two, and how much sooner two are done.
 *
 * Each run builds the chip, loads the program and simulates it to the end; only the simulation is
 * timed. One and two threads take turns. Others who use the machine only ever add time, so of one
 * number of threads the fastest turn counts; of the ratios, in which they count twice, the median.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/stats.h"
#include "base/error.h"
#include "measure.h"
#include "run/compile.h"
#include "run/program.h"

#define ROUNDS_MAX 21

struct outcome {
    double seconds, work; /* on the wall's clock, and of processors */
    u64 instructions;
    cycle cycles;
    char digest[HASH_TEXT_BYTES];
};

static _Noreturn void give_up(const struct ogv_error *error)
{
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static struct outcome simulate(const ogv_arch *arch, const struct program_options *program,
                               u32 threads)
{
    struct ogv_error error;
    struct outcome outcome;
    ogv_system *system = ogv_system_create(arch, &error);
    if (!system || !program_load(system, program, &error))
        give_up(&error);
    ogv_system_set_threads(system, threads);
    double start = wall_clock(), before = work_clock();
    if (ogv_system_run(system, OGV_FOREVER, &error) != OGV_END_FINISHED)
        give_up(&error);
    outcome.seconds = wall_clock() - start;
    outcome.work = work_clock() - before;
    outcome.instructions = program_instructions(system);
    outcome.cycles = ogv_system_cycle(system);
    ogv_system_digest(system, outcome.digest);
    if (program_exit_code(system))
        ogv_bug("%s ended with exit code %llu", program->file,
                (unsigned long long)program_exit_code(system));
    ogv_system_destroy(system);
    return outcome;
}

/* A short program takes more turns, to meet a moment in which nobody disturbs it. */
static void bench_program(const ogv_arch *arch, const char *name, const char *const *arguments,
                          u32 count, u32 rounds, const char *targets)
{
    struct ogv_error error;
    char *file = compile_program(name, "program.elf", (struct compile_formats){ 0 }, &error);
    if (!file)
        give_up(&error);
    struct program_options program = { .file = file,
                                       .arguments = arguments,
                                       .argument_count = count };
    double one = 0, each = 0, ratios[ROUNDS_MAX];
    struct outcome outcome = { 0 };
    for (u32 i = 0; i < rounds; i++) {
        struct outcome alone = simulate(arch, &program, 1);
        outcome = simulate(arch, &program, 2);
        if (strcmp(outcome.digest, alone.digest))
            ogv_bug("%s: digests differ", name);
        one = fmax(one, (double)alone.instructions / alone.work / 1e6);
        each = fmax(each, (double)outcome.instructions / outcome.work / 1e6);
        ratios[i] = alone.seconds / outcome.seconds;
    }
    printf("%-12s %9.2f M instructions, %8llu cycles: %6.1f MSIPS with 1 thread (%.1f kcycles/s), "
           "%.1f with each of 2, %.2f x with 2   %s\n",
           name, (double)outcome.instructions / 1e6, (unsigned long long)outcome.cycles, one,
           one * 1e3 * (double)outcome.cycles / (double)outcome.instructions, each,
           measure_median(ratios, rounds), targets);
    remove("program.elf");
    free(file);
}

static ogv_arch *machine_load(const char *name, const char *about)
{
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_load(name, &error);
    if (!arch)
        give_up(&error);
    printf("%s: %s\n", name, about);
    return arch;
}

int main(void)
{
    const char *picture[] = { "512", "256" };
    const char *vectors[] = { "131072", "1" }, *large[] = { "524288", "1" };
    setvbuf(stdout, NULL, _IOLBF, 0);
    ogv_arch *arch = machine_load("rtx2080-compute", "46 SMs x 64 cores x 8 threads");
    bench_program(arch, "mandelbrot", picture, 2, 7, "(targets: >= 50 MSIPS, >= 1.8 x)");
    bench_program(arch, "triad", vectors, 2, ROUNDS_MAX, "(target: >= 15 MSIPS per thread)");
    bench_program(arch, "triad", large, 2, 5, "(target: >= 8 MSIPS per thread)");
    ogv_arch_destroy(arch);
    arch = machine_load("rtx2080-simt", "46 SMs x 4 sub-cores x 8 warps of 32 threads");
    bench_program(arch, "mandelbrot", picture, 2, 3, "(target: >= 60 MSIPS)");
    ogv_arch_destroy(arch);
    return 0;
}
