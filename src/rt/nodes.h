/* nodes.h - the formats that format.c lists, each defined beside its encoder. */
#ifndef RT_NODES_H
#define RT_NODES_H

#include "rt/format.h"

extern const struct node_format bvh2_format, bvh4_format, bvh6_format, bvh8_format;
extern const struct node_format bvh6c_format, cwbvh8_format;

extern const struct primitive_format tri64_format, tri48_format, tri36_format, tristrip128_format;

/* ---- Quantisation, shared by the compressed formats ---- */

/* An axis of a node: where its grid begins, and 2^exponent as the step. */
struct grid_axis {
    float origin;
    int exponent; /* -126 to 127 */
};

/* The finest grid of 256 planes from the lowest plane of the children on that covers them all. */
struct grid_axis grid_axis_fit(const struct wide_node *node, u32 axis);

/* The last plane of the grid not above `low`, the first not below `high`. */
u8 grid_axis_low(const struct grid_axis *grid, float low);
u8 grid_axis_high(const struct grid_axis *grid, float high);

#endif
