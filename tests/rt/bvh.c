/* bvh.c - trees are sound for every format, builder and kind of mesh, and the same for any number
 * of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "bvh_stand.h"

#define SMALL 240
#define LARGE 12000

static void build(const struct mesh *mesh, const struct bvh_options *options, struct bvh *bvh)
{
    struct ogv_error error = { 0 };
    if (!bvh_build(mesh, options, bvh, &error))
        fail_msg("%s", error.message);
}

static void build_and_check(enum stand_kind kind, u32 count, const struct bvh_options *options)
{
    struct bvh bvh;
    struct mesh mesh = stand_mesh(kind, count, count);
    build(&mesh, options, &bvh);
    stand_check(&mesh, &bvh, options->builder == BVH_spatial);
    bvh_free(&bvh);
    mesh_free(&mesh);
}

/* Every format of nodes with one of triangles, and the other way round. */
static void each_format(void (*visit)(const struct bvh_options *options))
{
    struct bvh_options options = bvh_options_default();
    for (u32 n = 0; node_formats[n]; n++) {
        for (u32 p = 0; primitive_formats[p]; p++) {
            options.nodes = node_formats[n];
            options.primitives = primitive_formats[p];
            for (u32 b = 0; bvh_builder_names[b]; b++) {
                options.builder = (enum bvh_builder)b;
                visit(&options);
            }
        }
    }
}

static void kinds_visit(const struct bvh_options *options)
{
    for (u32 kind = 0; kind < STAND_KINDS; kind++)
        build_and_check((enum stand_kind)kind, SMALL / (1 + kind % 3), options);
}

static void every_kind_of_mesh_is_sound(void **state)
{
    (void)state;
    each_format(kinds_visit);
}

static void few_visit(const struct bvh_options *options)
{
    for (u32 count = 0; count < 10; count += count < 3 ? 1 : 3)
        build_and_check(STAND_SOUP, count, options);
}

static void the_smallest_scenes_have_a_root(void **state)
{
    (void)state;
    each_format(few_visit);
}

static void leaves_keep_their_limit(void **state)
{
    struct bvh_options options = bvh_options_default();
    struct mesh mesh = stand_mesh(STAND_GRID, SMALL, 1);
    struct bvh bvh;
    (void)state;
    for (u32 limit = 1; limit < 5; limit++) {
        u32 most = 0, triangles[8];
        options.leaf_triangles = limit;
        build(&mesh, &options, &bvh);
        stand_check(&mesh, &bvh, true);
        for (u64 i = 0; i < bvh.node_count; i++) {
            struct wide_node node;
            bvh_node_decode(&bvh, (u32)i, &node);
            for (u32 k = 0; k < node.count; k++)
                if (rt_ref_is_leaf(node.children[k].ref) &&
                    rt_ref_count(node.children[k].ref) > most)
                    most = rt_ref_count(node.children[k].ref);
        }
        assert_int_equal(stand_block(&bvh, 0, triangles), 1);
        assert_true(most <= limit);
        bvh_free(&bvh);
    }
    mesh_free(&mesh);
}

static void fingerprint(const struct mesh *mesh, const struct bvh_options *options, char *digits)
{
    struct bvh bvh;
    build(mesh, options, &bvh);
    struct hash *hash = hash_create();
    hash_add(hash, bvh.nodes, bvh.node_count * bvh.nodes_format->bytes);
    hash_add(hash, bvh.blocks, bvh.block_count * bvh.primitives_format->bytes);
    hash_add(hash, &bvh.statistics.sah_cost, sizeof bvh.statistics.sah_cost);
    hash_finish(hash, digits);
    bvh_free(&bvh);
}

