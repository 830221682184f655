/* ogive.h - the public interface of libogive: describe a chip, give it work, run it, read what it
 * did.
 *
 *     struct ogv_error error;
 *     struct ogv_workload work = { .scene = "cornell", .width = 32, .height = 32 };
 *     ogv_arch *arch = ogv_arch_load("rtx2080", &error);
 *     ogv_arch_set(arch, "sm.count", "4", &error);
 *     ogv_system *system = ogv_system_create(arch, &error);
 *     ogv_system_load(system, &work, &error);
 *     ogv_system_run(system, OGV_FOREVER, &error);
 *     double hits;
 *     ogv_system_stat(system, "sm[*].l1.hits", &hits, &error);
 *     ogv_system_save_image(system, "image.png", &error);
 *     ogv_system_destroy(system);
 *     ogv_arch_destroy(arch);
 *
 * Calls that can fail return NULL or false and fill in the error, which may be NULL. The library
 * never prints and never exits. What a call returns as `char *` the caller frees with free(). One
 * system may be used by one thread at a time; several systems may be used by several threads.
 * docs/library.md explains how programs are built with it. */
#ifndef OGIVE_OGIVE_H
#define OGIVE_OGIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OGV_VERSION "0.1.0"
#define OGV_FOREVER UINT64_MAX

/* ---- Errors ---- */
enum ogv_error_kind {
    OGV_ERROR_NONE,
    OGV_ERROR_USER,   /* the input is wrong; the message says where, and what would be right */
    OGV_ERROR_SYSTEM, /* no memory, no disk, no permission */
    OGV_ERROR_HANG,   /* the simulated chip hangs: a deadlock, or no progress */
};

struct ogv_error {
    enum ogv_error_kind kind;
    char message[4096];
};

/* ---- Libraries ----
 *
 * `unit_path:` of an architecture names shared objects with unit types and instructions. Loading
 * one runs native code, so each has to be allowed first, or a folder that it lies in; what is not
 * is an error of whatever call needs it. Holds for the whole process. */
bool ogv_library_allow(const char *file_or_folder, struct ogv_error *error);

/* ---- Architectures ----
 *
 * An ogv_arch is a description: domains, units, parameters, links. It comes from a file or from
 * calls; both can be mixed. Nothing is checked against the unit types before ogv_system_create or
 * ogv_arch_check. */
typedef struct ogv_arch ogv_arch;

/* Called for each thing of a list, with its name and the file that it is in. */
typedef void ogv_list_visit(void *context, const char *name, const char *file);

/* The shipped architectures. */
void ogv_arch_list(ogv_list_visit *visit, void *context);

/* A path to a file, or the name of a shipped architecture ("tiny"). */
ogv_arch *ogv_arch_load(const char *file_or_name, struct ogv_error *error);
ogv_arch *ogv_arch_create(const char *name, struct ogv_error *error);
ogv_arch *ogv_arch_copy(const ogv_arch *arch);
void ogv_arch_destroy(ogv_arch *arch);

/* Values are written as in an architecture file: "64 KiB", "1515 MHz", "8". */
bool ogv_arch_add_domain(ogv_arch *arch, const char *domain, uint32_t count,
                         struct ogv_error *error);
bool ogv_arch_add_unit(ogv_arch *arch, const char *domain, const char *unit, const char *type,
                       uint32_t count, struct ogv_error *error);

/* Joins two units by pattern: ("sm.l1", "partition.l2", "{ by: address, interleave: 4 KiB, latency:
 * 40 cycles }"). `options` may be NULL. */
bool ogv_arch_add_link(ogv_arch *arch, const char *from, const char *to, const char *options,
                       struct ogv_error *error);

/* Sets a parameter, a count or a clock: ("sm.l1.size", "128 KiB"), ("sm.count", "4"), ("clock", "1
 * GHz"). */
bool ogv_arch_set(ogv_arch *arch, const char *path, const char *value, struct ogv_error *error);

bool ogv_arch_check(const ogv_arch *arch, struct ogv_error *error);

