/* ply_header.c - reads a PLY header line by line into elements and properties, and checks that
 * there are vertices with places and something made of them. */
#include "rt/ply_header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/growth.h"

struct reading {
    struct ply_header *header;
    struct source *source;
    const char *path;
    struct ogv_error *error;
};

static bool header_error(const struct reading *reading, const char *what)
{
    return error_user(reading->error, "%s:%u: %s", reading->path, reading->header->lines, what);
}

/* ---- Lines ---- */

/* The next line without blanks at its end; NULL if there is none. */
static char *line_next(struct reading *reading)
{
    char *line = source_line(reading->source);
    if (!line)
        return NULL;
    reading->header->lines++;
    size_t length = strlen(line);
    while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    line[length] = 0;
    return line;
}

static bool line_starts(const char *line, const char *word)
{
    size_t length = strlen(word);
    return !strncmp(line, word, length) && (!line[length] || strchr(" \t", line[length]));
}

static bool type_read(const char *word, enum ply_type *type)
{
    static const char *const names[PLY_TYPES][2] = {
        { "char", "int8" }, { "uchar", "uint8" }, { "short", "int16" },   { "ushort", "uint16" },
        { "int", "int32" }, { "uint", "uint32" }, { "float", "float32" }, { "double", "float64" },
    };
    for (u32 i = 0; i < PLY_TYPES; i++)
        if (!strcmp(word, names[i][0]) || !strcmp(word, names[i][1])) {
            *type = (enum ply_type)i;
            return true;
        }
    return false;
}

static enum ply_meaning meaning_of(const struct ply_element *element,
                                   const struct ply_property *property, const char *name)
{
    bool vertex = !strcmp(element->name, "vertex"), face = !strcmp(element->name, "face");
    if (vertex && !property->list && name[0] >= 'x' && name[0] <= 'z' && !name[1])
        return (enum ply_meaning)(X + (name[0] - 'x'));
    if (!property->list || (strcmp(name, "vertex_indices") && strcmp(name, "vertex_index")))
        return UNKNOWN;
    return face ? CORNERS : !strcmp(element->name, "tristrips") ? STRIP : UNKNOWN;
}

static bool header_property(struct reading *reading, const char *line)
{
    struct ply_header *header = reading->header;
    char first[16], second[16], third[16], name[PLY_NAME_BYTES];
    if (!header->element_count)
        return header_error(reading, "a property before the first element");
    struct ply_element *element = &header->elements[header->element_count - 1];
    if (element->property_count == PLY_PROPERTIES_MAX)
        return header_error(reading, "an element has more than 64 properties");
    struct ply_property *property = &element->properties[element->property_count];
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
        return header_error(reading, "this is no property of a known type");
    property->meaning = meaning_of(element, property, name);
    if (property->meaning >= CORNERS && property->type > UINT32)
        return header_error(reading, "indices of vertices have to be whole numbers");
    element->property_count++;
    return true;
}

static bool header_element(struct reading *reading, const char *line)
{
    struct ply_header *header = reading->header;
    if (header->element_count == PLY_ELEMENTS_MAX)
        return header_error(reading, "more than 16 elements");
    struct ply_element *element = &header->elements[header->element_count];
    char count[24], *end;
    if (sscanf(line, "element %63s %23s", element->name, count) != 2 || count[0] < '0' ||
        count[0] > '9')
        return header_error(reading, "an element needs a name and a count");
    element->count = strtoull(count, &end, 10);
    if (*end)
        return header_error(reading, "an element needs a name and a count");
    if (ply_element_find(header, element->name))
        return header_error(reading, "an element of this name was there before");
    header->element_count++;
    return true;
}

static bool line_says_nothing(const char *line)
{
    return line_starts(line, "comment") || line_starts(line, "obj_info");
}

static bool header_line(struct reading *reading, const char *line)
{
    if (line_starts(line, "element"))
        return header_element(reading, line);
    if (line_starts(line, "property"))
        return header_property(reading, line);
    return line_says_nothing(line) || header_error(reading, "this is no line of a PLY header");
}

/* ---- The whole ---- */

const struct ply_element *ply_element_find(const struct ply_header *header, const char *name)
{
    for (u32 i = 0; i < header->element_count; i++)
        if (!strcmp(header->elements[i].name, name))
            return &header->elements[i];
    return NULL;
}

static bool element_has(const struct ply_element *element, enum ply_meaning meaning)
{
    u32 found = 0;
    for (u32 i = 0; element && i < element->property_count; i++)
        found += element->properties[i].meaning == meaning;
    return found == 1;
}

static bool header_check(const struct reading *reading)
{
    const struct ply_header *header = reading->header;
    const struct ply_element *vertex = ply_element_find(header, "vertex");
    const struct ply_element *face = ply_element_find(header, "face");
    const struct growth nothing = { 0 };
    if (!element_has(vertex, X) || !element_has(vertex, Y) || !element_has(vertex, Z))
        return error_user(reading->error, "%s: has no element `vertex` with x, y and z",
                          reading->path);
    bool faces = element_has(face, CORNERS);
    if (!faces && !element_has(ply_element_find(header, "tristrips"), STRIP))
        return error_user(reading->error,
                          "%s: has no triangles (no element `face` with a list "
                          "`vertex_indices`)",
                          reading->path);
    return growth_expect(&nothing, vertex->count, faces ? face->count : 0, reading->path,
                         reading->error);
}

static bool header_format(struct reading *reading)
{
    static const char *const names[PLY_FORMATS] = { "ascii", "binary_little_endian",
                                                    "binary_big_endian" };
    char name[32], *line = line_next(reading);
    while (line && line_says_nothing(line))
        line = line_next(reading);
    if (line && sscanf(line, "format %31s", name) == 1)
        for (u32 i = 0; i < PLY_FORMATS; i++)
            if (!strcmp(name, names[i])) {
                reading->header->format = (enum ply_format)i;
                return true;
            }
    return header_error(reading, "has to be the format: ascii 1.0, binary_little_endian 1.0 or "
                                 "binary_big_endian 1.0");
}

bool ply_header_read(struct ply_header *header, struct source *source, const char *path,
                     bool *other, struct ogv_error *error)
{
    struct reading reading = { header, source, path, error };
    const char *line = line_next(&reading);
    *other = !line || strcmp(line, "ply");
    if (*other)
        return true;
    if (!header_format(&reading))
        return false;
    while ((line = line_next(&reading))) {
        if (!strcmp(line, "end_header"))
            return header_check(&reading);
        if (!header_line(&reading, line))
            return false;
    }
    return source_error(source, "the header has no end (a line `end_header`)", error);
}
