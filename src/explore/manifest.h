/* manifest.h - the runs of a study as it was last started: STORE/studies/NAME.json.
 *
 * Whoever asks how a study stands need not work it out anew, and sees what was started, whatever
 * has become of its file since. */
#ifndef EXPLORE_MANIFEST_H
#define EXPLORE_MANIFEST_H

#include <jansson.h>

#include "explore/identity.h"
#include "explore/store.h"

struct manifest_axis {
    const char *name;
    const char **labels;
    u32 count;
};

struct manifest_run {
    const char *key;
    u32 at[STUDY_AXES_MAX]; /* by axis: which label, or AXIS_NONE */
    const char **words;     /* its command line */
    const char **resumed;   /* options that go with --resume, too */
    u32 word_count, resumed_count;
    double memory_bytes; /* that the chip takes */
};

struct manifest {
    json_t *object; /* what the texts belong to */
    struct region region;
    const char *study, *about, *file, *file_hash, *build;
    struct manifest_axis axes[STUDY_AXES_MAX];
    u32 axis_count;
    bool repeats; /* the last axis is of seeds */
    double time_seconds;
    u64 memory_bytes;
    struct manifest_run *runs;
    u32 count, excluded;
};

/* Told now and then how much is done, 0 to 1. */
struct manifest_listener {
    void (*progress)(void *context, double done);
    void *context;
};

/* All runs of a study, checked. `listener` may be NULL. NULL on failure, or if it was asked to stop
 * (base/stop.h). */
struct manifest *manifest_make(struct study *study, const struct manifest_listener *listener,
                               struct ogv_error *error);

/* Some points of it. */
struct manifest *manifest_of(struct study *study, const struct point_list *points,
                             const struct manifest_listener *listener, struct ogv_error *error);
void manifest_destroy(struct manifest *manifest);

bool manifest_write(const struct store *store, const struct manifest *manifest,
                    struct ogv_error *error);

/* By the name of the study, or of its file. NULL on failure. */
struct manifest *manifest_read(const struct store *store, const char *study,
                               struct ogv_error *error);

/* The command line of a run, as one would type it; the caller frees. */
char *manifest_command(const struct manifest_run *run);

/* What a run has on an axis, AXIS_NONE_LABEL if nothing. */
const char *manifest_label(const struct manifest *manifest, const struct manifest_run *run,
                           u32 axis);

/* UINT32_MAX if there is none of that name. */
u32 manifest_axis_find(const struct manifest *manifest, const char *name);

/* The run whose key a text begins with; UINT32_MAX if there is none. */
u32 manifest_run_find(const struct manifest *manifest, const char *key);

#endif
