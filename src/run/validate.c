/* validate.c - the published measurements, as tables, and how a run's figures stand beside them. */
#include "run/validate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "run/silicon.h"

const char *const validation_figure_names[FIGURES] = { "mrays_per_s", "l2_hit_rate",
                                                       "l2_bandwidth_share",
                                                       "dram_bandwidth_share" };
const char *const validation_kind_names[VALIDATION_KINDS] = { "primary", "secondary", "tertiary" };

/* Haydel et al., "Arches", HPG 2025, tables 2 to 5: Mrays/s, L2 hit rate, L2 and DRAM bandwidth.
 * The lens is a film of 24 mm height at 12 mm. */
static const struct validation_scene rtx2080_scenes[] = {
    {
        .name = "sponza",
        .title = "Crytek Sponza",
        .mesh = "sponza.ply",
        .view = { "published",
                  { -900.6f, 150.8f, 120.74f },
                  { 79.7f, 14.0f, -17.4f },
                  { 0, 1, 0 },
                  90 },
        .real = { { 2080, 31.8, 9.4, 20.4 },
                  { 1272, 85.6, 42.2, 21.4 },
                  { 939, 88.9, 51.4, 20.4 } },
        .other = { { 2188, 47.1, 12.9, 23.3 },
                   { 1341, 79.9, 49.0, 33.6 },
                   { 1045, 79.3, 52.5, 37.1 } },
    },
    {
        .name = "san-miguel",
        .title = "San Miguel",
        .mesh = "san-miguel.ply",
        .note =
            "the public copy of the mesh lacks two tree trunks, ivy, fountain water and 8 plants "
            "(9.55 of 9.97 million triangles)",
        .view = { "published",
                  { 7.448f, 1.014f, 12.357f },
                  { 8.056f, 1.04f, 11.563f },
                  { 0, 1, 0 },
                  90 },
        .real = { { 1069, 41.1, 15.2, 31.1 },
                  { 423, 60.5, 29.7, 39.0 },
                  { 278, 56.9, 28.0, 40.2 } },
        .other = { { 1001, 69.9, 33.0, 34.0 },
                   { 446, 69.6, 39.3, 40.7 },
                   { 322, 64.0, 34.0, 41.7 } },
    },
};

#define RTX2080(arch)                                                                              \
    {                                                                                              \
        .machine = arch, .real = "RTX 2080", .other = "Arches",                                    \
        .source = "Haydel et al., Arches, HPG 2025, tables 2 to 5", .width = 1024, .height = 1024, \
        .scenes = rtx2080_scenes, .scene_count = sizeof rtx2080_scenes / sizeof *rtx2080_scenes    \
    }

static const struct validation validations[] = { RTX2080("rtx2080"), RTX2080("rtx2080-simt") };

const struct validation *validation_find(const char *machine, struct ogv_error *error)
{
    struct text list = { 0 };
    for (u32 i = 0; i < sizeof validations / sizeof *validations; i++) {
        if (!strcmp(validations[i].machine, machine)) {
            text_fini(&list);
            return &validations[i];
        }
        text_add(&list, "%s%s", i ? ", " : "", validations[i].machine);
    }
    error_user(
        error,
        "nothing is published here that '%s' could be compared with; there is %s, " SILICON_MACHINE,
        machine, text_get(&list));
    text_fini(&list);
    return NULL;
}

const struct validation_scene *validation_scene(const struct validation *validation,
                                                const char *name, struct ogv_error *error)
{
    struct text list = { 0 };
    for (u32 i = 0; i < validation->scene_count; i++) {
        if (!strcmp(validation->scenes[i].name, name)) {
            text_fini(&list);
            return &validation->scenes[i];
        }
        text_add(&list, "%s%s", i ? ", " : "", validation->scenes[i].name);
    }
    error_user(error, "nothing is published of a scene '%s'; there is %s", name, text_get(&list));
    text_fini(&list);
    return NULL;
}

char *validation_mesh(const struct validation_scene *scene, const char *folder,
                      struct ogv_error *error)
{
    static const char *const endings[] = { "", ".xz" };
    for (u32 i = 0; i < 2; i++) {
        char *path = text_format("%s/%s%s", folder, scene->mesh, endings[i]);
        if (!access(path, R_OK))
            return path;
        free(path);
    }
    error_user(error,
               "%s/%s: the mesh of %s is not there, packed (.xz) or not; --meshes says where",
               folder, scene->mesh, scene->title);
    return NULL;
}

void validation_figures(const struct run_result *result, double figures[FIGURES])
{
    figures[FIGURE_MRAYS] = result->figures.mrays_per_s;
    figures[FIGURE_L2_HITS] = 100 * result->figures.values[FIGURE_l2_hit_rate];
    figures[FIGURE_L2_BANDWIDTH] = 100 * result->figures.values[FIGURE_l2_bandwidth_share];
    figures[FIGURE_DRAM_BANDWIDTH] = 100 * result->figures.values[FIGURE_dram_bandwidth_share];
}
