/* ply_header.h - what the first lines of a PLY file say of its contents. */
#ifndef RT_PLY_HEADER_H
#define RT_PLY_HEADER_H

#include "base/error.h"
#include "base/source.h"
#include "ogive/types.h"

#define PLY_ELEMENTS_MAX   16
#define PLY_PROPERTIES_MAX 64
#define PLY_NAME_BYTES     64

enum ply_format { PLY_ASCII, PLY_LITTLE_ENDIAN, PLY_BIG_ENDIAN, PLY_FORMATS };

enum ply_type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT, DOUBLE, PLY_TYPES };

/* CORNERS: of a polygon. STRIP: each triangle has the last two corners of the one before; an index
 * of -1 begins another strip. */
enum ply_meaning { UNKNOWN, X, Y, Z, CORNERS, STRIP };

struct ply_property {
    bool list;
    enum ply_type count_type, type;
    enum ply_meaning meaning;
};

struct ply_element {
    char name[PLY_NAME_BYTES];
    u64 count;
    struct ply_property properties[PLY_PROPERTIES_MAX];
    u32 property_count;
};

/* Always true, once read: there is an element `vertex` with x, y and z, and a list of corners or
 * strips of whole numbers. */
struct ply_header {
    enum ply_format format;
    struct ply_element elements[PLY_ELEMENTS_MAX];
    u32 element_count;
    u32 lines;
};

/* Reads up to and with the line `end_header`. A file that does not begin as PLY files do sets
 * `*other` and is no error. */
bool ply_header_read(struct ply_header *header, struct source *source, const char *path,
                     bool *other, struct ogv_error *error);

/* NULL if there is none of this name. */
const struct ply_element *ply_element_find(const struct ply_header *header, const char *name);

#endif
