/* sample.h - a simulated part, as numbers: what each counter stood at, interval after interval.
 *
 * Counters are cells as in result/tally.h, in the order of the plan; the part's plan and that of
 * the whole machine have the same ones, since they differ in counts alone. */
#ifndef PREDICT_SAMPLE_H
#define PREDICT_SAMPLE_H

#include "arch/plan.h"
#include "ogive/ogive.h"

struct sample {
    u32 cells, points;
    double *times;  /* by point: the cycle; the last is the end */
    double *counts; /* [points][cells], up to that cycle */
    double cycles;
    double work_seconds, wall_seconds; /* that simulating it took */
};

/* From the folder of a run of a machine with that plan. */
bool sample_read(const char *folder, const struct plan *plan, struct sample *sample,
                 struct ogv_error *error);
void sample_fini(struct sample *sample);

static inline const double *sample_at(const struct sample *sample, u32 point)
{
    return &sample->counts[(size_t)point * sample->cells];
}

#endif
