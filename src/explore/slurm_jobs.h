/* slurm_jobs.h - the arrays of jobs that were submitted for a study. */
#ifndef EXPLORE_SLURM_JOBS_H
#define EXPLORE_SLURM_JOBS_H

#include "explore/manifest.h"

/* STORE/studies/NAME.jobs/N, with the next free N, which is taken; the caller frees. */
char *jobs_base(const struct store *store, const struct manifest *manifest,
                struct ogv_error *error);

#endif