/* A parameter as it would be built, after defaults and settings, written as in an architecture
 * file: "sm.l1.size" is "64 KiB". Also "sm.count", "sm.core.count", and "clock" of the chip, a
 * domain or a unit. NULL if there is none of that path, or the description has a mistake. */
char *ogv_arch_parameter(const ogv_arch *arch, const char *path, struct ogv_error *error);

struct ogv_parameter {
    const char *path, *value;
    const char *help; /* one line */
};

/* Calls `visit` for each of them, in the order of the file. What it is given lasts for the call. */
typedef void ogv_parameter_visit(void *context, const struct ogv_parameter *parameter);
bool ogv_arch_parameters(const ogv_arch *arch, ogv_parameter_visit *visit, void *context,
                         struct ogv_error *error);

/* The whole description after defaults, as text that ogv_arch_load accepts. */
char *ogv_arch_export(const ogv_arch *arch, struct ogv_error *error);

/* ---- Systems ---- */
typedef struct ogv_system ogv_system;

/* How much memory of this machine the state of one system may take, in bytes: what would need more
 * is refused before it is built. 0, as at the start: what the machine has available. Simulated
 * memory does not count: it takes room where something is written. Holds for the whole process. */
void ogv_memory_allow(uint64_t bytes);

/* The description is copied; it may be destroyed afterwards. */
ogv_system *ogv_system_create(const ogv_arch *arch, struct ogv_error *error);
void ogv_system_destroy(ogv_system *system);

/* Host threads; 0 for as many as the machine has. Never changes a result. */
void ogv_system_set_threads(ogv_system *system, uint32_t threads);

/* As ogv_arch_parameter, of what was built. */
char *ogv_system_parameter(const ogv_system *system, const char *path, struct ogv_error *error);

/* ---- Workloads ----
 *
 * What `ogive run` takes as options. A chip whose units make their own work needs none. */

/* From where a picture is seen. */
struct ogv_view {
    float eye[3], target[3];
    float up[3];       /* all zero: 0, 1, 0 */
    float fov_degrees; /* vertical; 0: 60 */
};

/* A point of it is origin + t * direction with t_min <= t <= t_max. One with t_max < t_min is
 * empty: nobody traces it, and it hits nothing. */
struct ogv_ray {
    float origin[3], t_min;
    float direction[3], t_max;
};

#define OGV_NO_BOUNCES UINT32_MAX

/* All zero is the default of everything. What is pointed to need not live on after the call. */
struct ogv_workload {
    /* A shipped program ("mandelbrot"), a C or C++ source, or an ELF file. NULL: what traces or
     * draws the scene. */
    const char *program;
    const char *const *arguments; /* without the program's own name */
    uint32_t argument_count;

    /* A shipped scene ("cornell"), a scene file, or a mesh. NULL: `arcade`, if the chip has units
     * that trace rays or anything else here asks for a scene; otherwise none. */
    const char *scene;
    uint64_t triangles;          /* of a scene that is generated; 0: as many as it has usually */
    const char *camera;          /* one of the scene's; NULL: its first */
    const struct ogv_view *view; /* instead of the scene's cameras; NULL: no */

    /* Rays that are made beforehand, one per pixel, and whose hits ogv_system_judge compares:
     * "primary", "secondary", "tertiary", "shadow" or "occlusion". NULL: the program makes its
     * own. */
    const char *rays;
    uint32_t width, height; /* of the picture, in pixels; 0: 256 */
    uint32_t samples;       /* paths per pixel; 0: 1 */
    uint32_t bounces;       /* of a path at most; 0: 4; OGV_NO_BOUNCES: none */
    uint64_t seed;          /* of all random numbers; 0: 1 */

    const char *builder;            /* of the tree: "sah", "spatial", ...; NULL: as the chip says */
    const char *nodes, *primitives; /* formats of the tree; NULL: as the chip says */
    bool software;                  /* cores walk the tree, even if there are units for it */
    bool heatmap;                   /* programs keep what pixels cost; it takes a store per pixel */

    /* Rays of your own instead of `rays`, traced in this order: as many as the picture has pixels,
     * row after row; with no width and no height, all of them are one row. */
    const struct ogv_ray *own_rays;
    uint64_t own_ray_count;
};

