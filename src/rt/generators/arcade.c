/* arcade.c - a hall of two storeys around a nave that is open to the sky.
 *
 * Along the nave, on both sides: columns with arches, above them a gallery with smaller ones, a
 * cornice, and ribs that cross the nave. Behind the columns: aisles under groin vaults, with arched
 * openings to the outside. In it: statues, cloth that hangs in the arches and across the nave, a
 * basin of still water along the middle.
 *
 * Measures are metres; x goes across the nave, y up, z along it. With few triangles the hall is
 * shorter and has fewer ornaments. */
#include "rt/generators/exact.h"
#include "rt/generators/generators.h"
#include "rt/generators/patches.h"

enum { STONE, PALE, WARM, DARK, WATER, RED, GREEN, BLUE, GOLD, MARBLE, SAND, BASIN };

static const struct material materials[] = {
    { "stone", { 0.6f, 0.48f, 0.35f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "pale stone", { 0.7f, 0.6f, 0.46f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "warm stone", { 0.52f, 0.36f, 0.24f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "dark tile", { 0.36f, 0.26f, 0.19f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "water", { 0.5f, 0.56f, 0.57f }, { 0 }, SURFACE_MIRROR, 1.33f },
    { "red cloth", { 0.48f, 0.035f, 0.035f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "green cloth", { 0.06f, 0.2f, 0.15f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "blue cloth", { 0.06f, 0.12f, 0.3f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "gold cloth", { 0.56f, 0.32f, 0.07f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "marble", { 0.82f, 0.8f, 0.76f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "sand", { 0.55f, 0.43f, 0.28f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
    { "basin", { 0.6f, 0.58f, 0.52f }, { 0 }, SURFACE_DIFFUSE, 1.5f },
};

#define BAY      4.0  /* from column to column */
#define NAVE     3.2  /* from the middle to the columns */
#define OUTER    7.0  /* to the outer wall */
#define SPRING   3.7  /* where arches begin */
#define ARCH     1.62 /* their radius */
#define THICK    0.62 /* walls */
#define FLOOR_2  6.1  /* of the gallery */
#define SPRING_2 8.0
#define ARCH_2   0.78
#define TOP      9.6

struct hall {
    struct patches patches;
    u32 bays;
    bool gallery, ornaments; /* what only many triangles pay for */
    u64 state, seed;
};

static double hall_length(const struct hall *hall)
{
    return hall->bays * BAY;
}

static void hall_add(struct hall *hall, struct patch patch, double x, double y, double z)
{
    patch.at[0] = x;
    patch.at[1] = y;
    patch.at[2] = z;
    patches_add(&hall->patches, &patch);
}

static void hall_add_box(struct hall *hall, double x0, double y0, double z0, double x1, double y1,
                         double z1, u16 material)
{
    const double low[3] = { x0, y0, z0 }, high[3] = { x1, y1, z1 };
    patches_add_box(&hall->patches, low, high, material, 0.25);
}

/* ---- Columns ---- */

/* Radius and height as parts of the column's; base, shaft with a slight swelling, capital. */
static const double column_profile[][2] = {
    { 1.38, 0.05 },  { 1.42, 0.062 }, { 1.38, 0.075 }, { 1.2, 0.082 },  { 1.18, 0.092 },
    { 1.28, 0.1 },   { 1.26, 0.112 }, { 1.1, 0.118 },  { 1.02, 0.13 },  { 1.0, 0.2 },
    { 1.0, 0.35 },   { 0.985, 0.5 },  { 0.95, 0.65 },  { 0.9, 0.78 },   { 0.87, 0.845 },
    { 0.95, 0.852 }, { 0.98, 0.86 },  { 0.93, 0.868 }, { 0.92, 0.885 }, { 1.0, 0.905 },
    { 1.18, 0.925 }, { 1.3, 0.935 },  { 1.22, 0.942 }, { 1.42, 0.955 }, { 1.55, 0.962 },
};

#define PROFILE_POINTS (sizeof column_profile / sizeof *column_profile)

/* p[0]: radius, p[1]: height, p[2]: flutes. */
static void shape_column(const struct patch *patch, double u, double v, double out[3])
{
    struct patch unit = *patch;
    unit.p[0] = 0;
    shape_revolved(&unit, u, v, out);
    double height = out[1], flute = 1;
    if (patch->p[2] > 0 && height > 0.13 && height < 0.845)
        flute = 1 - 0.055 * fabs(exact_sin(patch->p[2] * u / 2));
    out[0] *= patch->p[0] * flute;
    out[1] *= patch->p[1];
    out[2] *= patch->p[0] * flute;
}

static void hall_add_column(struct hall *hall, double x, double y, double z, double radius,
                            double height, u16 material)
{
    bool large = height > 2.5;
    struct patch shaft = { .shape = shape_column,
                           .p = { radius, height, hall->ornaments && large ? 20 : 0 },
                           .profile = column_profile,
                           .profile_count = PROFILE_POINTS,
                           .width = 6.3 * radius * 3.4,
                           .height = height * 1.6,
                           .least_u = 5,
                           .least_v = hall->ornaments ? 24 : 4,
                           .closed = true,
                           .material = material };
    if (hall->ornaments)
        shaft.multiple_v = PROFILE_POINTS - 1;
    if (hall->ornaments && large)
        shaft.multiple_u = 40;
    hall_add(hall, shaft, x, y, z);
    double base = 1.55 * radius, top = 1.62 * radius;
    hall_add_box(hall, x - base, y, z - base, x + base, y + 0.052 * height, z + base, material);
    hall_add_box(hall, x - top, y + 0.96 * height, z - top, x + top, y + height, z + top, material);
}

/* ---- Walls with arches ---- */

/* The wall above an arch: p[0] radius, p[1] springing, p[2] top, p[3]: x of this face. The arch
 * goes along z. */
static void shape_spandrel(const struct patch *patch, double u, double v, double out[3])
{
    const double *p = patch->p;
    double low = p[1] + p[0] * exact_sin(u / 2);
    out[0] = p[3];
    out[1] = low + (p[2] - low) * v;
    out[2] = -p[0] * exact_cos(u / 2);
}

/* Its inner side: p[0] radius, p[1] springing, p[2]: half the thickness. */
static void shape_soffit(const struct patch *patch, double u, double v, double out[3])
{
    const double *p = patch->p;
    out[0] = (2 * v - 1) * p[2];
    out[1] = p[1] + p[0] * exact_sin(u / 2);
    out[2] = -p[0] * exact_cos(u / 2);
}

/* A moulding along the arch: p[0] radius of the arch, p[1] springing, p[2]: x, p[3]: its own
 * radius. */
static void shape_moulding(const struct patch *patch, double u, double v, double out[3])
{
    const double *p = patch->p;
    double radius = p[0] + p[3] * exact_cos(u);
    out[0] = p[2] + p[3] * exact_sin(u);
    out[1] = p[1] + radius * exact_sin(v / 2);
    out[2] = -radius * exact_cos(v / 2);
}

struct arch {
    double radius, spring, top, half_bay, thick;
    u16 material, inside;
};

static void patch_turn(struct patch *patch, bool across)
{
    if (!across)
        return;
    patch->turn_cos = 0;
    patch->turn_sin = 1;
}

/* One bay of a wall with an arch, about its middle; `across`: the wall goes along x. */
static void hall_add_arch(struct hall *hall, const struct arch *arch, double x, double z,
                          bool across)
{
    double half = arch->thick / 2, along = 3.14 * arch->radius;
    for (u32 side = 0; side < 2; side++) {
        double face = side ? half : -half;
        struct patch spandrel = { .shape = shape_spandrel,
                                  .p = { arch->radius, arch->spring, arch->top, face },
                                  .width = along * 1.6,
                                  .height = 0.6,
                                  .least_u = 6,
                                  .material = arch->material };
        struct patch moulding = { .shape = shape_moulding,
                                  .p = { arch->radius + 0.06, arch->spring, face,
                                         0.07 * (arch->radius > 1 ? 1 : 0.6) },
                                  .width = 1.4,
                                  .height = along * 2,
                                  .least_u = 5,
                                  .least_v = 12,
                                  .closed = true,
                                  .material = arch->inside };
        patch_turn(&spandrel, across);
        patch_turn(&moulding, across);
        hall_add(hall, spandrel, x, 0, z);
        if (hall->ornaments)
            hall_add(hall, moulding, x, 0, z);
    }
    struct patch soffit = { .shape = shape_soffit,
                            .p = { arch->radius, arch->spring, half },
                            .width = along * 1.6,
                            .height = arch->thick,
                            .least_u = 6,
                            .material = arch->inside };
    patch_turn(&soffit, across);
    hall_add(hall, soffit, x, 0, z);
}

/* The piece of wall between two arches, above a column: z is its middle. */
static void hall_add_pier(struct hall *hall, const struct arch *arch, double x, double bottom,
                          double z, double half)
{
    hall_add_box(hall, x - arch->thick / 2, bottom, z - half, x + arch->thick / 2, arch->top,
                 z + half, arch->material);
}

/* ---- Vaults ---- */

/* A groin vault: p[0], p[1] half its edges along x and z, p[2] springing, p[3] rise. */
static void shape_vault(const struct patch *patch, double u, double v, double out[3])
{
    const double *p = patch->p;
    out[0] = -p[0] * exact_cos(u / 2);
    out[1] = p[2] + p[3] * fmax(exact_sin(u / 2), exact_sin(v / 2));
    out[2] = -p[1] * exact_cos(v / 2);
}

static void hall_add_vault(struct hall *hall, double x, double z, double half_x, u16 material)
{
    struct patch vault = { .shape = shape_vault,
                           .p = { half_x, BAY / 2, SPRING, ARCH },
                           .width = 6,
                           .height = 6,
                           .least_u = 4,
                           .least_v = 4,
                           .material = material };
    hall_add(hall, vault, x, 0.02, z);
}

/* ---- Ribs across the nave ---- */

/* p[0]: radius, p[1]: which of four sides, p[2], p[3]: half width, height of the section. */
static void shape_rib(const struct patch *patch, double u, double v, double out[3])
{
    const double *p = patch->p;
    u32 side = (u32)p[1];
    double across = side == 0 || side == 2 ? (2 * v - 1) * p[2] : side == 1 ? p[2] : -p[2];
    double radius = p[0] + (side == 0 ? 0 : side == 2 ? p[3] : v * p[3]);
    out[0] = -radius * exact_cos(u / 2);
    out[1] = TOP + 0.62 * radius * exact_sin(u / 2);
    out[2] = across;
}

static void hall_add_rib(struct hall *hall, double z)
{
    for (u32 side = 0; side < 4; side++) {
        struct patch rib = { .shape = shape_rib,
                             .p = { NAVE - 0.2, side, 0.22, 0.42 },
                             .width = 14,
                             .height = 0.5,
                             .least_u = 8,
                             .material = PALE };
        hall_add(hall, rib, 0, 0, z);
    }
}

/* ---- Cornices ---- */

/* Runs along z: p[0] length, p[1]: the side it looks to (-1 or 1); the profile is pairs of how far
 * it stands out and height. */
static void shape_cornice(const struct patch *patch, double u, double v, double out[3])
{
    double place = v * (patch->profile_count - 1);
    u32 i = (u32)place;
    i = i > patch->profile_count - 2 ? patch->profile_count - 2 : i;
    double rest = place - i;
    const double *a = patch->profile[i], *b = patch->profile[i + 1];
    out[0] = patch->p[1] * (a[0] * (1 - rest) + b[0] * rest);
    out[1] = a[1] * (1 - rest) + b[1] * rest;
    out[2] = u * patch->p[0];
}

static const double cornice_profile[][2] = {
    { 0, 0 },      { 0.06, 0.02 }, { 0.08, 0.08 }, { 0.05, 0.1 }, { 0.1, 0.13 },
    { 0.22, 0.2 }, { 0.24, 0.28 }, { 0.3, 0.3 },   { 0.3, 0.38 }, { 0, 0.4 },
};

static void hall_add_cornice(struct hall *hall, double x, double y, double side)
{
    struct patch cornice = { .shape = shape_cornice,
                             .p = { hall_length(hall), side },
                             .profile = cornice_profile,
                             .profile_count = sizeof cornice_profile / sizeof *cornice_profile,
                             .width = hall_length(hall) * 0.2,
                             .height = 3,
                             .multiple_v = 9,
                             .least_v = hall->ornaments ? 9 : 1,
                             .material = PALE };
    hall_add(hall, cornice, x, y, 0);
}

/* ---- Cloth ---- */

/* Hangs from a rod along z: p[0] half its width, p[1] length, p[2] folds, p[3] phase, p[4] how far
 * the lower edge is drawn up in the middle. */
static void shape_curtain(const struct patch *patch, double u, double v, double out[3])
{
    const double *p = patch->p;
    double s = 2 * u - 1, depth = 0.03 + 0.11 * v;
    double fold = exact_sin(p[2] * u + p[3]) + 0.4 * exact_sin(2.3 * p[2] * u - p[3] + 0.2 * v);
    double gather = 1 - 0.16 * v * (1 - 0.5 * v);
    out[0] = depth * fold + 0.05 * exact_sin(0.6 * v + p[3]);
    out[1] = -p[1] * v * (1 - p[4] * (1 - s * s)) - 0.06 * (1 - s * s) * (1 - v);
    out[2] = s * p[0] * gather;
}

/* Hangs across the nave: p[0] half its span, p[1] sag, p[2] half its width, p[3] phase. */
static void shape_canopy(const struct patch *patch, double u, double v, double out[3])
{
    const double *p = patch->p;
    double s = 2 * u - 1, t = 2 * v - 1, sag = 1 - s * s;
    double wave = exact_sin(1.5 * u + 0.7 * v + p[3]);
    out[0] = s * p[0];
    out[1] = -p[1] * sag * (1 - 0.12 * t * t) + 0.1 * sag * wave;
    out[2] = t * p[2] * (1 - 0.22 * sag);
}

static void hall_add_curtain(struct hall *hall, double x, double z, double length, u16 material)
{
    struct patch curtain = { .shape = shape_curtain,
                             .p = { 1.25, length, 5 + 2 * random_real(&hall->state),
                                    random_real(&hall->state), 0.3 },
                             .width = 2.5 * 5,
                             .height = length * 2.2,
                             .least_u = 8,
                             .least_v = 2,
                             .material = material };
    hall_add(hall, curtain, x, SPRING + 0.55, z);
}

static void hall_add_banner(struct hall *hall, double x, double z, u16 material)
{
    struct patch banner = { .shape = shape_curtain,
                            .p = { 0.52, 2.5, 2.2, random_real(&hall->state), -0.16 },
                            .width = 5,
                            .height = 5.5,
                            .least_u = 6,
                            .least_v = 2,
                            .material = material };
    hall_add(hall, banner, x, FLOOR_2 + 0.25, z);
}

static void hall_add_canopy(struct hall *hall, double z, u16 material)
{
    struct patch canopy = { .shape = shape_canopy,
                            .p = { NAVE - 0.3, 1.25, 1.15, random_real(&hall->state) },
                            .width = 12,
                            .height = 5,
                            .least_u = 8,
                            .least_v = 2,
                            .material = material };
    hall_add(hall, canopy, 0, TOP - 0.2, z);
}

/* ---- Statues ---- */

static const double robe_profile[][2] = {
    { 0.36, 0 },   { 0.35, 0.1 },  { 0.31, 0.35 }, { 0.27, 0.7 },  { 0.235, 0.95 }, { 0.22, 1.05 },
    { 0.25, 1.2 }, { 0.27, 1.35 }, { 0.25, 1.46 }, { 0.12, 1.55 }, { 0.075, 1.6 },  { 0.07, 1.68 },
};

/* p[0]: phase of the folds. */
static void shape_robe(const struct patch *patch, double u, double v, double out[3])
{
    struct patch plain = *patch;
    plain.p[0] = 0;
    shape_revolved(&plain, u, v, out);
    double height = out[1], low = height < 1.1 ? 1 - height / 1.2 : 0.08;
    double fold = exact_sin(11 * u + patch->p[0] + 0.25 * height) +
                  0.5 * exact_sin(17 * u - 0.6 * height + 2 * patch->p[0]);
    double swell = 1 + 0.12 * low * fold;
    out[0] *= swell;
    out[2] *= swell * 0.78;
}

static void statue_part(struct hall *hall, double x, double y, double z, double a, double b,
                        double c)
{
    const double at[3] = { x, y, z }, axes[3] = { a, b, c };
    patches_add_ellipsoid(&hall->patches, at, axes, MARBLE, 5);
}

static void hall_add_statue(struct hall *hall, double x, double z)
{
    double y = 1.0, lean = random_between(&hall->state, -0.05, 0.05);
    double side = x < 0 ? 1 : -1;
    struct patch robe = { .shape = shape_robe,
                          .p = { random_real(&hall->state) },
                          .profile = robe_profile,
                          .profile_count = sizeof robe_profile / sizeof *robe_profile,
                          .width = 12,
                          .height = 8,
                          .least_u = 8,
                          .least_v = 6,
                          .closed = true,
                          .material = MARBLE };
    hall_add_box(hall, x - 0.46, 0, z - 0.46, x + 0.46, 0.14, z + 0.46, PALE);
    hall_add_box(hall, x - 0.38, 0.14, z - 0.38, x + 0.38, 0.86, z + 0.38, WARM);
    hall_add_box(hall, x - 0.45, 0.86, z - 0.45, x + 0.45, 1.0, z + 0.45, PALE);
    hall_add(hall, robe, x, y, z);
    statue_part(hall, x + lean, y + 1.8, z, 0.115, 0.155, 0.13);
    statue_part(hall, x + lean - 0.02 * side, y + 1.86, z, 0.128, 0.12, 0.142);
    statue_part(hall, x, y + 1.44, z - 0.25, 0.11, 0.12, 0.1);
    statue_part(hall, x, y + 1.44, z + 0.25, 0.11, 0.12, 0.1);
    statue_part(hall, x + 0.02 * side, y + 1.24, z - 0.31, 0.075, 0.23, 0.075);
    statue_part(hall, x + 0.06 * side, y + 1.26, z + 0.3, 0.075, 0.22, 0.075);
    statue_part(hall, x + 0.2 * side, y + 1.08, z - 0.22, 0.2, 0.065, 0.075);
    statue_part(hall, x + 0.21 * side, y + 1.12, z + 0.18, 0.19, 0.065, 0.08);
}

/* ---- All together ---- */

static void hall_add_floor(struct hall *hall)
{
    double length = hall_length(hall), far = 60;
    u32 tiles = hall->ornaments ? 4 * hall->bays : 0;
    for (u32 side = 0; side < 2; side++) {
        const double at[3] = { side ? 0.9 : -OUTER - 0.4, 0, 0 };
        struct patch floor = patch_flat(at, 0, OUTER - 0.5, 2, length, STONE, 0.5);
        floor.other = hall->ornaments ? DARK : 0;
        floor.multiple_u = tiles ? 6 : 0;
        floor.multiple_v = tiles;
        patches_add(&hall->patches, &floor);
    }
    const double ground[3] = { -far, -0.03, -far / 2 };
    struct patch sand = patch_flat(ground, 0, 2 * far, 2, 3 * far, SAND, 0.01);
    patches_add(&hall->patches, &sand);
}

static void hall_add_basin(struct hall *hall)
{
    double end = hall_length(hall) - BAY;
    const double at[3] = { -0.72, 0.2, 1 };
    struct patch water = patch_flat(at, 0, 1.44, 2, end - 1, WATER, 0.1);
    patches_add(&hall->patches, &water);
    hall_add_box(hall, -0.95, 0, 1 - 0.23, -0.72, 0.3, end + 0.23, BASIN);
    hall_add_box(hall, 0.72, 0, 1 - 0.23, 0.95, 0.3, end + 0.23, BASIN);
    hall_add_box(hall, -0.72, 0, 1 - 0.23, 0.72, 0.3, 1, BASIN);
    hall_add_box(hall, -0.72, 0, end, 0.72, 0.3, end + 0.23, BASIN);
}

static const struct arch lower = { ARCH, SPRING, FLOOR_2, BAY / 2, THICK, STONE, PALE };
static const struct arch upper = { ARCH_2, SPRING_2, TOP, BAY / 4, 0.5, STONE, PALE };

static void hall_add_gallery_bay(struct hall *hall, double x, double z)
{
    for (u32 i = 0; i < 2; i++) {
        double middle = z + (i ? 0.25 : -0.25) * BAY;
        hall_add_arch(hall, &upper, x, middle, false);
        hall_add_pier(hall, &upper, x, SPRING_2, middle - BAY / 4, BAY / 4 - ARCH_2);
        hall_add_column(hall, x, FLOOR_2 + 0.4, middle - BAY / 4, 0.13, SPRING_2 - FLOOR_2 - 0.4,
                        PALE);
    }
}

static void hall_add_side_bay(struct hall *hall, u32 bay, double side)
{
    double z = (bay + 0.5) * BAY, x = side * NAVE;
    hall_add_arch(hall, &lower, x, z, false);
    hall_add_arch(hall, &lower, side * OUTER, z, false);
    hall_add_vault(hall, side * (NAVE + OUTER) / 2, z, (OUTER - NAVE) / 2, WARM);
    if (hall->gallery)
        hall_add_gallery_bay(hall, x, z);
}

static void hall_add_columns(struct hall *hall, u32 row, double side)
{
    double z = row * BAY, half = BAY / 2 - ARCH, outer = side * OUTER;
    hall_add_column(hall, side * NAVE, 0, z, 0.3, SPRING, PALE);
    hall_add_pier(hall, &lower, side * NAVE, SPRING, z, half);
    hall_add_box(hall, outer - THICK / 2, 0, z - half, outer + THICK / 2, FLOOR_2, z + half, STONE);
}

/* The galleries' floor, which the aisles' vaults carry, and the wall behind. It stands out a
 * little: no two surfaces lie in one another. */
static void hall_add_upper(struct hall *hall)
{
    double length = hall_length(hall);
    for (u32 i = 0; i < 2; i++) {
        double side = i ? 1 : -1, inner = side * (NAVE - THICK / 2 - 0.02),
               outer = side * (OUTER + THICK / 2 + 0.02);
        double low = inner < outer ? inner : outer, high = inner < outer ? outer : inner;
        hall_add_box(hall, low, FLOOR_2 - 0.01, -0.4, high, FLOOR_2 + 0.4, length + 0.4, STONE);
        hall_add_cornice(hall, inner, FLOOR_2, -side);
        if (!hall->gallery)
            continue;
        hall_add_box(hall, outer - 0.3, FLOOR_2, -0.4, outer + 0.3, TOP, length + 0.4, WARM);
        hall_add_box(hall, low, TOP, -0.4, high, TOP + 0.25, length + 0.4, STONE);
        hall_add_cornice(hall, side * (NAVE - 0.25), TOP - 0.2, -side);
    }
}

/* The far end: a wall with one large arch, through which the sky is seen. */
static void hall_add_end(struct hall *hall)
{
    static const struct arch gate = { 1.9, 4.4, TOP, NAVE, 0.8, STONE, PALE };
    double z = hall_length(hall) + 0.4, top = hall->gallery ? TOP : FLOOR_2 + 0.4;
    struct arch own = gate;
    own.top = hall->gallery ? TOP : 6.4;
    hall_add_arch(hall, &own, 0, z, true);
    hall_add_box(hall, -OUTER, 0, z - 0.4, -1.9, top, z + 0.4, STONE);
    hall_add_box(hall, 1.9, 0, z - 0.4, OUTER, top, z + 0.4, STONE);
}

static void hall_add_furnishing(struct hall *hall)
{
    static const u16 cloth[] = { RED, BLUE, GOLD, GREEN };
    for (u32 bay = 0; bay < hall->bays; bay++)
        for (u32 i = 0; i < 2; i++) {
            double side = i ? 1 : -1, z = (bay + 0.5) * BAY;
            u16 colour = cloth[(bay + 2 * i + 1) % 4];
            if ((bay + i) % 2)
                hall_add_curtain(hall, side * (NAVE + 0.05), z, 1.9, colour);
            else
                hall_add_statue(hall, side * (NAVE - 0.15), z);
            if (hall->gallery && bay + 1 < hall->bays)
                hall_add_banner(hall, side * (NAVE - THICK / 2 - 0.3), z + BAY / 2,
                                (bay + i) % 2 ? RED : GOLD);
        }
    for (u32 bay = 2; hall->gallery && bay + 1 < hall->bays; bay += 2)
        hall_add_canopy(hall, (bay + 0.5) * BAY, cloth[(bay / 2) % 4]);
}

static u32 hall_bays(u64 triangles)
{
    return triangles < 2000 ? 1 : triangles < 4000 ? 2 : triangles < 30000 ? 5 : 8;
}

static void arcade_make(struct making *making)
{
    struct hall hall = { .bays = hall_bays(making->triangles),
                         .gallery = making->triangles >= 12000,
                         .ornaments = making->triangles >= 80000,
                         .state = making->seed + 0xa7cade,
                         .seed = making->seed };
    hall_add_floor(&hall);
    for (u32 i = 0; i < 2; i++) {
        double side = i ? 1 : -1;
        for (u32 row = 0; row <= hall.bays; row++)
            hall_add_columns(&hall, row, side);
        for (u32 bay = 0; bay < hall.bays; bay++)
            hall_add_side_bay(&hall, bay, side);
    }
    hall_add_upper(&hall);
    hall_add_end(&hall);
    hall_add_basin(&hall);
    if (making->triangles >= 4000)
        hall_add_furnishing(&hall);
    for (u32 row = 1; hall.gallery && row < hall.bays; row++)
        hall_add_rib(&hall, row * BAY);
    patches_build(&hall.patches, making->triangles, &making->growth);
}

GENERATOR_TYPE(arcade, "a hall of columns, arches, vaults, statues and cloth, open to the sky",
               600000, materials, arcade_make)
