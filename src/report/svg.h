/* svg.h - what all figures share: colours, texts, round numbers on axes. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "base/text.h"

#define SVG_COLOURS 12

/* Okabe and Ito's colours, which people with colour-blindness can tell apart, then darker ones. */
extern const char *const svg_colours[SVG_COLOURS];

/* Where values are drawn. */
struct svg_area {
    double left, top, width, height;
};

/* On white; `</svg>` is the caller's. */
void svg_begin(struct text *svg, u32 width, double height);

/* Words from anywhere. */
void svg_text(struct text *svg, const char *words);

/* 1, 2 or 5 times a power of ten, so that there are about five steps up to `largest`. */
double svg_step(double largest);

/* "1.5M" */
void svg_number(struct text *svg, double value);

#endif
