/* describe.h - standards and configurations as text for people. */
#ifndef DRAM_DESCRIBE_H
#define DRAM_DESCRIBE_H

#include "dram/config.h"

/* All configurations, then all standards with their organisations and presets. */
void dram_describe_all(struct text *text);

/* One configuration: organisation, controller, every timing and every constraint in cycles. */
bool dram_describe_config(const struct dram_config *config, struct text *text,
                          struct ogv_error *error);

/* A standard and one of its presets: timings and constraints of each variant that exists.
 * `organisation` may be NULL: the first that the variant accepts. */
bool dram_describe_preset(const char *standard, const char *preset, const char *organisation,
                          struct text *text, struct ogv_error *error);

#endif
