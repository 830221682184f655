/* option.c - see option.h. A value is checked where it is written, as far as it can be without the
 * rest of its run. */
#include "explore/option.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/file.h"
#include "base/shipped.h"
#include "base/text.h"
#include "base/words.h"
#include "rt/bvh.h"
#include "rt/format.h"
#include "rt/rays.h"
#include "run/compile.h"
#include "run/world.h"

/* clang-format off */
const struct study_option study_options[STUDY_OPTIONS] = {
    [OPTION_COMMAND] = { "command", VALUE_COMMAND, "run", false, "run, or predict to estimate from a part of the work", NULL },
    [OPTION_MACHINE] = { "machine", VALUE_MACHINE, NULL, false, "architecture file, or name of a shipped one", NULL },
    [OPTION_PROGRAM] = { "program", VALUE_PROGRAM, NULL, false, "shipped program, C or C++ source, or ELF", NULL },
    [OPTION_ARGUMENTS] = { "arguments", VALUE_WORDS, NULL, false, "of the program: a list", NULL },
    [OPTION_SCENE] = { "scene", VALUE_SCENE, NULL, true, "shipped scene, scene file, or any mesh", NULL },
    [OPTION_CAMERA] = { "camera", VALUE_CAMERA, NULL, true, "one of the scene's cameras", NULL },
    [OPTION_LOAD] = { "load", VALUE_FILE, NULL, true, "library of units that the machine may load", NULL },
    [OPTION_SIZE] = { "size", VALUE_PIXELS, "256x256", true, "of the image, WxH pixels", NULL },
    [OPTION_SEED] = { "seed", VALUE_NUMBER, "1", true, "of all random numbers", NULL },
    [OPTION_NAMED] =
    { "rays", VALUE_RAYS, NULL, true, "kind of rays that are made beforehand", NULL },
    { "triangles", VALUE_NUMBER, NULL, true, "size of a generated scene", NULL },
    { "samples", VALUE_NUMBER, "1", true, "paths per pixel", NULL },
    { "bounces", VALUE_NUMBER, "4", true, "of a path at most", NULL },
    { "eye", VALUE_POINT, NULL, true, "look from here, X,Y,Z", NULL },
    { "target", VALUE_POINT, NULL, true, "look at this point, X,Y,Z", NULL },
    { "up", VALUE_POINT, NULL, true, "upwards, X,Y,Z", NULL },
    { "fov", VALUE_REAL, NULL, true, "vertical field of view in degrees", NULL },
    { "builder", VALUE_BUILDER, NULL, true, "of the tree", NULL },
    { "nodes", VALUE_NODES, NULL, true, "format of the tree, where no RT core says it", NULL },
    { "primitives", VALUE_PRIMITIVES, NULL, true, "likewise of its triangles", NULL },
    { "treelets", VALUE_TEXT, NULL, true, "size of the treelets that the tree lies in", NULL },
    { "software", VALUE_FLAG, NULL, true, "cores walk the tree themselves", NULL },
    { "heatmap", VALUE_FLAG, NULL, true, "also draw what each pixel cost", NULL },
    { "pieces", VALUE_FILE, NULL, true, "the pieces of the work that are done", "run" },
    { "share", VALUE_SHARE, NULL, false, "of the work that a prediction simulates, as in 10%", "predict" },
    { "profile", VALUE_FLAG, NULL, true, "count where the program spends its cycles", "run" },
    { "interval", VALUE_NUMBER, "10000", true, "cycles per line of series.csv", "run" },
    { "stop-after", VALUE_NUMBER, NULL, true, "stop at this cycle", "run" },
    { "watchdog", VALUE_NUMBER, "10000000", true, "give up after so many cycles without progress", "run" },
};
/* clang-format on */

u32 study_option_find(const char *name)
{
    u32 i = 0;
    while (i < STUDY_OPTIONS && strcmp(study_options[i].name, name))
        i++;
    return i;
}

/* ---- Files ---- */

/* The file beside the study, or from where we are; NULL if it is neither. */
static char *file_beside(const char *name, const char *from)
{
    const char *slash = strrchr(from, '/');
    char *beside =
        text_format("%.*s%s", *name == '/' || !slash ? 0 : (int)(slash - from) + 1, from, name);
    const char *found = file_is_plain(beside) ? beside : file_is_plain(name) ? name : NULL;
    char *path = found ? realpath(found, NULL) : NULL;
    free(beside);
    return path;
}

struct shipped_search {
    const char *name;
    bool found;
    struct suggestion suggestion;
};

static void shipped_offer(void *context, const char *name, const char *path)
{
    struct shipped_search *search = context;
    search->found = search->found || !strcmp(search->name, name);
    suggestion_offer(&search->suggestion, name, path);
}

typedef void shipped_lister(void (*visit)(void *context, const char *name, const char *path),
                            void *context);

/* A file, or one of what is shipped. */
static const char *named_read(struct region *region, const char *name, const char *from,
                              const struct shipped_kind *kind, struct ogv_error *error)
{
    char *path = file_beside(name, from);
    const char *text = NULL;
    struct shipped_search search = { .name = name };
    nearest_init(&search.suggestion.nearest, name);
    kind->list(shipped_offer, &search);
    if (search.found && (!path || !strchr(name, '.')))
        text = region_copy(region, name, strlen(name));
    else if (path)
        text = region_copy(region, path, strlen(path));
    else
        shipped_refuse(kind, name, name, error);
    free(path);
    return text;
}

static const char *machine_read(struct region *region, const char *name, const char *from,
                                struct ogv_error *error)
{
    char *found = arch_find(name, from, error), *path = found ? realpath(found, NULL) : NULL;
    const char *text = path ? region_copy(region, path, strlen(path)) : NULL;
    bool shipped = found && !strchr(name, '/') && !strchr(name, '.');
    free(found);
    free(path);
    return shipped ? region_copy(region, name, strlen(name)) : text;
}

