/* predict.h - the figures of a frame from a part of it, simulated on a part of the machine.
 *
 * DIR/part.yaml      the part of the machine
 * DIR/cost.csv, cost.png  what pieces of work take, as counted without simulating
 * DIR/runs/          the simulated parts, each the folder of a run
 * DIR/chosen.png     their pixels
 * DIR/stats.json     figures as of a run of the whole, each with its interval
 * DIR/prediction.json  how they were made
 * DIR/evaluation.json, if asked for: beside those of the whole run
 * DIR/report.html    the same to look at */
#ifndef PREDICT_PREDICT_H
#define PREDICT_PREDICT_H

#include "predict/method.h"
#include "predict/runs.h"
#include "predict/whole.h"
#include "run/cost.h"

/* Whoever shows it to a person. */
struct predict_listener {
    void (*begin)(void *context, const char *what); /* "counting", "simulating" */
    void (*progress)(void *context, double done);   /* of that: 0 to 1, from any thread */
    void (*note)(void *context, const char *text);
    void *context;
};

#define TURNS_USUAL 6 /* then the machine is mostly full */

struct predict_options {
    const struct run_options *run; /* machine, program, scene; no pieces */
    const char *out;               /* folder; NULL: one named by what is predicted */
    struct method method;
    u32 factor;            /* which part of the machine; 0: the method's */
    double share;          /* of the frame; 0: the method's */
    double capacity;       /* of shared caches, that a part keeps; 0: the method's */
    double counted;        /* of the pieces, whose work is counted; 0: as many as `turns` says */
    u32 turns;             /* pieces for each thread of the machine */
    bool alone;            /* the part is one of memory, too, and has it for itself */
    u32 repeats;           /* runs, or runs of each group */
    double error;          /* goes on until other tiles would move cycles no farther; 0: no */
    double budget_seconds; /* goes on until these are used up; 0: no */
    u32 jobs;              /* runs at a time */
    u32 threads;           /* for counting; 0: all */
    u64 seed;
    struct predict_listener listener;
};

struct prediction {
    char *folder;
    ogv_system *system; /* the whole machine, at rest */
    struct whole whole;
    double *values, *low, *high; /* by figure of `whole` */
    double chance;               /* how far other tiles would move cycles: 95%, a share of them */
    struct method method;
    struct cost cost;
    struct tiles tiles;
    struct part_runs runs;
    u64 pieces, simulated; /* in all */
    u32 counted;           /* groups of tiles whose work is known */
    bool haunted;          /* all of the memory is there and takes requests of all */
    struct haunting haunting;
    u32 factor;
    double machine; /* how many parts it is */
    u32 rounds;
    bool filled;                                    /* all parts were full for a while */
    bool exact;                                     /* the whole frame on the whole machine */
    double counting_seconds, counting_work_seconds; /* with all loaded, as of runs */
    double work_seconds;                            /* of the processor: simulating, and counting */
    double wall_seconds;                            /* the same with so many jobs at a time */
};

bool predict(const struct predict_options *options, struct prediction *prediction,
             struct ogv_error *error);
void prediction_fini(struct prediction *prediction);

/* stats.json, prediction.json, chosen.png */
bool prediction_write(const struct prediction *prediction, struct ogv_error *error);

/* ---- Beside the whole ---- */

struct evaluation {
    double *truth; /* by figure */
    double speedup_processor_time, speedup_wall_time;
};

/* Simulates the whole frame, in DIR/whole, unless it is there; the caller frees the folder. */
char *prediction_whole(const struct predict_options *options, const struct prediction *prediction,
                       struct ogv_error *error);

/* `folder`: of a run of the whole frame. Writes evaluation.json. */
bool prediction_evaluate(const struct prediction *prediction, const char *folder,
                         struct evaluation *evaluation, struct ogv_error *error);
void evaluation_fini(struct evaluation *evaluation);

/* Without sign; NAN where there is nothing to compare. */
double figure_error(double predicted, double truth);

#endif
