/* format.c - the tables of node and primitive formats; see format.h. */
#include "rt/format.h"

#include "base/words.h"
#include "rt/nodes.h"

#define ROW(name, unused) &name##_format,

const struct node_format *const node_formats[] = {
    RT_NODE_FORMATS(ROW, ) NULL,
};

const struct primitive_format *const primitive_formats[] = {
    RT_PRIMITIVE_FORMATS(ROW, ) NULL,
};

const struct node_format *node_format_find(const char *name, struct ogv_error *error)
{
    const char *names[sizeof node_formats / sizeof node_formats[0]];
    u32 count = 0, found;
    for (; node_formats[count]; count++)
        names[count] = node_formats[count]->name;
    return words_find("node format", name, names, count, &found, error) ? node_formats[found]
                                                                        : NULL;
}

const struct primitive_format *primitive_format_find(const char *name, struct ogv_error *error)
{
    const char *names[sizeof primitive_formats / sizeof primitive_formats[0]];
    u32 count = 0, found;
    for (; primitive_formats[count]; count++)
        names[count] = primitive_formats[count]->name;
    return words_find("primitive format", name, names, count, &found, error)
               ? primitive_formats[found]
               : NULL;
}
