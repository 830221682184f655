/* scene_file.c - see scene_file.h. Every map is first checked for keys that it cannot have, then
 * read key by key. */
#include "rt/scene_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "rt/import.h"

#define FILE_BYTES_MAX (1 * MiB)
#define LARGE          1e9

static const struct tree_words scene_words = { "a scene needs `mesh:` or `generator:`",
                                               "write it out" };

static const char *const scene_keys[] = { "about",     "mesh", "generator", "triangles",
                                          "seed",      "up",   "cameras",   "lights",
                                          "materials", "sky",  NULL };
static const char *const camera_keys[] = { "eye",   "target", "up", "fov_degrees",
                                           "focal", "film",   NULL };
static const char *const light_keys[] = { "sun", "point", "power", NULL };
static const char *const material_keys[] = { "colour", "emission", "surface", "index", NULL };
static const char *const sky_keys[] = { "horizon", "zenith", NULL };

/* ---- Values ---- */

static bool node_expect(const struct node *node, enum node_kind kind, const char *what,
                        struct ogv_error *error)
{
    if (node->kind == kind)
        return true;
    return place_error(error, node->place, "%s has to be %s, not %s", what, node_kind_name(kind),
                       node_kind_name(node->kind));
}

/* `keys` ends with NULL. */
static bool key_check(const struct node *value, const char *what, const char *const *keys,
                      struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    struct text known = { 0 };
    nearest_init(&nearest, value->key);
    for (u32 i = 0; keys[i]; i++) {
        if (!strcmp(keys[i], value->key)) {
            text_fini(&known);
            return true;
        }
        nearest_offer(&nearest, keys[i]);
        text_add(&known, "%s%s", i ? ", " : "", keys[i]);
    }
    place_error(error, value->born, "%s has no '%s'%s (it has %s)", what, value->key,
                nearest_hint(&nearest, hint, sizeof hint), text_get(&known));
    text_fini(&known);
    return false;
}

static bool map_check(const struct node *map, const char *what, const char *const *keys,
                      struct ogv_error *error)
{
    if (!node_expect(map, NODE_MAP, what, error))
        return false;
    for (u32 i = 0; i < map->count; i++)
        if (!key_check(map->items[i], what, keys, error))
            return false;
    return true;
}

static bool number_read(const struct node *node, const char *what, double low, double high,
                        double *out, struct ogv_error *error)
{
    char *end = NULL;
    if (!node_expect(node, NODE_TEXT, what, error))
        return false;
    double value = strtod(node->text, &end);
    if (!*node->text || *end || !isfinite(value))
        return place_error(error, node->place, "%s has to be a number, not '%s'", what, node->text);
    if (value < low || value > high)
        return place_error(error, node->place, "%s is %g; it can be %g to %g", what, value, low,
                           high);
    *out = value;
    return true;
}

static bool whole_read(const struct node *node, const char *what, u64 *out, struct ogv_error *error)
{
    char *end = NULL;
    if (!node_expect(node, NODE_TEXT, what, error))
        return false;
    errno = 0;
    *out = strtoull(node->text, &end, 10);
    if (node->text[0] < '0' || node->text[0] > '9' || *end || errno)
        return place_error(error, node->place, "%s has to be a whole number, not '%s'", what,
                           node->text);
    return true;
}

static bool vector_read(const struct node *node, const char *what, double low, double high,
                        float out[3], struct ogv_error *error)
{
    if (!node_expect(node, NODE_LIST, what, error))
        return false;
    if (node->count != 3)
        return place_error(error, node->place, "%s has %u numbers; it needs 3", what, node->count);
    for (u32 i = 0; i < 3; i++) {
        double value;
        if (!number_read(node->items[i], what, low, high, &value, error))
            return false;
        out[i] = (float)value;
    }
    return true;
}

/* A vector that a map may have or must have. */
static bool vector_get(const struct node *map, const char *key, bool needed, double low,
                       double high, float out[3], struct ogv_error *error)
{
    const struct node *node = node_get(map, key);
    if (node)
        return vector_read(node, key, low, high, out, error);
    return !needed || place_error(error, map->place, "'%s' is missing", key);
}