/* The shipped programs and scenes. */
void ogv_program_list(ogv_list_visit *visit, void *context);
void ogv_scene_list(ogv_list_visit *visit, void *context);

/* Compiles the program if need be, puts it and the scene into the chip's memory, and starts its
 * threads. Once, before the first cycle; a system whose load has failed can only be destroyed. What
 * the compiler says is in the error. */
bool ogv_system_load(ogv_system *system, const struct ogv_workload *workload,
                     struct ogv_error *error);

/* ---- Running ---- */

enum ogv_end {
    OGV_END_FAILED = -1, /* a hang, or the program has failed: see the error */
    OGV_END_FINISHED,    /* all work is done */
    OGV_END_REACHED,     /* the cycle asked for has come */
};

/* Runs until the work is done or the chip's clock shows `until`. */
enum ogv_end ogv_system_run(ogv_system *system, uint64_t until, struct ogv_error *error);

/* Runs `cycles` more. */
enum ogv_end ogv_system_step(ogv_system *system, uint64_t cycles, struct ogv_error *error);

/* Cycles simulated so far. */
uint64_t ogv_system_cycle(const ogv_system *system);

/* ---- What the program did ---- */

/* What it has printed so far, core after core; empty if there is no program. `length` (may be NULL)
 * counts the characters, of which some may be zero. */
char *ogv_system_console(ogv_system *system, size_t *length);

/* False while it has not ended, or has failed. Otherwise the first code that is not zero, by core.
 */
bool ogv_system_exit_code(ogv_system *system, uint64_t *code);

/* What it failed of: the cycle, the instruction, the line of its source, the registers. NULL if it
 * has not. */
char *ogv_system_fault(ogv_system *system);

/* Bytes of memory as the chip's programs see it, with what caches hold. Takes no simulated time. */
bool ogv_system_read(ogv_system *system, uint64_t address, void *bytes, uint64_t length,
                     struct ogv_error *error);
bool ogv_system_write(ogv_system *system, uint64_t address, const void *bytes, uint64_t length,
                      struct ogv_error *error);

/* The picture as it is now: what the program has drawn, or of rays that were made beforehand, what
 * they have hit. */
struct ogv_image {
    uint8_t *pixels; /* red, green, blue, alpha, row after row from the top; free() them */
    uint32_t width, height;
};

/* Without a picture, `pixels` is NULL, and it is no failure. */
bool ogv_system_image(ogv_system *system, struct ogv_image *image, struct ogv_error *error);

/* As PNG; without a picture it is a failure. The heat map is what pixels cost, if the workload has
 * asked for it. */
bool ogv_system_save_image(ogv_system *system, const char *file, struct ogv_error *error);
bool ogv_system_save_heatmap(ogv_system *system, const char *file, struct ogv_error *error);

/* How the hits that the chip has written compare with Embree's, by ray. */
struct ogv_judgement {
    uint64_t rays;   /* in all */
    uint64_t equal;  /* the same triangle, or none as well */
    uint64_t ties;   /* another triangle at the same place, up to rounding */
    uint64_t edges;  /* only one of the two passes a triangle's edge, by less than rounding */
    uint64_t wrong;  /* anything else, such as not being traced yet */
    char first[160]; /* the first wrong one, in words */
};

/* For workloads with `rays` or `own_rays`. */
bool ogv_system_judge(ogv_system *system, struct ogv_judgement *judgement, struct ogv_error *error);

#define OGV_NO_TRIANGLE UINT32_MAX

/* Where a ray ends: at the closest triangle, or without one at its t_max. */
struct ogv_hit {
    float t, u, v;     /* distance; barycentric coordinates of the second and third vertex */
    uint32_t triangle; /* its number in the mesh, or OGV_NO_TRIANGLE */
};

struct ogv_hits {
    struct ogv_hit *hits; /* by pixel, row after row; so in the order of `own_rays`; free() them */
    uint64_t count;
};

/* What the chip has found so far; rays to come have hit nothing, or the first triangle. For
 * workloads with `rays` or `own_rays`. */
bool ogv_system_hits(ogv_system *system, struct ogv_hits *hits, struct ogv_error *error);

/* ---- Statistics ---- */

