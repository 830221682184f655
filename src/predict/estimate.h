/* estimate.h - from counters of simulated parts to those of the whole machine and frame.
 *
 * Linear: what grows with the work is as many times as large as the work is larger. That takes
 * start and end of the part, when it is filling and emptying, for the same share of a frame as of
 * the sample. Affine: of the series of a run, the time in which it was full tells what a piece of
 * work more takes; start and end are counted once. Exponential is a regression through three
 * shares.
 *
 * Always true: where a sample is all of the work, on all of the machine, all three are the counters
 * themselves.
 *
 * Caches that all SMs share are cold once for the whole machine, not once for each part that it is
 * made of. So what units beside the SMs count does not grow with the work of programs, but with
 * what is asked of these caches, and what came on top of that in the beginning is counted once.
 * Where all of the memory is there and takes the requests of all (haunted), it is counted as it is.
 *
 * What is known of the work is not estimated: a counter that counts just that is what it is for the
 * whole. */
#ifndef PREDICT_ESTIMATE_H
#define PREDICT_ESTIMATE_H

#include "predict/sample.h"

enum extrapolation { EXTRAPOLATION_AFFINE, EXTRAPOLATION_LINEAR, EXTRAPOLATION_EXPONENTIAL };
#define EXTRAPOLATIONS 3
extern const char *const extrapolation_names[EXTRAPOLATIONS + 1]; /* the last is NULL */

/* How each cell combines; which tell how far the work is. */
struct rules {
    u32 cells;
    struct stat_rule {
        u8 combine, scale; /* enum stat_combine, enum stat_scale */
        bool work;         /* instructions of programs */
        bool pieces;       /* handed out to them */
        bool shared;       /* of memory that serves all that works */
        bool time;         /* of threads or rays */
        double demand;     /* what one adds to the requests to the shared caches */
    } * of;
};

struct rules rules_of(const struct plan *plan);
void rules_fini(struct rules *rules);

/* What is known of the work beforehand, exactly: X of FUNCTIONAL_WORK, in its order. */
#define KNOWN 5
struct known {
    double own, all; /* of the sample's pieces; of the whole frame */
};

/* One simulated part. */
struct part {
    const struct sample *sample;
    double machine; /* how many such parts the machine is */
    bool haunted;   /* memory that serves all that works is all there, and takes requests of all */
    double frame;   /* haunted: for how many pieces each of those of all stands */
    double work;    /* how many times the work of the sample is what falls to a part of the frame */
    double pieces;  /* of work in the sample */
    double threads; /* haunted: that the part has for them */
    double warm;    /* from which share of its work on the part tells what more takes */
    struct known known[KNOWN]; /* instructions first */
};

/* Points of a sample between which its part was full, in BLOCKS of about the same work. */
#define BLOCKS 8
struct steady {
    bool found;
    bool full; /* all threads had pieces to do, and there were more */
    u32 bounds[BLOCKS + 1];
};

struct steady steady_find(const struct rules *rules, const struct part *part);

#define NO_BLOCK UINT32_MAX

/* Counters of the whole, as far as one part tells; `cells` is the caller's. Without the block
 * `omitted` of the steady time. Returns the cycles. A part that was never full is extended
 * linearly. */
double estimate_part(const struct rules *rules, const struct part *part,
                     const struct steady *steady, u32 omitted, double *cells);

/* The value at the share 1 of the exponential through values at three shares; `step` is the
 * distance between two of them. A straight line where there is no such exponential. */
double exponential_extend(const double values[3], double first, double step);

/* Adds an estimate to a mean of `count` of them, cell by cell: largest values stay the largest. */
void estimate_add(const struct rules *rules, const double *cells, u32 count, double *mean);

#endif
