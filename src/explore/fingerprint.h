/* fingerprint.h - what is in the files that a run is made from, whatever they are called. */
#ifndef EXPLORE_FINGERPRINT_H
#define EXPLORE_FINGERPRINT_H

#include "base/hash.h"
#include "ogive/ogive.h"

/* A program: an ELF file; or a source with the headers beside it, and what comes with Ogive that it
 * is compiled with; or a shipped one (NULL: whichever a scene brings with it). */
bool program_fingerprint(const char *program, char digits[HASH_TEXT_BYTES],
                         struct ogv_error *error);

/* A scene: its description, its mesh, and the files that meshes of its kind name. NULL: the default
 * scene. A camera that it does not have is a mistake, as far as the description names any. */
bool scene_fingerprint(const char *scene, const char *camera, char digits[HASH_TEXT_BYTES],
                       struct ogv_error *error);

#endif
