/* sweep_slurm.h - a sweep on a cluster. */
#ifndef CLI_SWEEP_SLURM_H
#define CLI_SWEEP_SLURM_H

#include "explore/manifest.h"

struct slurm_arguments {
    const char *on; /* "slurm:partition=long" */
    const char *checkpoint_every;
    u32 threads;
    bool retry, detach, quiet;
};

/* Whether --on means Slurm. */
bool sweep_is_slurm(const char *on);

/* Submits what is missing, and waits for it. Returns the exit code. */
int sweep_slurm(const struct slurm_arguments *arguments, const struct store *store,
                const struct manifest *manifest);

#endif
