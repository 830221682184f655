/* rt_formats.h - the formats of nodes and primitives, and how trees are built: the one list of
 * each.
 *
 * A row is F(name, with), where `with` is whatever the list was given beside F. Files hold
 * formats by their number, so a new one goes to the end. What a format is
 * made of: struct rt_NAME and its test in rt_node.h or rt_primitive.h, and NAME_format beside its
 * encoder in src/rt. A builder is a row of the table in src/rt/build.c. Everything else that knows
 * these names follows from here: the host's tables, the walks for each pair of formats, the
 * parameters of units that trace rays, the lists that commands and docs/bvh.md show. */
#ifndef OGIVE_RT_FORMATS_H
#define OGIVE_RT_FORMATS_H

#define RT_NODE_FORMATS(F, with) \
    F(bvh2, with)                \
    F(bvh4, with)                \
    F(bvh6, with)                \
    F(bvh8, with)                \
    F(bvh6c, with)               \
    F(cwbvh8, with)

#define RT_PRIMITIVE_FORMATS(F, with) \
    F(tri64, with)                    \
    F(tri48, with)                    \
    F(tri36, with)                    \
    F(tristrip128, with)

#define RT_BUILDERS(F, with) \
    F(sah, with)             \
    F(spatial, with)         \
    F(morton, with)          \
    F(hlbvh, with)

/* RT_NODES_bvh2, ...; RT_PRIMITIVES_tri64, ... */
#define RT_FORMAT_VALUE(name, prefix) prefix##name,
enum rt_node_format { RT_NODE_FORMATS(RT_FORMAT_VALUE, RT_NODES_) };
enum rt_primitive_format { RT_PRIMITIVE_FORMATS(RT_FORMAT_VALUE, RT_PRIMITIVES_) };
#undef RT_FORMAT_VALUE

#endif
