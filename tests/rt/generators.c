/* generators.c - scenes made by rule: as many triangles as asked for, none degenerate, and the same
 * bits from every compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "rt/generators/exact.h"
#include "rt/generators/generators.h"

static void make(const struct generator *generator, u64 triangles, u64 seed, struct scene *scene)
{
    struct scene_options options = { .triangles = triangles, .seed = seed };
    struct ogv_error error = { 0 };
    *scene = (struct scene){ 0 };
    if (!generator_run(generator, &options, scene, &error))
        fail_msg("%s", error.message);
}

static double twice_area_squared(const struct mesh *mesh, u32 triangle)
{
    double side[2][3], sum = 0;
    for (u32 i = 0; i < 2; i++)
        for (u32 k = 0; k < 3; k++)
            side[i][k] = (double)mesh->vertices[mesh->triangles[triangle][i + 1]][k] -
                         (double)mesh->vertices[mesh->triangles[triangle][0]][k];
    for (u32 k = 0; k < 3; k++) {
        u32 a = (k + 1) % 3, b = (k + 2) % 3;
        double part = side[0][a] * side[1][b] - side[0][b] * side[1][a];
        sum += part * part;
    }
    return sum;
}

static void check(const struct generator *generator, u64 triangles, u64 seed)
{
    struct scene scene;
    struct ogv_error error = { 0 };
    make(generator, triangles, seed, &scene);
    double count = scene.mesh.triangle_count;
    if (count < 0.98 * (double)triangles || count > 1.02 * (double)triangles)
        fail_msg("%s: %.0f triangles instead of %llu", generator->name, count,
                 (unsigned long long)triangles);
    assert_true(mesh_check(&scene.mesh, generator->name, &error));
    for (u32 i = 0; i < scene.mesh.triangle_count; i++) {
        if (!(twice_area_squared(&scene.mesh, i) > 0))
            fail_msg("%s: triangle %u of %.0f is degenerate", generator->name, i, count);
        if (scene.mesh.materials && scene.mesh.materials[i] >= scene.material_count)
            fail_msg("%s: triangle %u has no material", generator->name, i);
    }
    scene_free(&scene);
}

static void as_many_as_asked_for_and_none_degenerate(void **state)
{
    static const u64 counts[] = { 1000,  1500,  1999,   2000,   3999,  4000,  4999,
                                  5000,  9999,  12000,  19999,  29999, 30000, 60000,
                                  79999, 80000, 100000, 299999, 300000 };
    (void)state;
    for (u32 i = 0; generators[i]; i++)
        for (u32 k = 0; k < sizeof counts / sizeof *counts; k++)
            check(generators[i], counts[k], k % 3);
    if (!getenv("OGIVE_LONG"))
        return;
    for (u32 i = 0; generators[i]; i++) {
        check(generators[i], 3000000, 1);
        check(generators[i], GENERATOR_TRIANGLES_MAX, 0);
    }
}

static void digest(const struct generator *generator, u64 seed, char digits[HASH_TEXT_BYTES])
{
    struct scene scene;
    struct hash *hash = hash_create();
    make(generator, 100000, seed, &scene);
    const struct mesh *mesh = &scene.mesh;
    hash_add(hash, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    hash_add(hash, mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles);
    if (mesh->materials)
        hash_add(hash, mesh->materials, mesh->triangle_count * sizeof *mesh->materials);
    hash_finish(hash, digits);
    scene_free(&scene);
}

static void the_same_bits_everywhere(void **state)
{
    /* Of 100 thousand triangles with the seeds 0 and 1. */
    static const struct {
        const char *name, *digits[2];
    } golden[] = {
        { "arcade", { "98479d223674633c6f72121de72947b1", "5124461fcb3a5ff460b85d902fa5869c" } },
        { "city", { "7c0133d36670069ec822f79df4c0267e", "bc160921a0eec2c86c45289b5604dbba" } },
        { "cornell", { "51711e96d830f6076880ac54738487ee", "cc12dc74cc716289d19f6b4a09a69e21" } },
        { "forest", { "8a9a4171781b84c575ca04c06f104660", "e1c895eebefe079a87053f5df2648ecd" } },
        { "hairball", { "46da115ba1b70e152d191c48f0f32337", "cfbbd31170634dd33c8d84075ce41f52" } },
        { "spheres", { "a0bb62bc57885743a28e992759413820", "779ff6e19ad1ee997cb727456dc12403" } },
    };
    (void)state;
    for (u32 i = 0; generators[i]; i++) {
        assert_string_equal(generators[i]->name, golden[i].name);
        for (u32 seed = 0; seed < 2; seed++) {
            char digits[HASH_TEXT_BYTES];
            digest(generators[i], seed, digits);
            if (strcmp(digits, golden[i].digits[seed]))
                fail_msg("%s, seed %u: %s", generators[i]->name, seed, digits);
        }
    }
}

static void wrong_counts_are_refused(void **state)
{
    static const u64 counts[] = { 1, 999, 20000001, UINT64_MAX };
    (void)state;
    for (u32 i = 0; i < 4; i++) {
        struct scene_options options = { .triangles = counts[i] };
        struct scene scene = { 0 };
        struct ogv_error error = { 0 };
        char expected[128];
        assert_false(generator_run(generator_find("city"), &options, &scene, &error));
        snprintf(expected, sizeof expected,
                 "city: %llu triangles; a generated scene has 1000 to 20000000",
                 (unsigned long long)counts[i]);
        assert_string_equal(error.message, expected);
    }
}

static void sine_and_cosine_are_right(void **state)
{
    (void)state;
    for (int i = -1000; i <= 1000; i++) {
        double turns = i / 160.0;
        assert_true(fabs(exact_sin(turns) - sin(turns * 2 * M_PI)) < 1e-8);
        assert_true(fabs(exact_cos(turns) - cos(turns * 2 * M_PI)) < 1e-8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_as_asked_for_and_none_degenerate),
        cmocka_unit_test(the_same_bits_everywhere),
        cmocka_unit_test(wrong_counts_are_refused),
        cmocka_unit_test(sine_and_cosine_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
