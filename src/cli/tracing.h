/* tracing.h - the options that trace the pipeline of one unit. */
#ifndef CLI_TRACING_H
#define CLI_TRACING_H

#include "cli/options.h"
#include "debug/pipeline.h"

struct tracing_arguments {
    const char *unit, *cycles;
};

/* clang-format off */
#define TRACING_ROWS(a)                                                                             \
    { 0, "trace-pipeline", "UNIT", "keep what each instruction of this core did, cycle by cycle: "   \
      "pipeline.kanata, pipeline.html", OPTION_TEXT, &(a).unit },                                   \
    { 0, "cycles", "FROM:TO", "the cycles of --trace-pipeline (default: 0:2000)", OPTION_TEXT,       \
      &(a).cycles }
/* clang-format on */

/* *pipeline is NULL if none is wanted. False, and said, if the options are wrong. */
bool tracing_begin(const struct tracing_arguments *arguments, const char *command,
                   struct pipeline **pipeline);

/* The exit code: `code`, or that of files that could not be made. */
int tracing_end(struct pipeline *pipeline, int code, bool ran);

#endif
