/* silicon.h - `ogive validate h200`: microbenchmarks of a card beside the same on its model. */
#ifndef CLI_SILICON_H
#define CLI_SILICON_H

#include "cli/progress.h"
#include "run/silicon.h"

struct silicon_validation {
    struct silicon_machine machine;
    const char *reference; /* NULL: the shipped one */
    const char *json;      /* NULL: not wanted */
    enum progress_style style;
};

/* Returns the exit code. */
int silicon_validate(const struct silicon_validation *validation);

#endif
