/* runs.h - the simulated parts of a prediction: ordinary runs, each in a folder and a process of
 * its own. One that is there already, of the same machine, program, scene, pieces and simulator, is
 * not repeated. */
#ifndef PREDICT_RUNS_H
#define PREDICT_RUNS_H

#include "predict/tiles.h"
#include "run/ghosts.h"
#include "run/run.h"

struct part_run {
    char *name;   /* of its folder */
    u32 group;    /* TILES_ALL: none */
    double share; /* of the pieces that it could have */
    u32 *tiles;
    u32 tile_count;
    u64 pieces;
    bool all;    /* of the program's work: nothing is left out */
    double work; /* how many times its work is what falls to a part */
};

struct part_runs {
    struct part_run *of;
    u32 count;
};

/* What the whole machine asks of shared caches for these pieces. */
struct haunting {
    struct ghosts ghosts;
    struct ghost_shape shape;
    double counted; /* share of the frame that these pieces are */
    double missed;  /* see ghosts_missed_by_all */
    const u32 *numbers;
    u64 count;
};

struct crew_orders {
    const char *folder;              /* that of each run lies in it */
    const char *arch;                /* file of the part */
    const struct run_options *usual; /* program, scene */
    const struct tiles *tiles;
    const struct haunting *haunting; /* NULL: the part has its memory for itself */
    u32 jobs;
    void (*progress)(void *context, double done);
    void *context;
};

/* Those from `first` on. What has ended stays if it is interrupted. */
bool runs_do(const struct crew_orders *orders, const struct part_runs *runs, u32 first,
             struct ogv_error *error);

char *run_folder(const struct crew_orders *orders, const struct part_run *run);
void part_runs_fini(struct part_runs *runs);

#endif
