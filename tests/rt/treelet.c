/* treelet.c - treelets hold every node once, are connected, keep their size, and are better than
 * filling them in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bvh_stand.h"
#include "rt/treelet.h"

static void build(enum stand_kind kind, u32 count, const struct bvh_options *options,
                  struct bvh *bvh)
{
    struct ogv_error error = { 0 };
    struct mesh mesh = stand_mesh(kind, count, 11);
    if (!bvh_build(&mesh, options, bvh, &error))
        fail_msg("%s", error.message);
    mesh_free(&mesh);
}

static void node_get(const struct bvh *bvh, u32 number, struct wide_node *node)
{
    bvh_node_decode(bvh, number, node);
}

static u32 node_blocks(const struct wide_node *node)
{
    u32 blocks = 0;
    for (u32 i = 0; i < node->count; i++)
        if (rt_ref_is_leaf(node->children[i].ref))
            blocks += rt_ref_count(node->children[i].ref);
    return blocks;
}

static u32 *parents_find(const struct bvh *bvh)
{
    u32 *parents = calloc(bvh->node_count, sizeof *parents);
    for (u32 i = 0; i < bvh->node_count; i++) {
        struct wide_node node;
        node_get(bvh, i, &node);
        for (u32 k = 0; k < node.count; k++)
            if (!rt_ref_is_leaf(node.children[k].ref))
                parents[node.children[k].ref] = i;
    }
    return parents;
}

static void header_check(const struct bvh *bvh, const struct treelets *treelets, u32 number,
                         const u32 *parents)
{
    const struct treelet *t = &treelets->items[number];
    u64 nodes = (u64)t->node_count * bvh->nodes_format->bytes, blocks = 0, below = 1;
    u64 block = bvh->primitives_format->bytes;
    assert_true(t->node_count > 0 && t->bytes <= treelets->size);
    assert_int_equal(treelets->order[t->first_node], t->root);
    for (u32 i = 0; i < t->node_count; i++) {
        u32 node = treelets->order[t->first_node + i];
        struct wide_node decoded;
        node_get(bvh, node, &decoded);
        blocks += node_blocks(&decoded);
        assert_int_equal(treelets->of_node[node], number);
        if (node != t->root)
            assert_int_equal(treelets->of_node[parents[node]], number);
    }
    assert_int_equal(blocks ? (nodes + block - 1) / block * block + blocks * block : nodes,
                     t->bytes);
    assert_int_equal(blocks, t->block_count);
    for (u32 i = 0; i < t->child_count; i++) {
        const struct treelet *child = &treelets->items[t->first_child + i];
        assert_int_equal(child->parent, number);
        assert_int_equal(child->depth, t->depth + 1);
        assert_int_equal(treelets->of_node[parents[child->root]], number);
        below += child->subtree;
    }
    assert_int_equal(t->subtree, below);
}

static void treelets_check(const struct bvh *bvh, const struct treelets *treelets)
{
    u32 *parents = parents_find(bvh);
    u8 *seen = calloc(bvh->node_count, 1);
    u32 next_node = 0, next_child = 1;
    for (u32 i = 0; i < treelets->count; i++) {
        assert_int_equal(treelets->items[i].first_node, next_node);
        assert_int_equal(treelets->items[i].first_child, next_child);
        header_check(bvh, treelets, i, parents);
        next_node += treelets->items[i].node_count;
        next_child += treelets->items[i].child_count;
    }
    assert_int_equal(next_node, bvh->node_count);
    assert_int_equal(next_child, treelets->count);
    for (u32 i = 0; i < bvh->node_count; i++) {
        assert_false(seen[treelets->order[i]]);
        seen[treelets->order[i]] = 1;
    }
    free(parents);
    free(seen);
}

static void every_format_can_be_cut(void **state)
{
    struct bvh_options options = bvh_options_default();
    (void)state;
    for (u32 n = 0; node_formats[n]; n++) {
        for (u32 p = 0; primitive_formats[p]; p++) {
            struct bvh bvh;
            options.nodes = node_formats[n];
            options.primitives = primitive_formats[p];
            options.leaf_triangles = 8;
            build(p % 2 ? STAND_GRID : STAND_NEEDLES, 3000, &options, &bvh);
            for (u64 size = RT_TREELET_BYTES_MIN; size <= RT_TREELET_BYTES_MAX; size *= 2) {
                struct ogv_error error = { 0 };
                struct treelets treelets;
                if (!treelets_build(&bvh, size, &treelets, &error))
                    fail_msg("%s", error.message);
                treelets_check(&bvh, &treelets);
                treelets_free(&treelets);
            }
            bvh_free(&bvh);
        }
    }
}

/* ---- Layout ---- */

/* A tree as it was built, and in treelets. */
struct moved {
    const struct bvh *plain, *treelets;
    struct rt_inside in;
    u64 nodes, blocks;
    u64 *ends; /* by treelet: where what was met in it ends */
};

