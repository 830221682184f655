/* ray_traces.h - the traces of a sample of rays (ogive/ray_trace.h), from the RT cores to a run's
 * folder.
 *
 * DIR/ray_traces.json  every ray of the sample with every wait; docs/ray-traces.md describes it
 * DIR/trace.json       the same for Perfetto and chrome://tracing: Chrome's trace event format, one
 *                      process per domain, one thread per ray, a microsecond for each cycle
 *
 * An RT core is any unit that traces rays (ogive/tracer.h). */
#ifndef RUN_RAY_TRACES_H
#define RUN_RAY_TRACES_H

#include "arch/system.h"

#define RAY_TRACES_MAX 16384

struct ray_traces_options {
    u64 rays;            /* 0: none */
    const char *resumed; /* a checkpoint goes on with the rays that it follows; NULL: none is */
    bool software;       /* cores walk the tree themselves */
};

/* Before the first cycle: lets the RT cores keep that many traces together, each its share. */
bool ray_traces_follow(ogv_system *system, const struct ray_traces_options *options,
                       struct ogv_error *error);

/* How many traces the RT cores keep at most; 0: none were asked for. */
u64 ray_traces_limit(ogv_system *system);

/* Writes both files and says so in words; nothing if no traces are kept. */
bool ray_traces_write(ogv_system *system, const char *folder, struct text *words,
                      struct ogv_error *error);

#endif
