/* world_work.h - what a world is asked for: rays with the hits that the reference finds, or for
 * programs that make their own rays, the order of pixels and how bright to show them.
 *
 * Building the reference's tree takes longer than tracing a small picture, so both are kept in the
 * user's cache folder (base/cache.h), by all that they depend on. */
#ifndef RUN_WORLD_WORK_H
#define RUN_WORLD_WORK_H

#include "run/world.h"

/* Fills in rays, answers and exposure of a world that has its scene. */
bool world_make_work(const struct world_options *options, const struct camera *camera,
                     struct world *world, struct ogv_error *error);

/* Tells the user what is being done. */
void world_say(const struct world_options *options, const char *text);

#endif