static const char *file_check(struct region *region, const char *name, const char *from,
                              struct ogv_error *error)
{
    char *path = file_beside(name, from);
    const char *text = path ? region_copy(region, path, strlen(path)) : NULL;
    if (!path)
        error_user(error, "there is no file '%s'", name);
    free(path);
    return text;
}

/* ---- Values ---- */

static bool number_check(const char *text, struct ogv_error *error)
{
    size_t digits = strspn(text, "0123456789");
    return (digits && digits < 20 && !text[digits]) ||
           error_user(error, "'%s' is not a whole number", text);
}

static bool reals_check(const char *text, u32 count, const char *example, struct ogv_error *error)
{
    const char *at = text;
    char *end;
    for (u32 i = 0; i < count; i++) {
        double value = strtod(at, &end);
        bool more = i + 1 < count;
        if (end == at || !isfinite(value) || *end != (more ? ',' : 0))
            return error_user(error, "'%s' is not written as in %s", text, example);
        at = end + more;
    }
    return true;
}

static bool pixels_check(const char *text, struct ogv_error *error)
{
    unsigned width, height;
    char rest;
    bool good = strspn(text, "0123456789x") == strlen(text) && strlen(text) < 16 &&
                sscanf(text, "%ux%u%c", &width, &height, &rest) == 2 && width && height &&
                width <= WORLD_SIDE_MAX && height <= WORLD_SIDE_MAX;
    return good || error_user(error, "'%s' is not a size in pixels as in 256x256, up to %dx%d",
                              text, WORLD_SIDE_MAX, WORLD_SIDE_MAX);
}

static bool share_check(const char *text, struct ogv_error *error)
{
    char *end;
    double value = strtod(text, &end), whole = *end == '%' ? 100 : 1;
    return (end != text && !end[*end == '%'] && value > 0 && value <= whole) ||
           error_user(error, "'%s' is not a share above 0 and up to 100%%, as in 10%% or 0.1",
                      text);
}

static bool flag_check(const char *text, struct ogv_error *error)
{
    static const char *const words[] = { "true", "false" };
    u32 found;
    return words_find("values", text, words, 2, &found, error);
}

static bool command_check(const char *text, struct ogv_error *error)
{
    static const char *const words[] = { "run", "predict" };
    u32 found;
    return words_find("commands for a study", text, words, 2, &found, error);
}

static bool plain_check(enum option_value value, const char *text, struct ogv_error *error)
{
    enum ray_kind rays;
    enum bvh_builder builder;
    switch (value) {
    case VALUE_COMMAND:
        return command_check(text, error);
    case VALUE_NUMBER:
        return number_check(text, error);
    case VALUE_REAL:
        return reals_check(text, 1, "60", error);
    case VALUE_POINT:
        return reals_check(text, 3, "0,1.5,4", error);
    case VALUE_PIXELS:
        return pixels_check(text, error);
    case VALUE_RAYS:
        return ray_kind_find(text, &rays, error);
    case VALUE_BUILDER:
        return bvh_builder_find(text, &builder, error);
    case VALUE_NODES:
        return node_format_find(text, error);
    case VALUE_PRIMITIVES:
        return primitive_format_find(text, error);
    case VALUE_FLAG:
        return flag_check(text, error);
    case VALUE_SHARE:
        return share_check(text, error);
    default:
        return *text || error_user(error, "it is empty");
    }
}

static const char *words_read(struct region *region, const struct node *node,
                              struct ogv_error *error)
{
    struct text words = { 0 };
    bool good = node->kind != NODE_MAP;
    for (u32 i = 0; good && node->kind == NODE_LIST && i < node->count; i++) {
        good = node->items[i]->kind == NODE_TEXT;
        if (i)
            text_add(&words, "%c", VALUE_BREAK);
        text_add_words(&words, good ? node->items[i]->text : "");
    }
    if (node->kind == NODE_TEXT)
        text_add(&words, "%s", node->text);
    const char *text = good ? region_copy(region, text_get(&words), words.length) : NULL;
    text_fini(&words);
    if (!good)
        error_user(error, "arguments are a list of values");
    return text;
}

static const char *value_read(struct region *region, enum option_value value,
                              const struct node *node, const char *from, struct ogv_error *error)
{
    static const struct shipped_kind scene = { "scene", "`ogive scenes` lists the shipped ones",
                                               scene_list };
    static const struct shipped_kind program = { "program",
                                                 "`ogive programs` lists the shipped ones",
                                                 compile_list };
    if (value == VALUE_WORDS)
        return words_read(region, node, error);
    if (node->kind != NODE_TEXT) {
        error_user(error, "a value is needed here, not %s", node_kind_name(node->kind));
        return NULL;
    }
    switch (value) {
    case VALUE_MACHINE:
        return machine_read(region, node->text, from, error);
    case VALUE_SCENE:
        return named_read(region, node->text, from, &scene, error);
    case VALUE_PROGRAM:
        return named_read(region, node->text, from, &program, error);
    case VALUE_FILE:
        return file_check(region, node->text, from, error);
    default:
        return plain_check(value, node->text, error) ? node->text : NULL;
    }
}

const char *option_read(struct region *region, u32 option, const struct node *node,
                        const char *from, struct ogv_error *error)
{
    struct ogv_error why = { 0 };
    const char *text = value_read(region, study_options[option].value, node, from, &why);
    if (!text)
        place_error(error, node->place, "%s: %s", study_options[option].name, why.message);
    return text;
}
