/* importer.h - importing in a process of its own, so that a file that Assimp cannot cope with costs
 * a message and nothing else.
 *
 * The process is the program `ogive` again, with the hidden command IMPORTER_COMMAND, rather than a
 * fork: other threads of this process may hold locks, and its memory may be large. */
#ifndef RT_IMPORTER_H
#define RT_IMPORTER_H

#include "rt/scene.h"

#define IMPORTER_COMMAND "import-mesh"

/* Where the program is, if this process knows. Otherwise it is $OGIVE_PROGRAM, or the one that was
 * installed with the library. `program` has to last. */
void importer_set_program(const char *program);

/* Fills in mesh and materials, and parts and instances if the options ask for them. Memory and
 * processor time are limited: by what the machine has, and by the file's size or
 * $OGIVE_IMPORT_SECONDS. */
bool importer_run(const char *path, const struct scene_options *options, struct scene *scene,
                  struct ogv_error *error);

/* The command: imports for the process `parent` and answers. False if it cannot. */
bool importer_answer(const char *path, bool keep_instances, int parent);

#endif
