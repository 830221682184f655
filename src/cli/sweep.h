/* sweep.h - what the parts of `ogive sweep` share. Each part has a file, sweep_NAME.c. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "cli/cli.h"
#include "explore/manifest.h"

#define STORE_DEFAULT "results/store"

#define STORE_ROW(value)                                                                      \
    {                                                                                         \
        0, "store", "DIR", "folder of the results (default: " STORE_DEFAULT ")", OPTION_TEXT, \
            &(value)                                                                          \
    }

#define CHECKPOINT_EVERY_DEFAULT "60s"

typedef int sweep_part(const struct command *self, int argc, char **argv);
sweep_part sweep_status, sweep_cancel, sweep_retry, sweep_clean, sweep_table, sweep_plot,
    sweep_report, sweep_job;

/* The store, and the study that `rest` names as it was last started. Says what is wrong, and fills
 * in the exit code then. */
struct manifest *sweep_open(const struct command *self, const struct text_list *rest,
                            const char *path, enum store_use use, struct store *store,
                            int *exit_code);

/* "l1=64 KiB rays=primary"; the caller frees. */
char *sweep_point_words(const struct manifest *manifest, const struct manifest_run *run);

/* "12 s", "3 min", "4.2 h" */
void sweep_write_seconds(char *buffer, size_t size, double seconds);
void sweep_write_bytes(char *buffer, size_t size, double bytes);

/* The exit code that says how a study stands. */
int sweep_code(u32 failed, u32 left);

#endif
