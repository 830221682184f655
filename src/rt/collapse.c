/* collapse.c - from a binary tree to wide nodes at the least cost; see binary.h.
 *
 * A node's `choices` are eight numbers of 4 bits. Number 0 says what the subtree is as one tree: 1
 * if a leaf, 0 if a wide node. Number i - 1, for a forest of i trees (i from 2 to the width - 1):
 * how many of them the left child gets, or 0 if fewer trees do as well. Number 7: how many of the
 * wide node's children come from the left. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rt/binary.h"

/* Relative to a node's test: testing a triangle, and fetching a block of them. A block that holds
 * one triangle costs as much as a node, as in the surface area heuristic with unit costs; triangles
 * that share a block share its fetch. */
#define COST_NODE     1.0
#define COST_TRIANGLE 0.5
#define COST_BLOCK    0.5

#define AREA_LEAST    1e-12
#define CHOICE_NODE   7 /* of the numbers in `choices` */
#define BLOCK_BYTES   1024

static u32 choice_get(const struct binary_node *node, u32 number)
{
    return node->choices >> (4 * number) & 15;
}

static void choice_set(struct binary_node *node, u32 number, u32 value)
{
    node->choices = (node->choices & ~(15u << (4 * number))) | value << (4 * number);
}

struct box box_union(const struct box *a, const struct box *b)
{
    struct box both;
    for (u32 i = 0; i < 3; i++) {
        both.low[i] = a->low[i] < b->low[i] ? a->low[i] : b->low[i];
        both.high[i] = a->high[i] > b->high[i] ? a->high[i] : b->high[i];
    }
    return both;
}

double binary_area(const struct binary_rules *rules, const struct box *box)
{
    double x = ((double)box->high[0] - (double)box->low[0]) * rules->scale;
    double y = ((double)box->high[1] - (double)box->low[1]) * rules->scale;
    double z = ((double)box->high[2] - (double)box->low[2]) * rules->scale;
    return x * y + y * z + z * x + AREA_LEAST;
}

static u32 min_u32(u32 a, u32 b)
{
    return a < b ? a : b;
}

struct binary_rules binary_rules_make(const struct mesh *mesh, const struct bvh_options *options,
                                      struct box bounds)
{
    double extent = 0;
    for (u32 i = 0; i < 3; i++)
        extent = fmax(extent, (double)bounds.high[i] - (double)bounds.low[i]);
    u32 blocks = min_u32(options->nodes->leaf_blocks, RT_LEAF_MAX);
    u32 triangles = min_u32(blocks * options->primitives->triangles, BINARY_LEAF_MAX);
    if (options->leaf_triangles)
        triangles = min_u32(triangles, options->leaf_triangles);
    return (struct binary_rules){
        .mesh = mesh,
        .primitives = options->primitives,
        .width = options->nodes->width,
        .leaf_triangles = triangles,
        .leaf_blocks = blocks,
        .bounds = bounds,
        .scale = extent > 0 ? 1 / extent : 1,
    };
}

/* ---- Leaves ---- */

u32 binary_leaf_triangles(binary_ref leaf, u32 *triangles)
{
    binary_ref stack[BINARY_LEAF_MAX + 1];
    u32 held = 0, count = 0;
    stack[held++] = leaf;
    while (held) {
        binary_ref ref = stack[--held];
        if (!binary_is_triangle(ref)) {
            stack[held++] = binary_node_at(ref)->children[1];
            stack[held++] = binary_node_at(ref)->children[0];
            continue;
        }
        u32 at = 0;
        while (at < count && triangles[at] != binary_triangle(ref))
            at++;
        if (at == count)
            triangles[count++] = binary_triangle(ref);
    }
    return count;
}

u32 binary_leaf_blocks(binary_ref leaf)
{
    return binary_is_triangle(leaf) ? 1 : binary_node_at(leaf)->blocks;
}