/* A statistic of one unit ("sm[3].l1.hits") or of a group ("sm[*].l1.hits"), combined as its
 * descriptor says. */
bool ogv_system_stat(ogv_system *system, const char *path, double *value, struct ogv_error *error);

struct ogv_stat {
    const char *path;    /* "sm[3].l1.hits"; of a group, "sm[*].l1.hits" */
    double value;        /* NAN: a quotient by zero */
    const char *measure; /* "cycles"; "1" for plain numbers */
    const char *help;    /* one line */
};

enum ogv_grain {
    OGV_EACH_GROUP, /* the copies of a unit together */
    OGV_EACH_UNIT,
};

/* Calls `visit` for every statistic, in the order of the architecture file. What it is given lasts
 * for the call. */
typedef void ogv_stat_visit(void *context, const struct ogv_stat *stat);
void ogv_system_stats(ogv_system *system, enum ogv_grain grain, ogv_stat_visit *visit,
                      void *context);

/* 32 hexadecimal digits that differ if any statistic differs. */
void ogv_system_digest(ogv_system *system, char digest[33]);

/* ---- Checkpoints ---- */

/* The complete state, to a file and back. The file is refused if it is damaged or was made by
 * another build, and it brings its own architecture with it. */
bool ogv_system_checkpoint(ogv_system *system, const char *file, struct ogv_error *error);
ogv_system *ogv_system_resume(const char *file, struct ogv_error *error);

/* ---- Results ----
 *
 * The folder that a run of the program has left behind. It may come from anybody: a file that is
 * not what a run writes is an error of the call that reads it. */
typedef struct ogv_result ogv_result;

/* Needs run.json and stats.json, which a run has written when it ends. */
ogv_result *ogv_result_open(const char *folder, struct ogv_error *error);
void ogv_result_close(ogv_result *result);

/* run.json as text: machine, program, scene, options, hashes, every parameter. */
char *ogv_result_record(const ogv_result *result);

/* A parameter of the machine that ran: "sm.l1.size" is "64 KiB". */
char *ogv_result_parameter(const ogv_result *result, const char *path, struct ogv_error *error);

/* A figure of the run's summary ("cycles"), or a statistic of one unit ("sm[3].l1.hits") or of a
 * group ("sm[*].l1.hits"). NAN: a quotient by zero. */
bool ogv_result_stat(const ogv_result *result, const char *name, double *value,
                     struct ogv_error *error);

enum ogv_combine {
    OGV_COMBINE_USUAL, /* the copies of a unit, as its type says */
    OGV_COMBINE_NONE,  /* every unit by itself */
    OGV_COMBINE_SUM,
    OGV_COMBINE_MEAN,
};

/* What `ogive stats` takes as options. All zero asks for everything of the whole run. */
struct ogv_query {
    const char *const *patterns; /* "cycles", "sm[0..3].l1.*"; none: all */
    uint32_t pattern_count;
    enum ogv_combine combine;
    const char *group; /* one row for each copy of this domain, or "type"; NULL: no */
    bool per_interval; /* values of each interval; needs names of statistics, not of figures */
    uint64_t from, to; /* cycles; intervals that touch them count. Both 0: all */
};

struct ogv_row {
    const char *name;    /* "sm[*].l1.hits" */
    const char *measure; /* "cycles"; "1" or "" for plain numbers */
    const char *help;    /* one line */
    const char *words;   /* of figures that are no numbers: "finished"; else NULL */
    uint32_t units;      /* that went into it; 0: a figure of the summary */
    double *values;      /* one per interval; NAN: a quotient by zero */
};

struct ogv_answer {
    struct ogv_row *rows;
    uint32_t row_count, interval_count; /* one interval, unless asked for more */
    uint64_t start;                     /* the cycle in which the first interval begins, */
    uint64_t *ends;                     /* and those in which each ends */
};

/* NULL on failure. To be freed before the result is closed. */
struct ogv_answer *ogv_result_ask(const ogv_result *result, const struct ogv_query *query,
                                  struct ogv_error *error);
void ogv_answer_free(struct ogv_answer *answer);

#ifdef __cplusplus
}
#endif

#endif