static bool is_zero(const float v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

/* ---- Cameras ---- */

static bool camera_read_lens(const struct node *map, struct camera *camera, struct ogv_error *error)
{
    const struct node *fov = node_get(map, "fov_degrees"), *focal = node_get(map, "focal"),
                      *film = node_get(map, "film");
    double angle = 45, length, height;
    if (fov && (focal || film))
        return place_error(error, fov->born, "give either fov_degrees or focal and film");
    if (!focal != !film)
        return place_error(error, map->place, "focal and film go together: give both");
    if (fov && !number_read(fov, "fov_degrees", 1, 175, &angle, error))
        return false;
    if (focal) {
        if (!number_read(focal, "focal", 1e-6, LARGE, &length, error) ||
            !number_read(film, "film", 1e-6, LARGE, &height, error))
            return false;
        angle = 2 * atan(height / (2 * length)) * 180 / M_PI;
        if (angle < 1 || angle > 175)
            return place_error(error, focal->place,
                               "focal and film make a view of %.3g degrees; it can be 1 to 175",
                               angle);
    }
    camera->fov_degrees = (float)angle;
    return true;
}

static bool camera_check(const struct node *map, const struct camera *camera,
                         struct ogv_error *error)
{
    const float *up = camera->up;
    double to[3], cross = 0;
    for (u32 i = 0; i < 3; i++)
        to[i] = (double)camera->target[i] - (double)camera->eye[i];
    if (to[0] == 0 && to[1] == 0 && to[2] == 0)
        return place_error(error, map->place, "eye and target are the same point");
    for (u32 i = 0; i < 3; i++) {
        u32 j = (i + 1) % 3;
        cross += fabs(to[i] * (double)up[j] - to[j] * (double)up[i]);
    }
    if (cross == 0)
        return place_error(error, map->place, "the camera looks along its own up direction");
    return true;
}

static bool camera_read(struct scene_file *file, const struct node *map, struct ogv_error *error)
{
    struct camera *camera = &file->cameras[file->camera_count];
    if (file->camera_count == SCENE_CAMERAS_MAX)
        return place_error(error, map->born, "more than %d cameras", SCENE_CAMERAS_MAX);
    if (strlen(map->key) >= sizeof camera->name)
        return place_error(error, map->born, "a camera's name has at most %zu letters",
                           sizeof camera->name - 1);
    if (!map_check(map, "a camera", camera_keys, error))
        return false;
    snprintf(camera->name, sizeof camera->name, "%s", map->key);
    memcpy(camera->up, file->up, sizeof camera->up);
    if (!vector_get(map, "eye", true, -LARGE, LARGE, camera->eye, error) ||
        !vector_get(map, "target", true, -LARGE, LARGE, camera->target, error) ||
        !vector_get(map, "up", false, -LARGE, LARGE, camera->up, error) ||
        !camera_read_lens(map, camera, error) || !camera_check(map, camera, error))
        return false;
    file->camera_count++;
    return true;
}

static bool cameras_read(struct scene_file *file, const struct node *cameras,
                         struct ogv_error *error)
{
    if (!node_expect(cameras, NODE_MAP, "`cameras`", error))
        return false;
    for (u32 i = 0; i < cameras->count; i++)
        if (!camera_read(file, cameras->items[i], error))
            return false;
    return true;
}

/* ---- Light ---- */

static bool light_read(struct scene_file *file, const struct node *map, struct ogv_error *error)
{
    struct light *light = &file->lights[file->light_count];
    if (file->light_count == SCENE_LIGHTS_MAX)
        return place_error(error, map->place, "more than %d lights", SCENE_LIGHTS_MAX);
    if (!map_check(map, "a light", light_keys, error))
        return false;
    const struct node *sun = node_get(map, "sun"), *point = node_get(map, "point");
    if (!sun == !point)
        return place_error(error, map->place,
                           "a light is either `sun: [direction]` or `point: [position]`");
    light->kind = sun ? LIGHT_SUN : LIGHT_POINT;
    if (!vector_get(map, sun ? "sun" : "point", true, -LARGE, LARGE, light->at, error) ||
        !vector_get(map, "power", true, 0, LARGE, light->power, error))
        return false;
    if (sun && is_zero(light->at))
        return place_error(error, sun->place, "the direction towards the sun is zero");
    file->light_count++;
    return true;
}

static bool lights_read(struct scene_file *file, const struct node *lights, struct ogv_error *error)
{
    if (!node_expect(lights, NODE_LIST, "`lights`", error))
        return false;
    for (u32 i = 0; i < lights->count; i++)
        if (!light_read(file, lights->items[i], error))
            return false;
    file->lit = true;
    return true;
}

static bool sky_read(struct scene_file *file, const struct node *sky, struct ogv_error *error)
{
    file->lit = true;
    return map_check(sky, "the sky", sky_keys, error) &&
           vector_get(sky, "horizon", true, 0, LARGE, file->sky.horizon, error) &&
           vector_get(sky, "zenith", true, 0, LARGE, file->sky.zenith, error);
}

/* ---- Materials ---- */

static bool surface_read(const struct node *node, enum surface *surface, struct ogv_error *error)
{
    static const char *const names[] = { "diffuse", "mirror", "glass" };
    struct nearest nearest;
    char hint[64];
    if (!node_expect(node, NODE_TEXT, "surface", error))
        return false;
    nearest_init(&nearest, node->text);
    for (u32 i = 0; i < 3; i++) {
        if (!strcmp(node->text, names[i])) {
            *surface = (enum surface)i;
            return true;
        }
        nearest_offer(&nearest, names[i]);
    }
    return place_error(error, node->place, "there is no surface '%s'%s (diffuse, mirror, glass)",
                       node->text, nearest_hint(&nearest, hint, sizeof hint));
}

static bool material_read(struct scene_file *file, const struct node *map, struct ogv_error *error)
{
    double index = 1.5;
    if (!map_check(map, "a material", material_keys, error))
        return false;
    file->materials =
        region_grow(&file->region, file->materials, file->material_count, sizeof *file->materials);
    struct material_change *change = &file->materials[file->material_count++];
    const struct node *surface = node_get(map, "surface"), *refraction = node_get(map, "index");
    *change = (struct material_change){ .name = map->key, .place = map->born };
    change->colour = node_get(map, "colour");
    change->emission = node_get(map, "emission");
    change->surface = surface;
    change->index = refraction;
    if (!vector_get(map, "colour", false, 0, 1, change->to.colour, error) ||
        !vector_get(map, "emission", false, 0, LARGE, change->to.emission, error) ||
        (surface && !surface_read(surface, &change->to.surface, error)) ||
        (refraction && !number_read(refraction, "index", 1, 4, &index, error)))
        return false;
    change->to.index = (float)index;
    return true;
}

static bool materials_read(struct scene_file *file, const struct node *materials,
                           struct ogv_error *error)
{
    if (!node_expect(materials, NODE_MAP, "`materials`", error))
        return false;
    for (u32 i = 0; i < materials->count; i++)
        if (!material_read(file, materials->items[i], error))
            return false;
    return true;
}

/* ---- Geometry ---- */

static bool generator_read(struct scene_file *file, const struct node *node,
                           struct ogv_error *error)
{
    struct nearest nearest;
    char hint[64];
    if (!node_expect(node, NODE_TEXT, "`generator`", error))
        return false;
    file->generator = generator_find(node->text);
    if (file->generator)
        return true;
    nearest_init(&nearest, node->text);
    for (u32 i = 0; generators[i]; i++)
        nearest_offer(&nearest, generators[i]->name);
    return place_error(error, node->place, "there is no generator '%s'%s", node->text,
                       nearest_hint(&nearest, hint, sizeof hint));
}

static bool mesh_read(struct scene_file *file, const struct node *node, struct ogv_error *error)
{
    if (!node_expect(node, NODE_TEXT, "`mesh`", error))
        return false;
    if (!*node->text)
        return place_error(error, node->place, "`mesh` needs the name of a file");
    const char *slash = strrchr(file->path, '/');
    int folder = slash && node->text[0] != '/' ? (int)(slash - file->path) + 1 : 0;
    file->mesh = region_format(&file->region, "%.*s%s", folder, file->path, node->text);
    return true;
}

static bool amounts_read(struct scene_file *file, const struct node *root, struct ogv_error *error)
{
    const struct node *triangles = node_get(root, "triangles"), *seed = node_get(root, "seed");
    const struct node *odd = triangles ? triangles : seed;
    if (file->mesh && odd)
        return place_error(error, odd->born, "'%s' belongs to a generator, not to a mesh",
                           odd->key);
    if (triangles && !whole_read(triangles, "triangles", &file->triangles, error))
        return false;
    if (triangles &&
        (file->triangles < GENERATOR_TRIANGLES_MIN || file->triangles > GENERATOR_TRIANGLES_MAX))
        return place_error(error, triangles->place, "triangles is %llu; it can be %d to %d",
                           (unsigned long long)file->triangles, GENERATOR_TRIANGLES_MIN,
                           GENERATOR_TRIANGLES_MAX);
    return !seed || whole_read(seed, "seed", &file->seed, error);
}

static bool geometry_read(struct scene_file *file, const struct node *root, struct ogv_error *error)
{
    const struct node *mesh = node_get(root, "mesh"), *generator = node_get(root, "generator");
    if (!mesh == !generator)
        return place_error(error, generator ? generator->born : root->place,
                           generator ? "a scene has either `mesh:` or `generator:`, not both"
                                     : "a scene needs `mesh:` or `generator:`");
    return (mesh ? mesh_read(file, mesh, error) : generator_read(file, generator, error)) &&
           amounts_read(file, root, error);
}

static bool up_read(struct scene_file *file, const struct node *up, struct ogv_error *error)
{
    if (!node_expect(up, NODE_TEXT, "`up`", error))
        return false;
    if (up->text[0] < 'x' || up->text[0] > 'z' || up->text[1])
        return place_error(error, up->place, "`up` is an axis: x, y or z, not '%s'", up->text);
    memset(file->up, 0, sizeof file->up);
    file->up[up->text[0] - 'x'] = 1;
    return true;
}

static bool about_read(struct scene_file *file, const struct node *about, struct ogv_error *error)
{
    if (!node_expect(about, NODE_TEXT, "`about`", error))
        return false;
    file->about = about->text;
    return true;
}

static bool root_read(struct scene_file *file, const struct node *root, struct ogv_error *error)
{
    typedef bool reader(struct scene_file *, const struct node *, struct ogv_error *);
    static const struct {
        const char *key;
        reader *read;
    } parts[] = { { "about", about_read },   { "up", up_read },   { "cameras", cameras_read },
                  { "lights", lights_read }, { "sky", sky_read }, { "materials", materials_read } };
    if (!map_check(root, "a scene", scene_keys, error) || !geometry_read(file, root, error))
        return false;
    for (u32 i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct node *node = node_get(root, parts[i].key);
        if (node && !parts[i].read(file, node, error))
            return false;
    }
    return true;
}

bool scene_file_parse(struct scene_file *file, const char *path, const char *text, size_t length,
                      struct ogv_error *error)
{
    *file = (struct scene_file){ .about = "", .up = { 0, 1, 0 } };
    file->path = region_copy(&file->region, path, strlen(path));
    struct node *root = tree_parse(&file->region, &scene_words, path, text, length, error);
    return root && root_read(file, root, error);
}

bool scene_file_read(struct scene_file *file, const char *path, struct ogv_error *error)
{
    size_t length;
    *file = (struct scene_file){ 0 };
    char *text = file_read(path, FILE_BYTES_MAX, &length, error);
    bool good = text && scene_file_parse(file, path, text, length, error);
    free(text);
    return good;
}

void scene_file_free(struct scene_file *file)
{
    region_fini(&file->region);
    *file = (struct scene_file){ 0 };
}

/* ---- Loading ---- */

static void material_change_apply(const struct material_change *change, struct material *material)
{
    if (change->colour)
        memcpy(material->colour, change->to.colour, sizeof material->colour);
    if (change->emission)
        memcpy(material->emission, change->to.emission, sizeof material->emission);
    if (change->surface)
        material->surface = change->to.surface;
    if (change->index)
        material->index = change->to.index;
}

static bool material_find(const struct material_change *change, struct scene *scene,
                          struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    bool found = false;
    nearest_init(&nearest, change->name);
    for (u32 i = 0; i < scene->material_count; i++) {
        nearest_offer(&nearest, scene->materials[i].name);
        if (strcmp(scene->materials[i].name, change->name))
            continue;
        material_change_apply(change, &scene->materials[i]);
        found = true;
    }
    const char *words = nearest_hint(&nearest, hint, sizeof hint);
    return found || place_error(error, change->place, "the mesh has no material '%s'%s",
                                change->name, words);
}

bool scene_file_load(const struct scene_file *file, const struct scene_options *options,
                     struct scene *scene, struct ogv_error *error)
{
    struct scene_options own = *options;
    own.triangles = own.triangles ? own.triangles : file->triangles;
    own.seed = own.seed ? own.seed : file->seed;
    if (file->mesh ? !import_load(file->mesh, &own, scene, error)
                   : !generator_run(file->generator, &own, scene, error))
        return false;
    for (u32 i = 0; i < file->material_count; i++)
        if (!material_find(&file->materials[i], scene, error))
            return false;
    memcpy(scene->up, file->up, sizeof scene->up);
    memcpy(scene->cameras, file->cameras, sizeof scene->cameras);
    scene->camera_count = file->camera_count;
    if (!scene->camera_count)
        scene_see_all(scene);
    memcpy(scene->lights, file->lights, sizeof scene->lights);
    scene->light_count = file->light_count;
    scene->sky = file->sky;
    if (!file->lit)
        scene_light_default(scene);
    return true;
}
