/* machine.h - the machine of a prediction, its part, and the program's work. Within predict alone.
 */
#ifndef PREDICT_MACHINE_H
#define PREDICT_MACHINE_H

#include "predict/predict.h"

/* Of a part: a share that is less above a whole number of parts is that number. */
#define SHARE_SLACK 1e-3

struct machine {
    ogv_arch *arch;
    struct plan *part; /* of the part */
    char *part_file;
    bool with_world;
    struct world_options world;
};

bool machine_open(const struct predict_options *options, struct prediction *prediction,
                  struct machine *machine, struct ogv_error *error);
void machine_close(struct machine *machine);

/* Counts the work of the pieces that are wanted, and puts pieces into tiles; `costs` gets what each
 * tile takes, NAN where that was not counted, and *work that of all. */
bool machine_count(const struct predict_options *options, const struct machine *machine,
                   struct prediction *prediction, double **costs, double *work,
                   struct ogv_error *error);

/* The same by piece, for those that were all counted; the caller frees. */
double *piece_costs(const struct prediction *prediction);

#endif
