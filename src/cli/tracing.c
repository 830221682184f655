/* tracing.c - see tracing.h. */
#include "cli/tracing.h"

#include <stdlib.h>

#include "cli/cli.h"

#define CYCLES_DEFAULT 2000
#define CYCLES_MAX     1000000

/* "10000:12000" */
static bool cycles_read(const char *text, const char *command, struct pipeline_options *options)
{
    char *end;
    options->from = strtoull(text, &end, 10);
    bool good = end != text && *end == ':';
    const char *second = end + good;
    options->to = good ? strtoull(second, &end, 10) : 0;
    good = good && end != second && !*end && options->from < options->to;
    if (!good)
        say_error("%s: --cycles %s: write the first cycle and the one behind the last, as in "
                  "10000:12000",
                  command, text);
    else if (options->to - options->from > CYCLES_MAX)
        say_error("%s: --cycles %s: at most %d cycles can be traced", command, text, CYCLES_MAX);
    return good && options->to - options->from <= CYCLES_MAX;
}

bool tracing_begin(const struct tracing_arguments *arguments, const char *command,
                   struct pipeline **pipeline)
{
    struct pipeline_options options = { .unit = arguments->unit, .to = CYCLES_DEFAULT };
    *pipeline = NULL;
    if (!arguments->unit) {
        if (arguments->cycles)
            say_error("%s: --cycles goes with --trace-pipeline", command);
        return !arguments->cycles;
    }
    if (arguments->cycles && !cycles_read(arguments->cycles, command, &options))
        return false;
    *pipeline = pipeline_open(&options);
    return true;
}

int tracing_end(struct pipeline *pipeline, int code, bool ran)
{
    struct ogv_error error;
    if (pipeline && ran && !pipeline_finish(pipeline, &error)) {
        int failed = fail(&error);
        code = code == EXIT_GOOD ? failed : code;
    }
    pipeline_close(pipeline);
    return code;
}
