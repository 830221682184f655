/* prediction.h - the page of a prediction: every figure of its summary with its interval. */
#ifndef REPORT_PREDICTION_H
#define REPORT_PREDICTION_H

#include "predict/predict.h"

/* DIR/report.html; one page that holds all it needs but the pictures beside it. `truth`: figures of
 * the whole run to draw as well, or NULL. */
bool prediction_page(const struct prediction *prediction, const double *truth,
                     struct ogv_error *error);

#endif
