/* summary.c - see summary.h; summary.def has the list. */
#include "result/summary.h"

#include <string.h>

enum owner { CHIP, HOST };

const struct summary_figure summary_figures[] = {
#define FIGURE(name, measure, owner, help) { #name, measure, help, owner == HOST },
#include "result/summary.def"
#undef FIGURE
    { 0 },
};

const struct summary_figure *summary_find(const char *name)
{
    const struct summary_figure *figure = summary_figures;
    while (figure->name && strcmp(figure->name, name))
        figure++;
    return figure->name ? figure : NULL;
}
