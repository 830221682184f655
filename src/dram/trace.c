/* trace.c - see trace.h. */
#include "dram/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/text.h"

#define LINE_BYTES 1024

static bool header_parse(struct dram_trace *trace, const char *line, const char *path, u64 number,
                         struct ogv_error *error)
{
    u64 *field = !strncmp(line, "# K=", 4)   ? &trace->per_cycle
                 : !strncmp(line, "# W=", 4) ? &trace->outstanding
                                             : NULL;
    if (!field)
        return true;
    char *end;
    *field = strtoull(line + 4, &end, 10);
    if (end == line + 4 || (field == &trace->per_cycle && !*field))
        return error_user(error, "%s:%llu: '%s' is not a number above zero", path,
                          (unsigned long long)number, line + 4);
    return true;
}

static bool request_parse(struct dram_trace_request *request, const char *line)
{
    char *end;
    request->arrive = strtoull(line, &end, 10);
    if (end == line || *end != ' ' || (end[1] != 'R' && end[1] != 'W') || end[2] != ' ')
        return false;
    request->write = end[1] == 'W';
    const char *address = end + 3;
    request->address = strtoull(address, &end, 16);
    return end != address && (!*end || *end == '\n' || *end == '\r');
}

static void trace_add(struct dram_trace *trace, const struct dram_trace_request *request)
{
    if (!(trace->count & (trace->count - 1)))
        trace->requests =
            heap_grow(trace->requests, trace->count ? 2 * trace->count : 1, sizeof *request);
    trace->requests[trace->count++] = *request;
    trace->reads += !request->write;
}

static bool line_parse(struct dram_trace *trace, const char *line, const char *path, u64 number,
                       struct ogv_error *error)
{
    if (*line == '#')
        return header_parse(trace, line, path, number, error);
    if (*line == '\n' || !*line)
        return true;
    struct dram_trace_request request;
    if (!request_parse(&request, line))
        return error_user(error, "%s:%llu: expected \"<cycle> <R|W> <hex address>\"", path,
                          (unsigned long long)number);
    trace_add(trace, &request);
    return true;
}

static bool lines_read(struct dram_trace *trace, gzFile file, const char *path,
                       struct ogv_error *error)
{
    char line[LINE_BYTES];
    for (u64 number = 1; gzgets(file, line, sizeof line); number++) {
        if (!strchr(line, '\n') && !gzeof(file))
            return error_user(error, "%s:%llu: a line of more than %d bytes", path,
                              (unsigned long long)number, LINE_BYTES - 2);
        if (!line_parse(trace, line, path, number, error))
            return false;
    }
    int code;
    const char *message = gzerror(file, &code);
    if (code != Z_OK && code != Z_STREAM_END)
        return error_system(error, "cannot read %s: %s", path, message);
    return true;
}

bool dram_trace_read(struct dram_trace *trace, const char *path, struct ogv_error *error)
{
    *trace = (struct dram_trace){ .per_cycle = 1 };
    gzFile file = gzopen(path, "rb");
    if (!file)
        return error_user(error, "cannot open %s: %s", path, strerror(errno));
    bool good = lines_read(trace, file, path, error);
    gzclose(file);
    return good;
}

void dram_trace_fini(struct dram_trace *trace)
{
    free(trace->requests);
    *trace = (struct dram_trace){ 0 };
}
