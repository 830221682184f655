/* ply.c - see ply.h.
 *
 * The header names elements, each with a count and properties; the bytes of all of them follow in
 * that order. Coordinates are taken from the element `vertex`, polygons from the list
 * `vertex_indices` (or `vertex_index`) of the element `face`; what else there is is skipped by its
 * size. A polygon becomes a fan of triangles about its first corner. */
#include "rt/ply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "base/text.h"
#include "rt/builder.h"

#define ELEMENTS_MAX   16
#define PROPERTIES_MAX 64
#define NAME_MAX_BYTES 64

enum type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT, DOUBLE, TYPES };

static const u8 type_bytes[TYPES] = { 1, 1, 2, 2, 4, 4, 4, 8 };

enum meaning { UNKNOWN, X, Y, Z, CORNERS };

struct property {
    bool list;
    enum type count_type, type;
    enum meaning meaning;
};

struct element {
    char name[NAME_MAX_BYTES];
    u64 count;
    struct property properties[PROPERTIES_MAX];
    u32 property_count;
};

struct ply {
    const char *path;
    struct source *source;
    struct element elements[ELEMENTS_MAX];
    u32 element_count;
    u32 line; /* of the header */
    struct builder builder;
    struct ogv_error *error;
};

/* ---- The header ---- */

static bool header_error(const struct ply *ply, const char *what)
{
    return error_user(ply->error, "%s:%u: %s", ply->path, ply->line, what);
}

static bool type_read(const char *word, enum type *type)
{
    static const char *const names[TYPES][2] = {
        { "char", "int8" }, { "uchar", "uint8" }, { "short", "int16" },   { "ushort", "uint16" },
        { "int", "int32" }, { "uint", "uint32" }, { "float", "float32" }, { "double", "float64" },
    };
    for (u32 i = 0; i < TYPES; i++)
        if (!strcmp(word, names[i][0]) || !strcmp(word, names[i][1])) {
            *type = (enum type)i;
            return true;
        }
    return false;
}

static enum meaning meaning_of(const struct element *element, const struct property *property,
                               const char *name)
{
    bool vertex = !strcmp(element->name, "vertex"), face = !strcmp(element->name, "face");
    if (vertex && !property->list && name[0] >= 'x' && name[0] <= 'z' && !name[1])
        return (enum meaning)(X + (name[0] - 'x'));
    bool corners = !strcmp(name, "vertex_indices") || !strcmp(name, "vertex_index");
    return face && property->list && corners ? CORNERS : UNKNOWN;
}

static bool header_property(struct ply *ply, const char *line)
{
    char first[16], second[16], third[16], name[NAME_MAX_BYTES];
    if (!ply->element_count)
        return header_error(ply, "a property before the first element");
    struct element *element = &ply->elements[ply->element_count - 1];
    if (element->property_count == PROPERTIES_MAX)
        return header_error(ply, "an element has more than 64 properties");
    struct property *property = &element->properties[element->property_count];
    bool good;
    if (sscanf(line, "property list %15s %15s %63s", second, third, name) == 3) {
        property->list = true;
        good = type_read(second, &property->count_type) && property->count_type <= UINT32 &&
               type_read(third, &property->type);
    } else {
        good = sscanf(line, "property %15s %63s", first, name) == 2 &&
               type_read(first, &property->type);
    }
    if (!good)
        return header_error(ply, "this is no property of a known type");
    property->meaning = meaning_of(element, property, name);
    if (property->meaning == CORNERS && property->type > UINT32)
        return header_error(ply, "indices of vertices have to be whole numbers");
    element->property_count++;
    return true;
}

static bool header_element(struct ply *ply, const char *line)
{
    if (ply->element_count == ELEMENTS_MAX)
        return header_error(ply, "more than 16 elements");
    struct element *element = &ply->elements[ply->element_count];
    char count[24], *end;
    if (sscanf(line, "element %63s %23s", element->name, count) != 2 || count[0] < '0' ||
        count[0] > '9')
        return header_error(ply, "an element needs a name and a count");
    element->count = strtoull(count, &end, 10);
    if (*end)
        return header_error(ply, "an element needs a name and a count");
    for (u32 i = 0; i < ply->element_count; i++)
        if (!strcmp(ply->elements[i].name, element->name))
            return header_error(ply, "an element of this name was there before");
    ply->element_count++;
    return true;
}

