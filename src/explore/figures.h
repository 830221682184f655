/* figures.h - the numbers of a result folder that a store's index keeps: those of the summary that
 * are of the chip, and the statistics of every group of units. */
#ifndef EXPLORE_FIGURES_H
#define EXPLORE_FIGURES_H

#include "base/text.h"
#include "ogive/ogive.h"

struct figure_lines {
    struct text names;  /* "name\tunit\n" each */
    struct text values; /* "\tvalue" each, in the same order; "-" where there is none */
};

/* False if there is no stats.json that can be read. */
bool figures_read(const char *folder, struct figure_lines *lines, struct ogv_error *error);
void figures_fini(struct figure_lines *lines);

#endif
