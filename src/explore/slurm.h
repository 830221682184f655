/* slurm.h - runs of a study as jobs of a cluster, through Slurm's own commands: sbatch, squeue,
 * sacct, scancel, scontrol.
 *
 * Runs go into arrays of jobs. A job makes one run as a sweep on its machine would: with the lock
 * of the run, from its checkpoint if there is one. Before its time is up Slurm signals it; it ends
 * the run with a checkpoint and puts itself back into the queue. So a job may be submitted twice,
 * vanish or be repeated: at most the time since the last checkpoint is lost, and no run is made
 * twice.
 *
 * STORE/studies/NAME.jobs/N.list has the keys of an array, N.id the number that Slurm gave it. */
#ifndef EXPLORE_SLURM_H
#define EXPLORE_SLURM_H

#include "explore/manifest.h"

#define SLURM_WARNING_SECONDS \
    120 /* before the end of its time, if the job does not say otherwise */

struct slurm_options {
    const char *options; /* "partition=long,time=2:00:00" for sbatch; "" for none */
    const char *program; /* of this simulator */
    const char *checkpoint_every;
    u32 threads; /* 0: one */
    bool retry;
};

/* Whether the options can be: each NAME=VALUE or NAME. */
bool slurm_check(const char *options, struct ogv_error *error);

/* Submits these runs of the manifest; `jobs` counts the arrays. */
bool slurm_submit(const struct store *store, const struct manifest *manifest, const u32 *runs,
                  u32 count, const struct slurm_options *options, struct ogv_error *error);

/* Which runs are in the queue, or under way by its account: sets 1 by run, but not for jobs that
 * Slurm could not start and holds. False if Slurm does not answer. */
bool slurm_queue(const struct store *store, const struct manifest *manifest, u8 *queued,
                 struct ogv_error *error);

/* Takes jobs that Slurm could not start and holds out of the queue: they can be submitted again. */
void slurm_unstick(const struct store *store, const struct manifest *manifest);

/* Takes all that is in the queue out of it. */
bool slurm_cancel(const struct store *store, const struct manifest *manifest, u32 *arrays,
                  struct ogv_error *error);

/* Runs that were submitted, have left the queue and have no outcome: where Slurm's accounts say why
 * (the node failed, memory or time ran out), that becomes their outcome. */
void slurm_account(const struct store *store, const struct manifest *manifest, const u8 *queued);

/* Puts the job that this process is back into the queue. */
bool slurm_requeue(struct ogv_error *error);

/* The key at a place of a list; the caller frees it. NULL on failure. */
char *slurm_listed(const char *list, u32 place, struct ogv_error *error);

#endif
