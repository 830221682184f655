/* nodes.h - the formats of rt_formats.h, each defined beside its encoder. */
#ifndef RT_NODES_H
#define RT_NODES_H

#include "ogive/rt_formats.h"
#include "rt/format.h"

#define FORMAT_DECLARE(name, kind) extern const struct kind name##_format;
RT_NODE_FORMATS(FORMAT_DECLARE, node_format)
RT_PRIMITIVE_FORMATS(FORMAT_DECLARE, primitive_format)
#undef FORMAT_DECLARE

#endif
