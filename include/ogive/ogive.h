/* ogive.h - the public interface of libogive: describe a chip, run it, read what it did.
 *
 *     struct ogv_error error;
 *     ogv_arch *arch = ogv_arch_load("rtx2080.yaml", &error);
 *     ogv_arch_set(arch, "sm.count", "4", &error);
 *     ogv_system *system = ogv_system_create(arch, &error);
 *     ogv_system_run(system, OGV_FOREVER, &error);
 *     double hits;
 *     ogv_system_stat(system, "sm[*].l1.hits", &hits, &error);
 *     ogv_system_destroy(system);
 *     ogv_arch_destroy(arch);
 *
 * Calls that can fail return NULL or false and fill in the error, which may be NULL. The library
 * never prints and never exits. One system may be used by one thread at a time; several systems may
 * be used by several threads. */
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

/* A path to a file, or the name of a shipped architecture ("tiny"). */
ogv_arch *ogv_arch_load(const char *file_or_name, struct ogv_error *error);
ogv_arch *ogv_arch_create(const char *name, struct ogv_error *error);
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

/* The whole description after defaults, as text that ogv_arch_load accepts; the caller frees it
 * with free(). */
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

enum ogv_end {
    OGV_END_FAILED = -1, /* see the error */
    OGV_END_FINISHED,    /* all work is done */
    OGV_END_REACHED,     /* the cycle asked for has come */
};

/* Runs until the work is done or the chip's clock shows `until`. */
enum ogv_end ogv_system_run(ogv_system *system, uint64_t until, struct ogv_error *error);

/* Runs `cycles` more. */
enum ogv_end ogv_system_step(ogv_system *system, uint64_t cycles, struct ogv_error *error);

/* Cycles simulated so far. */
uint64_t ogv_system_cycle(const ogv_system *system);

/* A statistic of one unit ("sm[3].l1.hits") or of a group ("sm[*].l1.hits"), combined as its
 * descriptor says. */
bool ogv_system_stat(ogv_system *system, const char *path, double *value, struct ogv_error *error);

/* 32 hexadecimal digits that differ if any statistic differs. */
void ogv_system_digest(ogv_system *system, char digest[33]);

/* The complete state, to a file and back. The file is refused if it is damaged or was made by
 * another build, and it brings its own architecture with it. */
bool ogv_system_checkpoint(ogv_system *system, const char *file, struct ogv_error *error);
ogv_system *ogv_system_resume(const char *file, struct ogv_error *error);

#ifdef __cplusplus
}
#endif

#endif
