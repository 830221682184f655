/* ply.c - see ply.h.
 *
 * The header names elements, each with a count and properties; the values of all of them follow in
 * that order, as bytes or as words. Coordinates are taken from the element `vertex`, polygons from
 * the list `vertex_indices` (or `vertex_index`) of the element `face`, strips of triangles from
 * that of `tristrips`; what else there is is skipped. A polygon becomes a fan of triangles about
 * its first corner. Line ends mean no more than other blanks between words. */
#include "rt/ply.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "rt/growth.h"
#include "rt/ply_header.h"

static const u8 type_bytes[PLY_TYPES] = { 1, 1, 2, 2, 4, 4, 4, 8 };

struct ply {
    const char *path;
    struct source *source;
    struct ply_header header;
    u64 vertex_count;
    const struct ply_element *element; /* that is being read, */
    u64 item;                          /* and which one of it */
    u32 line;                          /* of ASCII */
    struct growth growth;
    struct ogv_error *error;
};

__attribute__((format(printf, 2, 3))) static bool data_error(const struct ply *ply,
                                                             const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (ply->header.format == PLY_ASCII)
        return error_user(ply->error, "%s:%u: %s", ply->path, ply->line, what);
    return error_user(ply->error, "%s: %s", ply->path, what);
}

static bool truncated(const struct ply *ply)
{
    char what[160];
    snprintf(what, sizeof what, "the file ends in %s %llu (from 0) of %llu", ply->element->name,
             (unsigned long long)ply->item, (unsigned long long)ply->element->count);
    return source_error(ply->source, what, ply->error);
}

/* ---- Values ---- */

static double bytes_value(const u8 *bytes, enum ply_type type)
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

static bool binary_read(struct ply *ply, enum ply_type type, double *value)
{
    u32 size = type_bytes[type];
    const u8 *bytes = source_take(ply->source, size);
    u8 turned[8];
    if (!bytes)
        return truncated(ply);
    for (u32 i = 0; i < size; i++)
        turned[i] = bytes[ply->header.format == PLY_BIG_ENDIAN ? size - 1 - i : i];
    *value = bytes_value(turned, type);
    return true;
}

static bool word_read(struct ply *ply, double *value)
{
    char *end;
    const char *word = source_word(ply->source, &ply->line);
    if (!word)
        return truncated(ply);
    *value = strtod(word, &end);
    if (!*word)
        return data_error(ply, "here should be a number");
    if (!*end)
        return true;
    char shown[SOURCE_WORD_MAX + 1];
    snprintf(shown, sizeof shown, "%s", word);
    text_make_printable(shown);
    return data_error(ply, "'%s' is not a number", shown);
}

static bool value_read(struct ply *ply, enum ply_type type, double *value)
{
    return ply->header.format == PLY_ASCII ? word_read(ply, value) : binary_read(ply, type, value);
}

/* ---- Lists ---- */

static bool length_read(struct ply *ply, const struct ply_property *property, u32 *length)
{
    double value;
    if (!value_read(ply, property->count_type, &value))
        return false;
    if (!(value >= 0 && value <= UINT32_MAX && value == floor(value)))
        return data_error(ply, "%s %llu (from 0) has a list of %g items", ply->element->name,
                          (unsigned long long)ply->item, value);
    *length = (u32)value;
    return true;
}

static bool corner_check(const struct ply *ply, double value)
{
    if (value >= 0 && value < (double)ply->vertex_count && value == floor(value))
        return true;
    return data_error(ply, "%s %llu (from 0) refers to vertex %.15g, but there are %llu",
                      ply->element->name, (unsigned long long)ply->item, value,
                      (unsigned long long)ply->vertex_count);
}

static bool polygon_read(struct ply *ply, const struct ply_property *property, u32 length)
{
    u32 first = 0, last = 0;
    for (u32 i = 0; i < length; i++) {
        double value;
        if (!value_read(ply, property->type, &value) || !corner_check(ply, value))
            return false;
        u32 corner = (u32)value;
        if (i == 0)
            first = corner;
        else if (i >= 2)
            growth_triangle(&ply->growth, first, last, corner);
        last = corner;
    }
    return true;
}

/* Every second triangle of a strip has its corners the other way round, so that all face the same
 * side. */
static bool strip_read(struct ply *ply, const struct ply_property *property, u32 length)
{
    u32 before = 0, last = 0, at = 0;
    for (u32 i = 0; i < length; i++, at++) {
        double value;
        if (!value_read(ply, property->type, &value))
            return false;
        if (value == -1) {
            at = UINT32_MAX;
            continue;
        }
        if (!corner_check(ply, value))
            return false;
        u32 corner = (u32)value;
        if (at >= 2)
            growth_triangle(&ply->growth, at % 2 ? last : before, at % 2 ? before : last, corner);
        before = last;
        last = corner;
    }
    return true;
}

static bool list_skip(struct ply *ply, const struct ply_property *property, u32 length)
{
    double value;
    if (ply->header.format != PLY_ASCII)
        return source_skip(ply->source, (u64)length * type_bytes[property->type]) || truncated(ply);
    for (u32 i = 0; i < length; i++)
        if (!word_read(ply, &value))
            return false;
    return true;
}

