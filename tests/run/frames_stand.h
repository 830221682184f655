/* frames_stand.h - frames of rays traced on small machines, for tests: loaded, run, judged by
 * Embree's hits, and run again in other ways.
 *
 * The scene is made here: triangles at random in a cube. */
#ifndef TESTS_RUN_FRAMES_STAND_H
#define TESTS_RUN_FRAMES_STAND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/workload.h"
#include "sim/sim.h"

#define FRAME_SETTINGS_MAX 14
#define FRAME_JOBS_MAX     16

struct frame_job {
    const char *arch; /* shipped, or a file of this folder */
    const char *settings[FRAME_SETTINGS_MAX];
    enum ray_kind rays;
    u32 width, height;
    cycle golden;        /* cycles */
    const char *program; /* NULL: what the machine takes for rays that were made beforehand */
};

struct frame {
    ogv_system *system;
    struct world world;
};

/* Setup and teardown of a group of tests. */
int frames_scene_write(void **state);
int frames_scene_remove(void **state);

ogv_system *frame_system(const struct frame_job *job);
bool frame_try(const struct frame_job *job, struct frame *frame, struct ogv_error *error);

/* To the end, with the checks that every frame must pass. Its cycles. */
cycle frame_run(const struct frame_job *job, struct sim_options options, char digest[33]);

/* Whatever the host's threads do; wherever the run is cut in two. */
void frames_same_each_time(const struct frame_job *jobs, u32 count);
void frames_same_from_checkpoints(const struct frame_job *jobs, u32 count);

/* Golden cycles hold for the trees and rays that Embree made, and for the compiler's code, whose
 * hash is given. A commit that moves a number says why. */
void frames_golden(const struct frame_job *jobs, u32 count, const char *golden);

#endif
