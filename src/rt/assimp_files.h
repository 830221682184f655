/* assimp_files.h - how Assimp gets at files: the scene, and those that the scene names in turn. */
#ifndef RT_ASSIMP_FILES_H
#define RT_ASSIMP_FILES_H

#include <assimp/cfileio.h>

#include "ogive/ogive.h"
#include "ogive/types.h"

/* Plain files only: a pipe could be waited for without end. */
struct assimp_files {
    struct aiFileIO io;       /* for Assimp; points back here */
    struct ogv_error refused; /* the first that is there and is no plain file; kind 0: none */
};
void assimp_files_init(struct assimp_files *files);

#endif