static u32 inside_check(struct moved *moved, const void *at, u32 bytes, u32 number, u32 bits)
{
    const struct bvh *bvh = moved->treelets;
    u64 offset = (u64)((const u8 *)at - (const u8 *)bvh->nodes);
    u32 treelet = rt_treelet_of(0, bvh->treelet_bytes, offset);
    u64 end = offset + bytes - (u64)treelet * rt_treelet_stride(bvh->treelet_bytes);
    assert_true(treelet < bvh->treelet_count);
    assert_int_equal(treelet, number >> bits);
    assert_int_equal(rt_tree_number(offset, bvh->treelet_bytes, bytes), number);
    assert_true(end <= bvh->treelets[treelet].bytes);
    moved->ends[treelet] = end > moved->ends[treelet] ? end : moved->ends[treelet];
    return treelet;
}

static void leaf_compare(struct moved *moved, u32 plain, u32 ref, u32 treelet)
{
    u32 bytes = moved->plain->primitives_format->bytes;
    assert_true(rt_ref_is_leaf(plain) && rt_ref_is_leaf(ref));
    assert_int_equal(rt_ref_count(plain), rt_ref_count(ref));
    for (u32 i = 0; i < rt_ref_count(ref); i++) {
        u32 from = rt_ref_first(plain) + i, to = rt_ref_first(ref) + i;
        const void *at = bvh_block(moved->treelets, to);
        assert_int_equal(inside_check(moved, at, bytes, to, moved->in.block_bits), treelet);
        assert_memory_equal(at, bvh_block(moved->plain, from), bytes);
        if (moved->plain->numbers)
            assert_int_equal(moved->plain->numbers[from], moved->treelets->numbers[to]);
        moved->blocks++;
    }
}

/* A child in another treelet is the root of one that its header knows. */
static void child_check(const struct moved *moved, u32 treelet, u32 child)
{
    const struct rt_treelet *header = &moved->treelets->treelets[treelet];
    u32 other = child >> moved->in.node_bits;
    if (other == treelet)
        return;
    assert_int_equal(child, other << moved->in.node_bits);
    assert_true(other - header->first_child < header->child_count);
    assert_int_equal(moved->treelets->treelets[other].parent, treelet);
    assert_int_equal(moved->treelets->treelets[other].depth, header->depth + 1);
}

static void node_compare(struct moved *moved, u32 plain, u32 number)
{
    struct wide_node one, two;
    u32 treelet = inside_check(moved, bvh_node(moved->treelets, number),
                               moved->plain->nodes_format->bytes, number, moved->in.node_bits);
    bvh_node_decode(moved->plain, plain, &one);
    bvh_node_decode(moved->treelets, number, &two);
    assert_int_equal(one.count, two.count);
    moved->nodes++;
    for (u32 i = 0; i < one.count; i++) {
        u32 from = one.children[i].ref, to = two.children[i].ref;
        assert_memory_equal(&one.children[i].box, &two.children[i].box, sizeof one.children[i].box);
        if (rt_ref_is_leaf(from)) {
            leaf_compare(moved, from, to, treelet);
        } else {
            assert_false(rt_ref_is_leaf(to));
            child_check(moved, treelet, to);
            node_compare(moved, from, to);
        }
    }
}

static void headers_check(const struct moved *moved)
{
    const struct bvh *bvh = moved->treelets;
    u32 next_child = 1;
    for (u32 i = 0; i < bvh->treelet_count; i++) {
        const struct rt_treelet *header = &bvh->treelets[i];
        u64 below = 1;
        assert_true(header->bytes <= bvh->treelet_bytes);
        assert_int_equal(header->bytes, moved->ends[i]);
        assert_int_equal(header->first_child, next_child);
        for (u32 k = 0; k < header->child_count; k++)
            below += bvh->treelets[header->first_child + k].subtree;
        assert_int_equal(header->subtree, below);
        next_child += header->child_count;
    }
    assert_int_equal(next_child, bvh->treelet_count);
    assert_int_equal(bvh->treelets[0].parent, 0);
    assert_int_equal(bvh->treelets[0].depth, 0);
}

/* Every node and block once, where its number says, and nothing of them changed. */
static void a_tree_in_treelets_is_the_same_tree(void **state)
{
    (void)state;
    for (u32 n = 0; node_formats[n]; n++)
        for (u32 p = 0; primitive_formats[p]; p++)
            for (u32 size = RT_TREELET_BYTES_MIN; size <= RT_TREELET_BYTES_MAX; size *= 2) {
                struct bvh_options options = bvh_options_default();
                struct bvh plain, treelets;
                options.nodes = node_formats[n];
                options.primitives = primitive_formats[p];
                build(p % 2 ? STAND_SOUP : STAND_GRID, 3000, &options, &plain);
                options.treelet_bytes = size;
                build(p % 2 ? STAND_SOUP : STAND_GRID, 3000, &options, &treelets);
                assert_true(treelets.treelet_count > 1);
                struct moved moved = { &plain, &treelets, bvh_inside(&treelets), 0, 0, NULL };
                moved.ends = calloc(treelets.treelet_count, sizeof *moved.ends);
                node_compare(&moved, 0, 0);
                headers_check(&moved);
                assert_int_equal(moved.nodes, plain.node_count);
                assert_int_equal(moved.blocks, plain.block_count);
                free(moved.ends);
                bvh_free(&plain);
                bvh_free(&treelets);
            }
}

