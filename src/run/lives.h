/* lives.h - the lives of a sample of rays (unit/rtcore/life.h), from the RT cores to a run's
 * folder.
 *
 * DIR/ray_lives.json  every ray of the sample with every wait; docs/ray-lives.md describes it
 * DIR/trace.json      the same for Perfetto and chrome://tracing: Chrome's trace event format, one
 *                     process per domain, one thread per ray, a microsecond for each cycle */
#ifndef RUN_LIVES_H
#define RUN_LIVES_H

#include "arch/system.h"

#define LIVES_MAX 16384

struct lives_options {
    u64 rays;            /* 0: none */
    const char *resumed; /* a checkpoint goes on with the rays that it follows; NULL: none is */
    bool software;       /* cores walk the tree themselves */
};

/* Before the first cycle: lets the RT cores keep that many lives together, each its share. */
bool lives_begin(ogv_system *system, const struct lives_options *options, struct ogv_error *error);

/* How many lives the RT cores keep at most; 0: none were asked for. */
u64 lives_kept(ogv_system *system);

/* Writes both files and says so in words; nothing if no lives are kept. */
bool lives_write(ogv_system *system, const char *folder, struct text *words,
                 struct ogv_error *error);

#endif
