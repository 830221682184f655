/* plot.h - a figure of statistics over time, as SVG. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "base/text.h"
#include "ogive/ogive.h"

struct plot_options {
    const char *const *folders;
    u32 folder_count;
    const char *series; /* names, separated by commas; brackets may be left out */
    bool traffic; /* instead: bytes of memory by purpose, on top of each other; of one folder */
    u32 width, height; /* pixels */
};

#define PLOT_LINES_MAX 12

bool plot_draw(const struct plot_options *options, struct text *svg, struct ogv_error *error);

#endif
