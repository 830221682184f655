/* format.c - the lists of node and primitive formats; see format.h. */
#include "rt/format.h"

#include <string.h>

#include "base/text.h"
#include "rt/nodes.h"

const struct node_format *const node_formats[] = {
    &bvh2_format, &bvh4_format, &bvh6_format, &bvh8_format, &bvh6c_format, &cwbvh8_format, NULL,
};

const struct primitive_format *const primitive_formats[] = {
    &tri64_format, &tri48_format, &tri36_format, &tristrip128_format, NULL,
};

/* "no node format 'bvh5'; did you mean 'bvh4'? There are: bvh2, ..." */
static void format_unknown(const char *kind, const char *name, const char *const *names,
                           struct ogv_error *error)
{
    struct nearest nearest;
    struct text list = { 0 };
    char hint[128];
    nearest_init(&nearest, name);
    for (size_t i = 0; names[i]; i++) {
        nearest_offer(&nearest, names[i]);
        text_add(&list, "%s%s", i ? ", " : "", names[i]);
    }
    error_user(error, "there is no %s format '%s'%s (known: %s)", kind, name,
               nearest_hint(&nearest, hint, sizeof hint), text_get(&list));
    text_fini(&list);
}

const struct node_format *node_format_find(const char *name, struct ogv_error *error)
{
    const char *names[sizeof node_formats / sizeof node_formats[0]] = { 0 };
    for (size_t i = 0; node_formats[i]; i++) {
        if (strcmp(node_formats[i]->name, name) == 0)
            return node_formats[i];
        names[i] = node_formats[i]->name;
    }
    format_unknown("node", name, names, error);
    return NULL;
}

const struct primitive_format *primitive_format_find(const char *name, struct ogv_error *error)
{
    const char *names[sizeof primitive_formats / sizeof primitive_formats[0]] = { 0 };
    for (size_t i = 0; primitive_formats[i]; i++) {
        if (strcmp(primitive_formats[i]->name, name) == 0)
            return primitive_formats[i];
        names[i] = primitive_formats[i]->name;
    }
    format_unknown("primitive", name, names, error);
    return NULL;
}
