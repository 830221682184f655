/* whole.h - the figures of a machine from its counters, as a run would have them, for counters that
 * nobody has simulated.
 *
 * Figures are, in this order: those of a run's summary (and the miss rates that follow from hit
 * rates), quotients of each line of the architecture file ("sm.rt.occupancy"), counters of each
 * ("sm.rt.rays"). */
#ifndef PREDICT_WHOLE_H
#define PREDICT_WHOLE_H

#include "arch/energy.h"
#include "arch/system.h"

/* What a figure depends on most. */
enum figure_kind {
    FIGURE_OF_WORK,   /* what programs and SMs do */
    FIGURE_OF_TIME,   /* how long that takes */
    FIGURE_OF_MEMORY, /* what units beside the SMs do */
};

struct whole {
    const struct plan *plan;
    struct energy_model *energy;
    bool frame;  /* a picture is drawn */
    u32 summary; /* of the figures: in the summary */
    u32 ratios;  /* of the figures behind them: quotients */
    u32 count;   /* of all */
    char **names;
    u8 *kinds;    /* by figure: enum figure_kind */
    bool *shares; /* by figure: it is a fraction, from 0 to 1 */
};

struct whole whole_of(const ogv_system *system, bool frame);
void whole_fini(struct whole *whole);

/* NAN where there is no such thing. */
void whole_figures(const struct whole *whole, const double *cells, double cycles, double *values);

/* UINT32_MAX if there is none. */
u32 whole_find(const struct whole *whole, const char *name);

/* The same of a run that was simulated. */
bool whole_read(const struct whole *whole, const char *folder, double *values,
                struct ogv_error *error);

#endif
