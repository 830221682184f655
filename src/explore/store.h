/* store.h - where results of runs are kept: each in a folder that is named by its key.
 *
 * STORE/runs/ab/KEY/   one run: everything about it
 *     lock             held (flock) by whoever runs it, however that ends
 *     point.json       what is run: the command line
 *     attempts.txt     a line when a try begins, and one when it ends
 *     output.txt       what the tries said
 *     try-1, try-2     result folders of tries that have not ended well, with their checkpoints
 *     run              the result folder
 *     result.json      how it ended; there is none until it has
 * STORE/index.txt      a line for each result.json, with its figures: see index.h
 * STORE/figures/       names of figures, by fingerprint
 * STORE/studies/       which runs a study has: see manifest.h
 *
 * Any number of processes on any number of machines may use a store at once. All that a run's
 * folder holds is written by whoever holds its lock; files appear whole, by a rename. */
#ifndef EXPLORE_STORE_H
#define EXPLORE_STORE_H

#include "base/hash.h"
#include "ogive/ogive.h"

enum run_class {
#define RUN_CLASS(name, words, fails, help) CLASS_##name,
#include "explore/classes.def"
#undef RUN_CLASS
    RUN_CLASSES
};

struct class_row {
    const char *words;
    bool fails;
    const char *help;
};
extern const struct class_row run_classes[RUN_CLASSES];

/* RUN_CLASSES if there is none of that name. */
enum run_class class_find(const char *words);

/* How a run ended. */
struct outcome {
    enum run_class class;
    int exit_code;
    double seconds; /* of all tries */
    u64 peak_bytes; /* of memory, of the last one */
    u32 tries;
};

struct store {
    char *path;
};

/* To read, it must be there; to write, it is made, and must take files. */
enum store_use { STORE_READ, STORE_WRITE };
bool store_open(struct store *store, const char *path, enum store_use use, struct ogv_error *error);
void store_close(struct store *store);

/* Of a run: its folder, or a file in it. The caller frees. */
char *store_folder(const struct store *store, const char *key);
char *store_file(const struct store *store, const char *key, const char *name);

/* The result folder of a run that is done; the caller frees. */
char *store_result(const struct store *store, const char *key);

/* Writes a file that several may write at once, each beside a name of its own: the last one stays.
 */
bool store_put(const char *path, const char *text, size_t length, struct ogv_error *error);

/* The lock of a run; below 0 if somebody else has it, or on failure, which `error` tells then: its
 * kind is 0 otherwise. Closing it gives it back. */
int store_lock(const struct store *store, const char *key, struct ogv_error *error);

/* Whether somebody runs it now. */
bool store_is_busy(const struct store *store, const char *key);

/* result.json: whether there is one that can be read. */
bool outcome_read(const struct store *store, const char *key, struct outcome *outcome);

/* Writes result.json, then its line of the index. The lock is held. */
bool outcome_write(const struct store *store, const char *key, const struct outcome *outcome,
                   struct ogv_error *error);

/* Takes the result away, not what its tries left behind: the run counts as one that was not made
 * yet, and goes on from a checkpoint if there is one. The lock is held. */
bool outcome_forget(const struct store *store, const char *key, struct ogv_error *error);

/* Removes the run with all its files. The lock is held. */
bool store_remove(const struct store *store, const char *key, struct ogv_error *error);

/* Removes a folder and all below it. */
bool folder_remove(const char *path, struct ogv_error *error);

#endif