static u32 blocks_needed(const struct binary_rules *rules, const u32 *triangles, u32 count)
{
    _Alignas(16) u8 block[BLOCK_BYTES];
    u32 blocks = 0;
    if (rules->primitives->triangles == 1)
        return count;
    if (rules->primitives->bytes > sizeof block)
        ogv_bug("a block of %u bytes", rules->primitives->bytes);
    for (u32 done = 0; done < count; blocks++)
        done += rules->primitives->encode(rules->mesh, triangles + done, count - done, block);
    return blocks;
}

/* The cost of the subtree as one leaf, without its area; infinite if it cannot be one. */
static double leaf_cost(const struct binary_rules *rules, struct binary_node *node)
{
    u32 triangles[BINARY_LEAF_MAX];
    node->blocks = 0;
    if (node->references > BINARY_LEAF_MAX || node->references > 2 * rules->leaf_triangles)
        return INFINITY;
    u32 count = binary_leaf_triangles((binary_ref)node, triangles);
    u32 blocks = count <= rules->leaf_triangles ? blocks_needed(rules, triangles, count) : 0;
    if (!blocks || blocks > rules->leaf_blocks)
        return INFINITY;
    node->blocks = (u16)blocks;
    return COST_TRIANGLE * count + COST_BLOCK * blocks;
}

/* ---- Costs ---- */

static u32 ref_references(binary_ref ref)
{
    return binary_is_triangle(ref) ? 1 : binary_node_at(ref)->references;
}

static u32 ref_height(binary_ref ref)
{
    return binary_is_triangle(ref) ? 0 : binary_node_at(ref)->height;
}

/* costs[i - 1]: of a child as at most i trees. */
static void child_costs(const struct binary_rules *rules, const struct binary_node *node, u32 side,
                        float *costs)
{
    binary_ref child = node->children[side];
    if (!binary_is_triangle(child)) {
        memcpy(costs, binary_node_at(child)->cost, (rules->width - 1) * sizeof *costs);
        return;
    }
    double one = binary_area(rules, &node->boxes[side]) * (COST_TRIANGLE + COST_BLOCK);
    for (u32 i = 0; i < rules->width - 1; i++)
        costs[i] = (float)one;
}

/* The best share of `trees` between the two sides. */
static float costs_share(const float *left, const float *right, u32 trees, u32 *from_left)
{
    float best = INFINITY;
    *from_left = 1;
    for (u32 k = 1; k < trees; k++) {
        float cost = left[k - 1] + right[trees - k - 1];
        if (cost < best) {
            best = cost;
            *from_left = k;
        }
    }
    return best;
}

static void costs_settle(const struct binary_rules *rules, struct binary_node *node)
{
    float left[RT_CHILDREN_MAX - 1], right[RT_CHILDREN_MAX - 1];
    struct box box = box_union(&node->boxes[0], &node->boxes[1]);
    double area = binary_area(rules, &box);
    u32 from_left;
    child_costs(rules, node, 0, left);
    child_costs(rules, node, 1, right);
    node->choices = 0;
    double leaf = area * leaf_cost(rules, node);
    double inner = costs_share(left, right, rules->width, &from_left) + area * COST_NODE;
    choice_set(node, CHOICE_NODE, from_left);
    choice_set(node, 0, leaf <= inner);
    node->cost[0] = (float)fmin(leaf, inner);
    for (u32 i = 2; i < rules->width; i++) {
        node->cost[i - 1] = node->cost[i - 2];
        float cost = costs_share(left, right, i, &from_left);
        if (cost < node->cost[i - 1]) {
            node->cost[i - 1] = cost;
            choice_set(node, i - 1, from_left);
        }
    }
}

void binary_settle(const struct binary_rules *rules, struct binary_node *node)
{
    u32 left = ref_height(node->children[0]), right = ref_height(node->children[1]);
    u32 height = (left > right ? left : right) + 1;
    node->height = (u16)min_u32(height, UINT16_MAX);
    node->references = ref_references(node->children[0]) + ref_references(node->children[1]);
    costs_settle(rules, node);
}

/* ---- Wide nodes ---- */

