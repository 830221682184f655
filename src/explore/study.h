/* study.h - a study file: which runs there are to be, and what is the same for all of them.
 *
 * docs/studies.md says what a file may hold. It is read and checked whole before anything starts;
 * mistakes come with file, line and column. */
#ifndef EXPLORE_STUDY_H
#define EXPLORE_STUDY_H

#include "base/formula.h"
#include "base/hash.h"
#include "explore/patch.h"

#define STUDY_AXES_MAX   16
#define STUDY_POINTS_MAX 100000
#define AXIS_NONE        UINT32_MAX

struct axis_value {
    const char *label; /* as it was written, and as tables show it */
    struct place place;
    struct patch patch;
};

struct axis {
    const char *name;
    struct place place;
    struct axis_value *values;
    u32 count;
};

struct modifier {
    const char *name;
    struct patch patch;
};

/* Axes that go through their values together, or one alone. */
struct tuple {
    u32 axes[STUDY_AXES_MAX];
    u32 count;
};

/* Some of the runs: the product of the tuples, or points that are written out. */
struct batch {
    struct place place;
    struct tuple *tuples;
    u32 tuple_count;
    u32 (*points)[STUDY_AXES_MAX]; /* by axis: which value, or AXIS_NONE; NULL: a product */
    u32 point_count;
};

/* Runs that are left out: those with one of these values on each of the axes that are named, or
 * those of which a formula is more than a number. */
struct exclusion {
    struct place place;
    u64 *allowed[STUDY_AXES_MAX]; /* by axis: a bit per value; NULL: any */
    struct formula *more;         /* NULL: none */
    double than;
};

/* A parameter or option that follows from axes. */
struct derivation {
    const char *name; /* of an option, or path of a setting */
    u32 option;       /* STUDY_OPTIONS: it is a setting */
    struct formula *formula;
    const char *unit; /* behind the number, or "" */
    struct place place;
};

struct study {
    struct region region;
    const char *path, *name, *about;
    char hash[HASH_TEXT_BYTES]; /* of the file */
    struct patch base;
    struct modifier *modifiers;
    struct axis axes[STUDY_AXES_MAX];
    struct batch *batches;
    struct exclusion *exclusions;
    struct derivation *derivations;
    double time_seconds; /* for each run; 0: no limit */
    u64 memory_bytes;    /* likewise */
    u32 modifier_count, axis_count, batch_count, exclusion_count, derivation_count;
    bool repeats;               /* the last axis is of seeds, and goes with all batches */
    struct search_plan *search; /* what `ogive search` looks for; NULL: nothing is said */
};

/* One run of a study. */
struct point {
    u32 at[STUDY_AXES_MAX]; /* by axis: which value; AXIS_NONE: what the study has for all */
    struct patch patch;
};

struct point_list {
    struct point *items;
    u32 count;
    u32 excluded;
};

/* NULL on failure. */
struct study *study_read(const char *path, struct ogv_error *error);
struct study *study_parse(const char *path, const char *text, size_t length,
                          struct ogv_error *error);
void study_destroy(struct study *study);

/* All of its runs, in the order of the axes, each once; they live as long as the study. */
bool study_expand(struct study *study, struct point_list *points, struct ogv_error *error);

/* The point at these values of the axes, which need not be one of those above. */
bool study_point(struct study *study, const u32 *at, struct point *point, struct ogv_error *error);

/* Whether a point is one of those that are left out. */
bool study_excludes(const struct study *study, const u32 *at);

/* UINT32_MAX if there is none of that name. */
u32 study_axis(const struct study *study, const char *name);
u32 axis_value(const struct axis *axis, const char *label);

/* What an axis shows where a point has no value of it. */
#define AXIS_NONE_LABEL "-"

/* A value as a number in its plain unit: 64 KiB is 65536, 64x32 is 2048. False if it is none. */
bool label_number(const char *label, double *number);

/* ---- Parts of reading, by file ---- */

/* In axis.c. */
bool axis_read(struct study *study, const struct node *node, struct ogv_error *error);
bool seeds_read(struct study *study, const struct node *node, struct ogv_error *error);

/* In batch.c: `runs`, `exclude` and `derive`. */
bool batches_read(struct study *study, const struct node *list, struct ogv_error *error);
bool exclusions_read(struct study *study, const struct node *list, struct ogv_error *error);
bool derivations_read(struct study *study, const struct node *map, struct ogv_error *error);

/* In search_plan.c. */
bool search_read(struct study *study, const struct node *map, struct ogv_error *error);
void search_plan_free(struct search_plan *plan);

/* A formula over axes whose values are numbers. */
struct formula *axes_formula(const struct study *study, const struct node *node, const char *text,
                             struct ogv_error *error);
double axes_value(const struct study *study, const struct formula *formula, const u32 *at);

#endif
