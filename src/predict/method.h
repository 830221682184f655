/* method.h - the ways of predicting: which tiles, on which part of the machine, extended how. */
#ifndef PREDICT_METHOD_H
#define PREDICT_METHOD_H

#include "predict/choice.h"
#include "predict/estimate.h"

struct method {
    const char *name, *help;
    enum division division;
    enum distribution distribution;
    enum extrapolation extrapolation;
    bool groups;       /* a run for each group of the division, not for tiles of all */
    double capacity;   /* of caches that all SMs share, that a part keeps; 0: its own share */
    bool divisor;      /* the part is one by the greatest common divisor, not the smallest one */
    bool by_work;      /* the whole is larger than the sample by its work, not by its pieces */
    bool mean_figures; /* figures of parts are averaged, instead of made of all their counters */
    bool warm_share;   /* how much is simulated follows from how warm a group is (zatel_share) */
    bool public_code;  /* see choice.h */
    double share;      /* of the frame, where nothing else is said; 0: all that falls to a part */
};

extern const struct method methods[];
extern const u32 method_count;

/* NULL with an error that lists what there is. */
const struct method *method_find(const char *name, struct ogv_error *error);

#endif
