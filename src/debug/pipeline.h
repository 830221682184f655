/* pipeline.h - what each instruction of one unit did, cycle by cycle, for some cycles of a run.
 *
 * A watcher of the run that looks at one unit after each of these cycles, through its debug_role
 * (ogive/debug.h), and leaves two files in the result folder: pipeline.kanata, which the Konata
 * viewer opens, and pipeline.html. */
#ifndef DEBUG_PIPELINE_H
#define DEBUG_PIPELINE_H

#include "run/run.h"

struct pipeline_options {
    const char *unit; /* its path */
    cycle from, to;
};

struct pipeline;

struct pipeline *pipeline_open(const struct pipeline_options *options);
void pipeline_close(struct pipeline *pipeline);

struct run_watcher pipeline_watcher(struct pipeline *pipeline);

/* After the run: false if nothing could be traced or written, and why. */
bool pipeline_finish(const struct pipeline *pipeline, struct ogv_error *error);

#endif