static bool list_read(struct ply *ply, const struct ply_property *property)
{
    u32 length = 0;
    if (!length_read(ply, property, &length))
        return false;
    if (property->meaning == CORNERS)
        return polygon_read(ply, property, length);
    return property->meaning == STRIP ? strip_read(ply, property, length)
                                      : list_skip(ply, property, length);
}

/* ---- Elements ---- */

static bool coordinate_check(const struct ply *ply, u32 axis, float value)
{
    return isfinite(value) ||
           data_error(ply, "the %c coordinate of vertex %llu (of %llu, from 0) is not a number",
                      "xyz"[axis], (unsigned long long)ply -> item,
                      (unsigned long long)ply -> vertex_count);
}

static bool item_read(struct ply *ply, float point[3])
{
    const struct ply_element *element = ply->element;
    for (u32 i = 0; i < element->property_count; i++) {
        const struct ply_property *property = &element->properties[i];
        double value;
        if (property->list ? !list_read(ply, property) : !value_read(ply, property->type, &value))
            return false;
        if (property->list || property->meaning == UNKNOWN)
            continue;
        u32 axis = property->meaning - X;
        point[axis] = (float)value;
        if (!coordinate_check(ply, axis, point[axis]))
            return false;
    }
    return true;
}

/* The usual layouts, taken a whole item at a time; false if this element is laid out otherwise. */
static bool is_plain_vertices(const struct ply_element *element)
{
    const struct ply_property *p = element->properties;
    return element->property_count == 3 && p[0].meaning == X && p[0].type == FLOAT &&
           p[1].meaning == Y && p[1].type == FLOAT && p[2].meaning == Z && p[2].type == FLOAT;
}

static bool is_plain_faces(const struct ply_element *element)
{
    const struct ply_property *p = element->properties;
    return element->property_count == 1 && p->meaning == CORNERS && p->count_type == UINT8 &&
           (p->type == INT32 || p->type == UINT32);
}

static bool vertices_read(struct ply *ply)
{
    for (; ply->item < ply->element->count && !ply->growth.wrong; ply->item++) {
        const u8 *bytes = source_take(ply->source, sizeof(float[3]));
        float point[3];
        if (!bytes)
            return truncated(ply);
        memcpy(point, bytes, sizeof point);
        growth_vertex(&ply->growth, point[0], point[1], point[2]);
    }
    return true;
}

static bool faces_read(struct ply *ply)
{
    for (; ply->item < ply->element->count && !ply->growth.wrong; ply->item++) {
        const u8 *bytes = source_take(ply->source, 1);
        u32 count = bytes ? *bytes : 0;
        if (!bytes || !(bytes = source_take(ply->source, count * sizeof(u32))))
            return truncated(ply);
        u32 corners[255];
        memcpy(corners, bytes, count * sizeof *corners);
        for (u32 k = 2; k < count; k++)
            growth_triangle(&ply->growth, corners[0], corners[k - 1], corners[k]);
    }
    return true;
}

static bool element_read(struct ply *ply, const struct ply_element *element)
{
    bool vertex = !strcmp(element->name, "vertex");
    ply->element = element;
    ply->item = 0;
    if (ply->header.format == PLY_LITTLE_ENDIAN && is_plain_vertices(element))
        return vertices_read(ply);
    if (ply->header.format == PLY_LITTLE_ENDIAN && is_plain_faces(element))
        return faces_read(ply);
    if (!element->property_count)
        return true;
    for (; ply->item < element->count && !ply->growth.wrong; ply->item++) {
        float point[3];
        if (!item_read(ply, point))
            return false;
        if (vertex)
            growth_vertex(&ply->growth, point[0], point[1], point[2]);
    }
    return true;
}

static bool contents_read(struct ply *ply, struct mesh *mesh)
{
    ply->vertex_count = ply_element_find(&ply->header, "vertex")->count;
    ply->line = ply->header.lines + 1;
    for (u32 i = 0; i < ply->header.element_count; i++)
        if (!element_read(ply, &ply->header.elements[i]))
            return false;
    return growth_finish(&ply->growth, ply->path, mesh, ply->error);
}

static bool name_says_ply(const char *path)
{
    size_t length = strlen(path) - (source_is_packed(path) ? strlen(".xz") : 0);
    return length >= 4 && !strncasecmp(path + length - 4, ".ply", 4);
}

static bool file_read(struct ply *ply, struct mesh *mesh, bool *other)
{
    if (!ply_header_read(&ply->header, ply->source, ply->path, other, ply->error))
        return false;
    if (*other && name_says_ply(ply->path))
        return source_error(ply->source, "is no PLY file: these begin with a line `ply`",
                            ply->error);
    return *other || contents_read(ply, mesh);
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
    bool good = file_read(ply, mesh, other);
    growth_fini(&ply->growth);
    source_close(source);
    free(ply);
    return good;
}
