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

/* ---- What is tested of any frames ---- */

/* Golden cycles hold for the trees and rays that Embree made, and for the compiler's code, whose
 * hash is given. A commit that moves a number says why. */
struct frame_set {
    const struct frame_job *jobs;
    u32 count;
    const char *golden_inputs;
};

#define FRAME_SET(jobs, golden_inputs)                     \
    {                                                      \
        jobs, sizeof(jobs) / sizeof *(jobs), golden_inputs \
    }

/* The rows of a group of tests for a set of frames: golden cycles; the same whatever the host's
 * threads do; the same wherever the run is cut in two. */
#define FRAME_SET_TESTS(set)                                                     \
    cmocka_unit_test_prestate(golden_cycles, (void *)(set)),                     \
        cmocka_unit_test_prestate(frames_are_the_same_each_time, (void *)(set)), \
        cmocka_unit_test_prestate(checkpoints_amid_a_frame_change_nothing, (void *)(set))

void golden_cycles(void **state);
void frames_are_the_same_each_time(void **state);
void checkpoints_amid_a_frame_change_nothing(void **state);

/* ---- Machines of odd sizes ---- */

struct frame_odd {
    u64 random;
    struct frame_job job;
    char settings[FRAME_SETTINGS_MAX][48];
    u32 count; /* of settings */
};

void odd_begin(struct frame_odd *odd, struct frame_job job);

/* A setting of the job, as printf() makes it. */
__attribute__((format(printf, 2, 3))) void odd_set(struct frame_odd *odd, const char *format, ...);

/* A number from 1 to `most`. */
u32 odd_number(struct frame_odd *odd, u32 most);

/* Runs the job with rays of one kind or another. False: it was refused, with these words. */
bool odd_finishes(struct frame_odd *odd, const char *refusal);

/* How many machines: those of the suite `long` if it is run. */
u32 odd_machines(u32 few);

#endif
