/* validate.h - a simulated machine beside the real one: what was measured on it and published. */
#ifndef RUN_VALIDATE_H
#define RUN_VALIDATE_H

#include "rt/rays.h"
#include "rt/scene.h"
#include "run/run.h"

enum validation_figure {
    FIGURE_MRAYS,
    FIGURE_L2_HITS,
    FIGURE_L2_BANDWIDTH,
    FIGURE_DRAM_BANDWIDTH,
    FIGURES,
};

#define VALIDATION_KINDS 3 /* primary, secondary, tertiary */

/* One scene of a publication. Rates and shares are per cent. */
struct validation_scene {
    const char *name, *title;
    const char *mesh; /* file name; the mesh itself is not part of this project */
    const char *note; /* how the mesh at hand differs from the one published; or NULL */
    struct camera view;
    double real[VALIDATION_KINDS][FIGURES];
    double other[VALIDATION_KINDS][FIGURES]; /* another simulator, of the same publication */
};

struct validation {
    const char *machine;      /* an architecture */
    const char *real, *other; /* what they are called */
    const char *source;
    u32 width, height;
    const struct validation_scene *scenes;
    u32 scene_count;
};

/* The validation of a machine, or NULL with a message that lists what there is. */
const struct validation *validation_find(const char *machine, struct ogv_error *error);
const struct validation_scene *validation_scene(const struct validation *validation,
                                                const char *name, struct ogv_error *error);

extern const char *const validation_figure_names[FIGURES]; /* as in the summary of stats.json */
extern const char *const validation_kind_names[VALIDATION_KINDS];

/* The mesh's file in a folder, packed or not; the caller frees. NULL with a message if missing. */
char *validation_mesh(const struct validation_scene *scene, const char *folder,
                      struct ogv_error *error);

/* A run's figures in the order of the enum, as in the tables: Mrays/s, then per cent. */
void validation_figures(const struct run_result *result, double figures[FIGURES]);

#endif
