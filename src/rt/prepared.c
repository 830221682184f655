/* prepared.c - see prepared.h. A file of the cache is a header and the arrays of the tree. */
#include "rt/prepared.h"

#include <string.h>

#include "base/stop.h"
#include "rt/embree.h"

#define KIND "bvh"

struct header {
    u64 node_count, block_count;
    u32 node_bytes, block_bytes, number_bytes, treelet_bytes, treelet_count, spare;
    struct box bounds;
    struct bvh_statistics statistics;
};

void prepared_name(const struct mesh *mesh, const struct bvh_options *options,
                   char name[CACHE_NAME_BYTES])
{
    struct hash *key = cache_key(KIND);
    hash_add_u64(key, embree_version());
    hash_add_text(key, options->nodes->name);
    hash_add_text(key, options->primitives->name);
    hash_add_text(key, bvh_builder_names[options->builder]);
    hash_add_u64(key, options->leaf_triangles);
    hash_add_u64(key, options->treelet_bytes);
    hash_add_u64(key, mesh->vertex_count);
    hash_add_u64(key, mesh->triangle_count);
    hash_add(key, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    hash_add(key, mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles);
    cache_name(key, KIND, name);
}

#define ARRAYS 4

static void arrays_of(const struct bvh *bvh, struct cache_part arrays[ARRAYS])
{
    struct bvh_bytes bytes = bvh_bytes(bvh);
    arrays[0] = (struct cache_part){ bvh->nodes, bytes.nodes };
    arrays[1] = (struct cache_part){ bvh->blocks, bytes.blocks };
    arrays[2] = (struct cache_part){ bvh->numbers, bytes.numbers };
    arrays[3] = (struct cache_part){ bvh->treelets, bytes.headers };
}

/* ---- Taking ---- */

/* Sizes that no tree has would make products of them overflow. */
static bool header_fits(const struct header *header, const struct bvh *bvh)
{
    const struct primitive_format *primitives = bvh->primitives_format;
    return header->node_bytes == bvh->nodes_format->bytes &&
           header->block_bytes == primitives->bytes &&
           header->number_bytes == (primitives->numbers ? sizeof *bvh->numbers : 0) &&
           header->treelet_bytes == bvh->treelet_bytes && header->node_count >= 1 &&
           header->node_count < RT_REF_LAST &&
           header->block_count <= UINT64_C(1) << RT_REF_BLOCK_BITS &&
           !header->treelet_count == !header->treelet_bytes;
}

static bool contents_take(struct cache_file *file, struct bvh *bvh)
{
    struct header header;
    struct cache_part arrays[ARRAYS];
    if (!cache_take(file, &header, sizeof header) || !header_fits(&header, bvh))
        return false;
    bvh->node_count = header.node_count;
    bvh->block_count = header.block_count;
    bvh->treelet_count = header.treelet_count;
    struct bvh_bytes bytes = bvh_bytes(bvh);
    if (file->left != bytes.nodes + bytes.blocks + bytes.numbers + bytes.headers)
        return false;
    bvh->bounds = header.bounds;
    bvh->statistics = header.statistics;
    if (!bvh_allocate(bvh, NULL))
        return false;
    arrays_of(bvh, arrays);
    for (u32 i = 0; i < ARRAYS; i++)
        if (!cache_take(file, arrays[i].bytes, arrays[i].length))
            return false;
    return true;
}

static bool prepared_take(const char *name, const struct bvh_options *options, struct bvh *bvh)
{
    struct cache_file file;
    *bvh = (struct bvh){ .nodes_format = options->nodes,
                         .primitives_format = options->primitives,
                         .treelet_bytes = options->treelet_bytes };
    if (!cache_open(&file, name))
        return false;
    bool taken = contents_take(&file, bvh);
    if (cache_close(&file) && taken)
        return true;
    bvh_free(bvh);
    return false;
}

/* ---- Putting ---- */

static void prepared_put(const char *name, const struct bvh *bvh)
{
    struct header header;
    struct cache_part parts[1 + ARRAYS] = { { &header, sizeof header } };
    memset(&header, 0, sizeof header); /* what lies between the fields too */
    header.node_count = bvh->node_count;
    header.block_count = bvh->block_count;
    header.node_bytes = bvh->nodes_format->bytes;
    header.block_bytes = bvh->primitives_format->bytes;
    header.number_bytes = bvh->numbers ? sizeof *bvh->numbers : 0;
    header.treelet_bytes = bvh->treelet_bytes;
    header.treelet_count = bvh->treelet_count;
    header.bounds = bvh->bounds;
    header.statistics = bvh->statistics;
    arrays_of(bvh, parts + 1);
    cache_put(name, parts, 1 + ARRAYS);
}

/* ---- Both ---- */

bool prepared_bvh(const struct mesh *mesh, const struct bvh_options *options, struct bvh *bvh,
                  bool *was_cached, struct ogv_error *error)
{
    char name[CACHE_NAME_BYTES];
    bool on = cache_is_on(), cached = false, good = true;
    if (on) {
        prepared_name(mesh, options, name);
        cached = prepared_take(name, options, bvh);
    }
    if (!cached)
        good = bvh_build(mesh, options, bvh, error);
    if (on && good && !cached)
        prepared_put(name, bvh);
    if (was_cached)
        *was_cached = cached;
    if (!good || !stop_asked())
        return good;
    bvh_free(bvh);
    return stop_error(error, "building the tree");
}
