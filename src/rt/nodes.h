/* nodes.h - the formats that format.c lists, each defined beside its encoder. */
#ifndef RT_NODES_H
#define RT_NODES_H

#include "rt/format.h"

extern const struct node_format bvh2_format, bvh4_format, bvh6_format, bvh8_format;
extern const struct node_format bvh6c_format, cwbvh8_format;

extern const struct primitive_format tri64_format, tri48_format, tri36_format, tristrip128_format;

#endif