static void a_small_tree_is_one_treelet(void **state)
{
    (void)state;
    for (u32 count = 0; count < 20; count += 3) {
        struct bvh_options options = bvh_options_default();
        struct ogv_error error = { 0 };
        struct bvh bvh;
        struct treelets treelets;
        build(STAND_SOUP, count, &options, &bvh);
        assert_true(treelets_build(&bvh, RT_TREELET_BYTES_MIN, &treelets, &error));
        treelets_check(&bvh, &treelets);
        assert_int_equal(treelets.count, 1);
        treelets_free(&treelets);
        bvh_free(&bvh);
    }
}

/* The areas of the roots of treelets that are filled breadth first, as SimTRaX does. */
static double cost_breadth_first(const struct bvh *bvh, u64 size)
{
    u32 *roots = calloc(bvh->node_count + 1, sizeof *roots), *queue, count = 1;
    float *areas = calloc(bvh->node_count, sizeof *areas);
    double sum = 0, whole = 0;
    queue = calloc(bvh->node_count + 1, sizeof *queue);
    for (u32 i = 0; i < 3; i++) {
        u32 k = (i + 1) % 3;
        whole += ((double)bvh->bounds.high[i] - (double)bvh->bounds.low[i]) *
                 ((double)bvh->bounds.high[k] - (double)bvh->bounds.low[k]);
    }
    areas[0] = 1;
    for (u32 root = 0; root < count; root++) {
        u32 first = 0, held = 1;
        u64 bytes = 0;
        sum += (double)areas[roots[root]];
        queue[0] = roots[root];
        for (; first < held; first++) {
            struct wide_node node;
            node_get(bvh, queue[first], &node);
            u64 own = treelet_bytes_of(bvh, 1, node_blocks(&node));
            if (bytes + own > size) {
                roots[count++] = queue[first];
                continue;
            }
            bytes += own;
            for (u32 k = 0; k < node.count; k++) {
                const struct box *box = &node.children[k].box;
                double area = 0;
                if (rt_ref_is_leaf(node.children[k].ref))
                    continue;
                for (u32 i = 0; i < 3; i++)
                    area += ((double)box->high[i] - (double)box->low[i]) *
                            ((double)box->high[(i + 1) % 3] - (double)box->low[(i + 1) % 3]);
                areas[node.children[k].ref] = (float)(area / whole);
                queue[held++] = node.children[k].ref;
            }
        }
    }
    free(roots);
    free(queue);
    free(areas);
    return sum;
}

static void cutting_by_cost_pays(void **state)
{
    struct bvh_options options = bvh_options_default();
    struct ogv_error error = { 0 };
    struct bvh bvh;
    struct treelets treelets;
    (void)state;
    build(STAND_SOUP, 20000, &options, &bvh);
    for (u64 size = RT_TREELET_BYTES_MIN; size <= RT_TREELET_BYTES_MAX; size *= 2) {
        assert_true(treelets_build(&bvh, size, &treelets, &error));
        assert_true(treelets.cost < cost_breadth_first(&bvh, size));
        treelets_free(&treelets);
    }
    bvh_free(&bvh);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    struct bvh_options options = bvh_options_default();
    struct ogv_error error = { 0 };
    struct treelets treelets;
    struct bvh bvh;
    (void)state;
    options.nodes = node_format_find("bvh8", NULL);
    options.primitives = primitive_format_find("tristrip128", NULL);
    build(STAND_SOUP, 2000, &options, &bvh);
    assert_false(treelets_build(&bvh, RT_TREELET_BYTES_MIN - 1, &treelets, &error));
    assert_non_null(strstr(error.message, "8192"));
    assert_false(treelets_build(&bvh, RT_TREELET_BYTES_MAX + 1, &treelets, &error));
    assert_non_null(strstr(error.message, "65536"));
    assert_false(treelets_build(&bvh, 12 * KiB, &treelets, &error));
    assert_non_null(strstr(error.message, "power of two"));
    bvh_free(&bvh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_can_be_cut),
        cmocka_unit_test(a_tree_in_treelets_is_the_same_tree),
        cmocka_unit_test(a_small_tree_is_one_treelet),
        cmocka_unit_test(cutting_by_cost_pays),
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
