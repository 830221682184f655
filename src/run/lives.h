/* lives.h - the lives of a sample of rays (unit/rtcore_life.h), from the RT cores to a run's
 * folder.
 *
 * DIR/ray_lives.json  every ray of the sample with every wait; docs/ray-lives.md describes it
 * DIR/trace.json      the same for Perfetto and chrome://tracing: Chrome's trace event format, one
 *                     process per domain, one thread per ray, a microsecond for each cycle */
#ifndef RUN_LIVES_H
#define RUN_LIVES_H

#include "arch/system.h"

#define LIVES_MAX 16384

/* Lets the RT cores keep that many lives together, each its share. */
bool lives_keep(ogv_system *system, u64 rays, struct ogv_error *error);

/* How many lives the RT cores keep at most; 0: none were asked for. */
u64 lives_kept(ogv_system *system);

/* Writes both files; nothing if no lives are kept. */
bool lives_write(ogv_system *system, const char *folder, struct ogv_error *error);

#endif