static void gather_side(const struct binary_node *node, u32 side, u32 trees,
                        struct binary_child *children, u32 *count)
{
    binary_ref ref = node->children[side];
    u32 from_left = 0;
    if (!binary_is_triangle(ref)) {
        const struct binary_node *child = binary_node_at(ref);
        while (trees > 1 && !(from_left = choice_get(child, trees - 1)))
            trees--;
        if (trees > 1) {
            gather_side(child, 0, from_left, children, count);
            gather_side(child, 1, trees - from_left, children, count);
            return;
        }
    }
    children[(*count)++] = (struct binary_child){
        .box = node->boxes[side],
        .ref = ref,
        .is_leaf = binary_is_triangle(ref) || choice_get(binary_node_at(ref), 0),
    };
}

u32 binary_gather(const struct binary_rules *rules, const struct binary_node *node,
                  struct binary_child *children)
{
    u32 count = 0, from_left = choice_get(node, CHOICE_NODE);
    gather_side(node, 0, from_left, children, &count);
    gather_side(node, 1, rules->width - from_left, children, &count);
    return count;
}

/* ---- Height ---- */

struct piece {
    struct box box;
    binary_ref ref;
};

/* The leaves and the nodes of a subtree, from left to right. */
struct pieces {
    struct piece *leaves;
    struct binary_node **nodes;
    u32 leaf_count, node_count;
};

static void pieces_collect(struct pieces *pieces, struct binary_node *root)
{
    struct piece *stack = heap_array((size_t)root->height + 2, sizeof *stack);
    u32 held = 0;
    pieces->leaves = heap_array(root->references, sizeof *pieces->leaves);
    pieces->nodes = heap_array(root->references, sizeof *pieces->nodes);
    pieces->leaf_count = pieces->node_count = 0;
    stack[held++] = (struct piece){ .ref = (binary_ref)root };
    while (held) {
        struct piece piece = stack[--held];
        if (binary_is_triangle(piece.ref)) {
            pieces->leaves[pieces->leaf_count++] = piece;
            continue;
        }
        struct binary_node *node = binary_node_at(piece.ref);
        pieces->nodes[pieces->node_count++] = node;
        for (u32 side = 2; side-- > 0;)
            stack[held++] = (struct piece){ node->boxes[side], node->children[side] };
    }
    free(stack);
}

/* Takes a node, from the first on, for the leaves first to end - 1. */
static struct piece pieces_balance(const struct binary_rules *rules, struct pieces *pieces,
                                   u32 first, u32 end)
{
    if (end - first == 1)
        return pieces->leaves[first];
    struct binary_node *node = pieces->nodes[pieces->node_count++];
    u32 middle = first + (end - first) / 2;
    struct piece left = pieces_balance(rules, pieces, first, middle);
    struct piece right = pieces_balance(rules, pieces, middle, end);
    node->boxes[0] = left.box;
    node->boxes[1] = right.box;
    node->children[0] = left.ref;
    node->children[1] = right.ref;
    binary_settle(rules, node);
    return (struct piece){ box_union(&left.box, &right.box), (binary_ref)node };
}

/* The node stays the root of its subtree: it is the first that was collected. */
static void binary_balance(const struct binary_rules *rules, struct binary_node *node)
{
    struct pieces pieces;
    pieces_collect(&pieces, node);
    pieces.node_count = 0;
    pieces_balance(rules, &pieces, 0, pieces.leaf_count);
    free(pieces.leaves);
    free(pieces.nodes);
}

static u32 balanced_height(u32 references)
{
    return references > 1 ? 32 - (u32)__builtin_clz(references - 1) : 0;
}

void binary_limit_height(const struct binary_rules *rules, binary_ref root, u32 levels)
{
    if (ref_height(root) <= levels)
        return;
    struct binary_node *node = binary_node_at(root);
    bool deeper = true; /* the children can still be balanced */
    for (u32 side = 0; side < 2; side++)
        deeper &= balanced_height(ref_references(node->children[side])) <= levels - 1;
    if (!deeper) {
        binary_balance(rules, node);
        return;
    }
    for (u32 side = 0; side < 2; side++)
        binary_limit_height(rules, node->children[side], levels - 1);
    binary_settle(rules, node);
}
