/* world_options.h - the options that say what is traced: scene, view, rays, size. */
#ifndef CLI_WORLD_OPTIONS_H
#define CLI_WORLD_OPTIONS_H

#include "cli/options.h"
#include "cli/values.h"
#include "cli/view_options.h"
#include "run/world.h"

struct world_arguments {
    const char *scene, *rays, *size, *builder, *nodes, *primitives, *treelets;
    struct view_arguments view;
    u64 samples, bounces, seed, triangles;
    bool software, heatmap;
};

/* None given; world_arguments_read knows the defaults. */
#define WORLD_ARGUMENTS_NONE                                                 \
    {                                                                        \
        .samples = NUMBER_NONE, .bounces = NUMBER_NONE, .seed = NUMBER_NONE, \
        .triangles = NUMBER_NONE,                                            \
    }

/* clang-format off */
#define WORLD_ROWS(a)                                                                              \
    { 0, "scene", "NAME|FILE", "shipped scene (`ogive scenes`), scene file, or any mesh",          \
      OPTION_TEXT, &(a).scene },                                                                   \
    { 0, "triangles", "N", "size of a generated scene", OPTION_NUMBER, &(a).triangles },           \
    VIEW_ROWS((a).view),                                                                           \
    { 0, "rays", "KIND", "trace one ray per pixel, made beforehand: primary, secondary, "          \
      "tertiary, shadow, occlusion", OPTION_TEXT, &(a).rays },                                     \
    { 0, "size", "WxH", "of the image in pixels (default: 256x256)", OPTION_TEXT, &(a).size },     \
    { 0, "samples", "N", "paths per pixel (default: 1)", OPTION_NUMBER, &(a).samples },            \
    { 0, "bounces", "N", "of a path at most (default: 4)", OPTION_NUMBER, &(a).bounces },          \
    { 0, "seed", "N", "of all random numbers (default: 1)", OPTION_NUMBER, &(a).seed },            \
    { 0, "builder", "KIND", "of the tree, one of:" RT_BUILDERS(VALUE_WORD, ) " (default: as the "  \
      "machine says, else spatial)", OPTION_TEXT, &(a).builder },                                  \
    { 0, "nodes", "FORMAT", "of the tree, where there are no RT cores to say it",                  \
      OPTION_TEXT, &(a).nodes },                                                                   \
    { 0, "primitives", "FORMAT", "likewise", OPTION_TEXT, &(a).primitives },                       \
    { 0, "treelets", "SIZE", "of the treelets that the tree lies in, such as 32KiB; likewise",     \
      OPTION_TEXT, &(a).treelets },                                                                \
    { 0, "software", NULL, "cores walk the tree themselves, even if there are RT cores",           \
      OPTION_FLAG, &(a).software },                                                                \
    { 0, "heatmap", NULL, "also draw what each pixel cost; it takes a store per pixel",            \
      OPTION_FLAG, &(a).heatmap }
/* clang-format on */

/* Whether any option says that there is a scene. */
bool world_arguments_given(const struct world_arguments *arguments);

/* Checks them; says what is wrong, in the name of a command. `view` is filled in if one was given.
 */
bool world_arguments_read(const char *command, const struct world_arguments *arguments,
                          struct world_options *options, struct camera *view);

#endif