static bool starts(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

static bool header_line(struct ply *ply, const char *line)
{
    if (starts(line, "element "))
        return header_element(ply, line);
    if (starts(line, "property "))
        return header_property(ply, line);
    if (starts(line, "comment") || starts(line, "obj_info"))
        return true;
    return header_error(ply, "this is no line of a PLY header");
}

static const struct element *element_find(const struct ply *ply, const char *name)
{
    for (u32 i = 0; i < ply->element_count; i++)
        if (!strcmp(ply->elements[i].name, name))
            return &ply->elements[i];
    return NULL;
}

static bool element_has(const struct element *element, enum meaning meaning)
{
    u32 found = 0;
    for (u32 i = 0; element && i < element->property_count; i++)
        found += element->properties[i].meaning == meaning;
    return found == 1;
}

static bool header_check(const struct ply *ply)
{
    const struct element *vertex = element_find(ply, "vertex"), *face = element_find(ply, "face");
    if (!element_has(vertex, X) || !element_has(vertex, Y) || !element_has(vertex, Z))
        return error_user(ply->error, "%s: has no element `vertex` with x, y and z", ply->path);
    if (!element_has(face, CORNERS))
        return error_user(ply->error,
                          "%s: has no triangles (no element `face` with a list "
                          "`vertex_indices`)",
                          ply->path);
    return builder_expect(&ply->builder, vertex->count, face->count, ply->path, ply->error);
}

static bool header_read(struct ply *ply)
{
    for (const char *line; (line = source_line(ply->source));) {
        ply->line++;
        if (!strcmp(line, "end_header"))
            return header_check(ply);
        if (!header_line(ply, line))
            return false;
    }
    return source_error(ply->source, "the header has no end (a line `end_header`)", ply->error);
}

/* Whether the first two lines are those of a file for this reader. */
static bool header_is_ours(struct ply *ply)
{
    const char *line = source_line(ply->source);
    if (!line || strcmp(line, "ply"))
        return false;
    line = source_line(ply->source);
    ply->line = 2;
    while (line && starts(line, "comment")) {
        line = source_line(ply->source);
        ply->line++;
    }
    return line && !strcmp(line, "format binary_little_endian 1.0");
}

/* ---- The bytes ---- */

static double number_read(const u8 *bytes, enum type type)
{
    union {
        int16_t i16;
        u16 u16;
        int32_t i32;
        u32 u32;
        float f32;
        double f64;
    } as;
    memcpy(&as, bytes, type_bytes[type]);
    switch (type) {
    case INT8:
        return (int8_t)bytes[0];
    case UINT8:
        return bytes[0];
    case INT16:
        return as.i16;
    case UINT16:
        return as.u16;
    case INT32:
        return as.i32;
    case UINT32:
        return as.u32;
    case FLOAT:
        return as.f32;
    default:
        return as.f64;
    }
}

static bool truncated(const struct ply *ply, const struct element *element, u64 at)
{
    char what[160];
    snprintf(what, sizeof what, "the file ends in %s %llu (from 0) of %llu", element->name,
             (unsigned long long)at, (unsigned long long)element->count);
    return source_error(ply->source, what, ply->error);
}

/* A negative index, and one beyond 32 bits, is none: mesh_check will say so. */
static u32 corner_read(const u8 *bytes, enum type type)
{
    double corner = number_read(bytes, type);
    return corner >= 0 ? (u32)corner : UINT32_MAX;
}

static bool polygon_read(struct ply *ply, const struct property *property, u32 corners)
{
    u32 first = 0, last = 0;
    for (u32 i = 0; i < corners; i++) {
        const u8 *bytes = source_take(ply->source, type_bytes[property->type]);
        if (!bytes)
            return false;
        u32 corner = corner_read(bytes, property->type);
        if (i == 0)
            first = corner;
        else if (i >= 2)
            builder_triangle(&ply->builder, first, last, corner);
        last = corner;
    }
    return true;
}

static bool list_read(struct ply *ply, const struct property *property)
{
    const u8 *bytes = source_take(ply->source, type_bytes[property->count_type]);
    if (!bytes)
        return false;
    double count = number_read(bytes, property->count_type);
    if (count < 0)
        count = 0;
    if (property->meaning == CORNERS)
        return polygon_read(ply, property, (u32)count);
    return source_skip(ply->source, (u64)count * type_bytes[property->type]);
}

static bool item_read(struct ply *ply, const struct element *element, float point[3])
{
    for (u32 i = 0; i < element->property_count; i++) {
        const struct property *property = &element->properties[i];
        if (property->list) {
            if (!list_read(ply, property))
                return false;
            continue;
        }
        const u8 *bytes = source_take(ply->source, type_bytes[property->type]);
        if (!bytes)
            return false;
        if (property->meaning != UNKNOWN)
            point[property->meaning - X] = (float)number_read(bytes, property->type);
    }
    return true;
}

/* The usual layouts, taken a whole item at a time; false if this element is laid out otherwise. */
static bool is_plain_vertices(const struct element *element)
{
    const struct property *p = element->properties;
    return element->property_count == 3 && p[0].meaning == X && p[0].type == FLOAT &&
           p[1].meaning == Y && p[1].type == FLOAT && p[2].meaning == Z && p[2].type == FLOAT;
}

static bool is_plain_faces(const struct element *element)
{
    const struct property *p = element->properties;
    return element->property_count == 1 && p->meaning == CORNERS && p->count_type == UINT8 &&
           (p->type == INT32 || p->type == UINT32);
}

static bool vertices_read(struct ply *ply, const struct element *element)
{
    for (u64 i = 0; i < element->count; i++) {
        const u8 *bytes = source_take(ply->source, sizeof(float[3]));
        float point[3];
        if (!bytes)
            return truncated(ply, element, i);
        memcpy(point, bytes, sizeof point);
        builder_vertex(&ply->builder, point[0], point[1], point[2]);
    }
    return true;
}

static bool faces_read(struct ply *ply, const struct element *element)
{
    for (u64 i = 0; i < element->count; i++) {
        const u8 *bytes = source_take(ply->source, 1);
        u32 count = bytes ? *bytes : 0;
        if (!bytes || !(bytes = source_take(ply->source, count * sizeof(u32))))
            return truncated(ply, element, i);
        u32 corners[255];
        memcpy(corners, bytes, count * sizeof *corners);
        for (u32 k = 2; k < count; k++)
            builder_triangle(&ply->builder, corners[0], corners[k - 1], corners[k]);
    }
    return true;
}

static bool element_read(struct ply *ply, const struct element *element)
{
    bool vertex = !strcmp(element->name, "vertex");
    if (is_plain_vertices(element))
        return vertices_read(ply, element);
    if (is_plain_faces(element))
        return faces_read(ply, element);
    if (!element->property_count)
        return true;
    for (u64 i = 0; i < element->count && !ply->builder.wrong; i++) {
        float point[3];
        if (!item_read(ply, element, point))
            return truncated(ply, element, i);
        if (vertex)
            builder_vertex(&ply->builder, point[0], point[1], point[2]);
    }
    return true;
}

bool ply_load(const char *path, struct mesh *mesh, bool *other, struct ogv_error *error)
{
    struct source *source = source_open(path, error);
    if (!source)
        return false;
    struct ply *ply = heap_array(1, sizeof *ply);
    ply->path = path;
    ply->source = source;
    ply->error = error;
    *other = !header_is_ours(ply);
    bool good = *other || header_read(ply);
    for (u32 i = 0; !*other && good && i < ply->element_count; i++)
        good = element_read(ply, &ply->elements[i]);
    if (!*other && good)
        good = builder_finish(&ply->builder, path, mesh, error);
    builder_fini(&ply->builder);
    source_close(source);
    free(ply);
    return good;
}
