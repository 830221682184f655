/* progress.h - a run's progress for a person: a line that redraws itself on a terminal, plain lines
 * elsewhere. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "run/run.h"

struct progress {
    bool terminal, drawn;
};

/* A listener that shows progress on standard error. `progress` must outlive it. */
struct run_listener progress_listener(struct progress *progress);

/* Takes the line away. */
void progress_clear(struct progress *progress);

/* "1.23 M" */
void write_large(char *buffer, size_t size, double value);

#endif
