/* running.h - a run as a command does it: with progress, signals, and words at the end. */
#ifndef CLI_RUNNING_H
#define CLI_RUNNING_H

#include "cli/progress.h"

#define INTERVAL_DEFAULT 10000
#define WATCHDOG_DEFAULT 10000000

struct run_telling {
    bool quiet;
    enum progress_style progress;
    const struct run_watcher *watcher; /* NULL: none */
};

/* Returns the exit code. `folder` (NULL: not wanted) gets the name of the result folder, which the
 * caller frees; it is left alone if there is none. */
int run_and_tell(const struct run_options *options, const struct run_telling *telling,
                 char **folder);

#endif
