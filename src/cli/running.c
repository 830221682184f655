/* running.c - does a run for a command, then tells the result in words and as an exit code. */
#include "cli/running.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/signals.h"
#include "cli/values.h"

/* What is left out makes energy larger, and rays for it fewer. */
static void print_energy(const struct run_result *result)
{
    const struct energy_total *total = &result->energy;
    char energy[32], power[32];
    double joules = total->use.events + total->use.leakage;
    bool lacking = total->use.lacking;
    if (!total->use.known) {
        printf("energy  not known; `ogive energy %s` says of what\n", result->folder);
        return;
    }
    si_write(energy, sizeof energy, joules, "J");
    si_write(power, sizeof power, total->seconds > 0 ? joules / total->seconds : NAN, "W");
    printf("energy  %s%s, %s", lacking ? "at least " : "", energy, power);
    if (result->figures.rays && joules > 0)
        printf("; %s%.4g Mrays/J", lacking ? "at most " : "",
               (double)result->figures.rays / joules / 1e6);
    if (lacking)
        printf("; `ogive energy %s` says what is missing", result->folder);
    printf("\n");
}

static void print_program(const struct run_result *result)
{
    u64 since = result->instructions - result->instructions_before;
    printf("%llu instructions, %.2f million per second; ", (unsigned long long)result->instructions,
           run_rate(result, since) / 1e6);
    if (result->exited)
        printf("exit code %llu\n", (unsigned long long)result->exit_code);
    else
        printf("the program has not ended\n");
}

static void print_cycles(const struct run_result *result)
{
    char rate[32];
    u64 since = result->cycles - result->cycles_before;
    write_large(rate, sizeof rate, run_rate(result, since));
    printf("%s: %llu cycles", run_status_name(result->status), (unsigned long long)result->cycles);
    if (result->cycles_before)
        printf(", %llu of them after the checkpoint,", (unsigned long long)since);
    printf(" in %.2f s (%s cycles/s)\n", result->wall_seconds, rate);
}

static void print_result(const struct run_result *result)
{
    if (result->console)
        fwrite(result->console, 1, result->console_bytes, stdout);
    if (result->instructions)
        print_program(result);
    if (result->figures.rays)
        printf("%llu rays, %.1f Mrays/s\n", (unsigned long long)result->figures.rays,
               result->figures.mrays_per_s);
    if (result->judged)
        printf("hits equal to Embree's, but for rounding at %llu ties and %llu edges\n",
               (unsigned long long)result->ties, (unsigned long long)result->edges);
    print_energy(result);
    if (result->image)
        printf("image   %s\n", result->image);
    if (result->heatmap)
        printf("heatmap %s\n", result->heatmap);
    print_cycles(result);
    if (result->edits)
        printf("touched %llu changes by a debugger: what it did is not its own doing alone\n",
               (unsigned long long)result->edits);
    printf("digest  %s\nresults %s%s\n", result->digest, result->folder,
           result->unwritten ? ", but not all could be written" : "");
}

/* `otherwise` is for a run whose files are all there. */
static int files_code(const struct run_result *result, int otherwise)
{
    if (!result->unwritten)
        return otherwise;
    return result->unwritten == OGV_ERROR_USER ? EXIT_USER : EXIT_SYSTEM;
}

static int exit_code_of(const struct run_result *result)
{
    switch (result->status) {
    case RUN_FAULT:
    case RUN_WRONG:
        return EXIT_PROGRAM;
    case RUN_INTERRUPTED:
        return files_code(result, EXIT_INTERRUPT);
    case RUN_DEADLOCK:
    case RUN_LIVELOCK:
        return EXIT_HANG;
    default:
        return result->exit_code ? EXIT_PROGRAM : files_code(result, EXIT_GOOD);
    }
}

int run_and_tell(const struct run_options *options, const struct run_telling *telling,
                 char **folder)
{
    struct progress progress;
    progress_init(&progress, telling->progress, telling->quiet);
    struct run_listener listener = progress_listener(&progress);
    listener.watcher = telling->watcher;
    struct run_result result;
    struct ogv_error error;
    signals_catch();
    bool good = run_execute(options, &listener, &result, &error);
    progress_fini(&progress);
    int code = good ? exit_code_of(&result) : fail(&error);
    if (good && error.kind && telling->quiet)
        say_error("%s", error.message);
    if (good && !telling->quiet)
        print_result(&result);
    if (good && folder)
        *folder = result.folder;
    else
        free(result.folder);
    free(result.console);
    free(result.image);
    free(result.heatmap);
    return code;
}