static void threads_do_not_matter(void **state)
{
    static const enum stand_kind kinds[] = { STAND_SOUP, STAND_NEEDLES, STAND_GRID, STAND_SAME,
                                             STAND_POWERS };
    static const u32 counts[] = { 2, 3, 8 };
    (void)state;
    for (u32 k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct mesh mesh = stand_mesh(kinds[k], LARGE, k);
        for (u32 b = 0; bvh_builder_names[b]; b++) {
            struct bvh_options options = bvh_options_default();
            char alone[HASH_TEXT_BYTES], others[HASH_TEXT_BYTES];
            options.builder = (enum bvh_builder)b;
            options.threads = 1;
            fingerprint(&mesh, &options, alone);
            for (u32 t = 0; t < sizeof counts / sizeof *counts; t++) {
                options.threads = counts[t];
                fingerprint(&mesh, &options, others);
                assert_string_equal(alone, others);
            }
        }
        mesh_free(&mesh);
    }
}

struct builders {
    pid_t own;
    u32 calls, foreign;
};

/* Embree's part is the first four fifths. */
static void builders_note(void *user, double done)
{
    struct builders *builders = user;
    if (done > 0.8)
        return;
    builders->calls++;
    builders->foreign += gettid() != builders->own;
}

static void embree_builds_on_the_calling_thread(void **state)
{
    struct mesh mesh = stand_mesh(STAND_SOUP, LARGE, 1);
    (void)state;
    for (u32 b = 0; bvh_builder_names[b]; b++) {
        struct bvh_options options = bvh_options_default();
        struct builders builders = { .own = gettid() };
        struct bvh bvh;
        options.builder = (enum bvh_builder)b;
        options.threads = 8;
        options.progress = builders_note;
        options.user = &builders;
        build(&mesh, &options, &bvh);
        assert_true(builders.calls > 0);
        assert_int_equal(builders.foreign, 0);
        bvh_free(&bvh);
    }
    mesh_free(&mesh);
}

static void splitting_pays_and_is_counted(void **state)
{
    struct mesh mesh = stand_mesh(STAND_NEEDLES, 3000, 5);
    struct bvh_options options = bvh_options_default();
    struct bvh whole, split;
    (void)state;
    options.builder = BVH_sah;
    build(&mesh, &options, &whole);
    options.builder = BVH_spatial;
    build(&mesh, &options, &split);
    assert_true(whole.statistics.duplication == 1);
    assert_true(split.statistics.duplication > 1.1);
    assert_true(split.statistics.sah_cost < whole.statistics.sah_cost);
    bvh_free(&whole);
    bvh_free(&split);
    mesh_free(&mesh);
}

struct seen_progress {
    double last;
    u32 calls;
};

static void progress_see(void *user, double done)
{
    struct seen_progress *seen = user;
    assert_true(done >= 0 && done <= 1);
    seen->last = done;
    seen->calls++;
}

static void progress_ends_at_one(void **state)
{
    struct mesh mesh = stand_mesh(STAND_SOUP, LARGE, 3);
    struct bvh_options options = bvh_options_default();
    struct seen_progress seen = { 0 };
    struct bvh bvh;
    (void)state;
    options.progress = progress_see;
    options.user = &seen;
    options.threads = 1;
    build(&mesh, &options, &bvh);
    assert_true(seen.calls > 1 && seen.last == 1);
    bvh_free(&bvh);
    mesh_free(&mesh);
}

static void names_are_found_or_explained(void **state)
{
    struct ogv_error error;
    enum bvh_builder builder;
    (void)state;
    assert_true(bvh_builder_find("morton", &builder, &error) && builder == BVH_morton);
    assert_false(bvh_builder_find("spacial", &builder, &error));
    assert_non_null(strstr(error.message, "did you mean 'spatial'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_mesh_is_sound),
        cmocka_unit_test(the_smallest_scenes_have_a_root),
        cmocka_unit_test(leaves_keep_their_limit),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(embree_builds_on_the_calling_thread),
        cmocka_unit_test(splitting_pays_and_is_counted),
        cmocka_unit_test(progress_ends_at_one),
        cmocka_unit_test(names_are_found_or_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
