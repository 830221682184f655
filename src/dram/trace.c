/* trace.c - reads a trace line by line; what is no comment, setting or request is refused with
 * its line. */
#include "dram/trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/text.h"

#define LINE_BYTES 1024

/* Digits only, and a number that fits: strtoull alone takes signs and blanks. NULL: no number. */
static const char *number_parse(const char *text, int base, u64 *value)
{
    char *end;
    if (!isxdigit((unsigned char)*text))
        return NULL;
    errno = 0;
    *value = strtoull(text, &end, base);
    return end == text || errno ? NULL : end;
}

static bool line_ends(const char *text)
{
    return !text[strspn(text, " \t\r")];
}

static bool header_parse(struct dram_trace *trace, const char *line, const char *path, u64 number,
                         struct ogv_error *error)
{
    bool outstanding = !strncmp(line, "# W=", 4);
    if (!outstanding && strncmp(line, "# K=", 4))
        return true;
    u64 *field = outstanding ? &trace->outstanding : &trace->per_cycle;
    const char *end = number_parse(line + 4, 10, field);
    if (!end || !line_ends(end) || (!outstanding && !*field))
        return error_user(error, "%s:%llu: %.2s needs a whole number%s, not '%s'", path,
                          (unsigned long long)number, line + 2, outstanding ? "" : " above zero",
                          line + 4);
    return true;
}

static bool request_parse(struct dram_trace_request *request, const char *line)
{
    const char *kind = number_parse(line, 10, &request->arrive);
    if (!kind || kind[0] != ' ' || (kind[1] != 'R' && kind[1] != 'W') || kind[2] != ' ')
        return false;
    request->write = kind[1] == 'W';
    const char *end = number_parse(kind + 3, 16, &request->address);
    return end && line_ends(end);
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
    if (line_ends(line))
        return true;
    struct dram_trace_request request;
    if (!request_parse(&request, line))
        return error_user(error,
                          "%s:%llu: '%.40s' is no request; expected \"<cycle> <R|W> <hex "
                          "address>\", such as \"120 R 1f40\"",
                          path, (unsigned long long)number, line);
    trace_add(trace, &request);
    return true;
}

static bool lines_read(struct dram_trace *trace, gzFile file, const char *path,
                       struct ogv_error *error)
{
    char line[LINE_BYTES];
    for (u64 number = 1; gzgets(file, line, sizeof line); number++) {
        char *end = strchr(line, '\n');
        if (!end && !gzeof(file))
            return error_user(error, "%s:%llu: no line of text, or one of more than %d bytes", path,
                              (unsigned long long)number, LINE_BYTES - 2);
        if (end)
            *end = 0;
        if (!line_parse(trace, line, path, number, error))
            return false;
    }
    int code;
    const char *message = gzerror(file, &code);
    if (code != Z_OK && code != Z_STREAM_END) {
        const char *why = strstr(message, ": "); /* after a name that zlib made up */
        return error_user(error, "%s: cannot read: %s", path, why ? why + 2 : message);
    }
    return true;
}

bool dram_trace_read(struct dram_trace *trace, const char *path, struct ogv_error *error)
{
    *trace = (struct dram_trace){ .per_cycle = 1 };
    int descriptor = file_open_descriptor(path, error);
    if (descriptor < 0)
        return false;
    gzFile file = gzdopen(descriptor, "rb");
    if (!file) {
        close(descriptor);
        return error_system(error, "%s: no memory to read it", path);
    }
    bool good = lines_read(trace, file, path, error);
    gzclose(file);
    return good;
}

void dram_trace_fini(struct dram_trace *trace)
{
    free(trace->requests);
    *trace = (struct dram_trace){ 0 };
}
