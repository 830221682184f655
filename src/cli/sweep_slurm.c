/* sweep_slurm.c - see sweep_slurm.h; and `ogive sweep job`, which is what the jobs do.
 *
 * What has neither an outcome nor a place in the queue is submitted; then both are looked at now
 * and then, until nothing is left. Jobs that vanish are submitted again, as long as something gets
 * on. */
#include "cli/sweep_slurm.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stop.h"
#include "base/text.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/sweep.h"
#include "explore/slurm.h"
#include "explore/standing.h"

#define LOOK_SECONDS 2
#define ROUNDS_MAX   5 /* of submitting without anything done in between */

bool sweep_is_slurm(const char *on)
{
    return !strcmp(on, "slurm") || !strncmp(on, "slurm:", 6);
}

struct cluster {
    const struct store *store;
    const struct manifest *manifest;
    const struct slurm_arguments *arguments;
    struct slurm_options options;
    struct standing standing;
    u8 *queued;
    struct progress_line line;
    u32 rounds, over; /* over: runs with an outcome when it was submitted last */
};

static bool is_over(const struct cluster *cluster, u32 run, bool retry)
{
    u8 state = cluster->standing.states[run];
    return state == STANDING_DONE || (state == STANDING_FAILED && !retry);
}

/* Returns how many were submitted; false on failure. */
static bool cluster_submit(struct cluster *cluster, bool retry, u32 *count, struct ogv_error *error)
{
    const struct manifest *manifest = cluster->manifest;
    u32 *runs = heap_array(manifest->count + 1, sizeof *runs);
    *count = 0;
    for (u32 i = 0; i < manifest->count; i++)
        if (!is_over(cluster, i, retry) && !cluster->queued[i] &&
            cluster->standing.states[i] != STANDING_RUNNING)
            runs[(*count)++] = i;
    cluster->options.retry = retry;
    bool good = slurm_submit(cluster->store, manifest, runs, *count, &cluster->options, error);
    free(runs);
    return good;
}

static bool cluster_look(struct cluster *cluster, struct ogv_error *error)
{
    standing_fini(&cluster->standing);
    return standing_look(cluster->store, cluster->manifest, &cluster->standing, error);
}

static void cluster_show(struct cluster *cluster, const char *note)
{
    const u32 *counts = cluster->standing.counts;
    if (cluster->arguments->quiet)
        return;
    char *text = text_format(
        "%u of %u runs done, %u failed, %u running, %u in the queue%s%s", counts[STANDING_DONE],
        cluster->manifest->count, counts[STANDING_FAILED], counts[STANDING_RUNNING],
        counts[STANDING_WAITING] + counts[STANDING_INTERRUPTED], *note ? "; " : "", note);
    progress_show(&cluster->line, text);
    free(text);
}

/* Submits again what has left the queue without an outcome. */
static bool cluster_mend(struct cluster *cluster, struct ogv_error *error)
{
    u32 over = cluster->standing.counts[STANDING_DONE] + cluster->standing.counts[STANDING_FAILED];
    u32 count;
    cluster->rounds = over > cluster->over ? 0 : cluster->rounds + 1;
    cluster->over = over;
    if (cluster->rounds >= ROUNDS_MAX)
        return true;
    slurm_account(cluster->store, cluster->manifest, cluster->queued);
    slurm_unstick(cluster->store, cluster->manifest);
    return cluster_look(cluster, error) && cluster_submit(cluster, false, &count, error);
}

static bool any_left(const struct cluster *cluster, bool *queued)
{
    bool left = false;
    *queued = false;
    for (u32 i = 0; i < cluster->manifest->count; i++) {
        left = left || !is_over(cluster, i, false);
        *queued = *queued || (cluster->queued[i] && !is_over(cluster, i, false)) ||
                  cluster->standing.states[i] == STANDING_RUNNING;
    }
    return left;
}

/* A controller that does not answer is waited for. */
static bool cluster_wait(struct cluster *cluster, struct ogv_error *error)
{
    bool queued = true;
    while (!stop_asked() && cluster->rounds < ROUNDS_MAX) {
        struct ogv_error why = { 0 };
        bool answers = slurm_queue(cluster->store, cluster->manifest, cluster->queued, &why);
        if (!cluster_look(cluster, error))
            return false;
        if (!any_left(cluster, &queued))
            return true;
        cluster_show(cluster, answers ? "" : why.message);
        if (answers && !queued && !cluster_mend(cluster, error))
            return false;
        if (cluster->line.style == PROGRESS_PLAIN)
            cluster->line.style = PROGRESS_NONE; /* one line says it */
        sleep(LOOK_SECONDS);
    }
    return true;
}

static int cluster_result(const struct cluster *cluster)
{
    const u32 *counts = cluster->standing.counts;
    u32 left = cluster->manifest->count - counts[STANDING_DONE] - counts[STANDING_FAILED];
    if (!cluster->arguments->quiet)
        printf("%s: %u runs, %u done, %u failed%s\n", cluster->manifest->study,
               cluster->manifest->count, counts[STANDING_DONE], counts[STANDING_FAILED],
               left ? "; jobs go on, `ogive sweep status` says how far they are" : "");
    return stop_asked() ? EXIT_INTERRUPT : sweep_code(counts[STANDING_FAILED], left);
}

static bool cluster_begin(struct cluster *cluster, struct ogv_error *error)
{
    u32 count;
    if (!cluster_look(cluster, error) ||
        !slurm_queue(cluster->store, cluster->manifest, cluster->queued, error) ||
        !cluster_submit(cluster, cluster->arguments->retry, &count, error))
        return false;
    cluster->over =
        cluster->standing.counts[STANDING_DONE] + cluster->standing.counts[STANDING_FAILED];
    if (!cluster->arguments->quiet)
        fprintf(stderr, "%u runs submitted\n", count);
    return cluster->arguments->detach || cluster_wait(cluster, error);
}

int sweep_slurm(const struct slurm_arguments *arguments, const struct store *store,
                const struct manifest *manifest)
{
    struct ogv_error error;
    char *program = realpath("/proc/self/exe", NULL);
    struct cluster cluster = {
        .store = store,
        .manifest = manifest,
        .arguments = arguments,
        .options = { .options = arguments->on[5] == ':' ? arguments->on + 6 : "",
                     .program = program ? program : "ogive",
                     .checkpoint_every = arguments->checkpoint_every,
                     .threads = arguments->threads },
        .queued = heap_array(manifest->count + 1, 1),
        .line = progress_line(PROGRESS_AUTO),
    };
    signals_catch();
    bool good = slurm_check(cluster.options.options, &error) && cluster_begin(&cluster, &error);
    progress_clear(&cluster.line);
    int code = good ? cluster_result(&cluster) : fail(&error);
    standing_fini(&cluster.standing);
    free(cluster.queued);
    free(program);
    return code;
}
