/* values.h - values of options that several commands read: sizes, points, numbers. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include "ogive/ogive.h"
#include "ogive/types.h"
#include "run/world.h"

#define PIXELS_MAX               WORLD_SIDE_MAX /* of a side */

/* The names of a list of ogive/rt_formats.h in a help: "one of:" RT_BUILDERS(VALUE_WORD, ) */
#define VALUE_WORD(name, unused) " " #name

/* "WxH" of --size in pixels, each side from `least` to `most`. */
bool pixels_read(const char *text, u32 least, u32 most, u32 *width, u32 *height,
                 struct ogv_error *error);

/* "X,Y,Z", all finite. */
bool vector_read(const char *option, const char *text, float out[3], struct ogv_error *error);

bool number_read(const char *option, const char *text, float *out, struct ogv_error *error);

/* Whether the number of an option is one that can be; says so in the name of a command if not. */
bool number_within(const char *command, const char *option, u64 number, u64 least, u64 most);

/* The size of --treelets in bytes; stays as it is if nothing was typed. */
bool treelets_read(const char *text, u32 *bytes, struct ogv_error *error);

/* Whether a result can be written there: the name of a file with that ending, not of a folder. */
bool output_check(const char *option, const char *path, const char *ending,
                  struct ogv_error *error);

/* --checkpoint-every: "50000", "50000 cycles" or "30 s"; the other one stays as it is. Says what is
 * wrong in the name of a command. */
bool checkpoints_read(const char *command, const char *text, cycle *cycles, double *seconds);

/* "61.24 uJ": four digits and a prefix; "not known" for NAN. */
void si_write(char *buffer, size_t size, double value, const char *unit);

/* One of the words (the last is NULL) and its number. Says what is wrong in the name of a command.
 */
bool word_read(const char *command, const char *option, const char *text, const char *const *words,
               u32 *number);

#endif
