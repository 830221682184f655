/* trace.h - request traces: text, plain or gzip.
 *
 * Lines that start with # are comments; "# K=n" allows n requests per cycle (1), "# W=n" at most n
 * reads outstanding (0: any number). Every other line is "<arrive> <R|W> <hex byte address>". */
#ifndef DRAM_TRACE_H
#define DRAM_TRACE_H

#include "base/error.h"

struct dram_trace_request {
    u64 arrive;
    u64 address;
    bool write;
};

struct dram_trace {
    u64 per_cycle, outstanding; /* K and W */
    u64 count, reads;
    struct dram_trace_request *requests;
};

/* The caller calls dram_trace_fini, also after a failure. */
bool dram_trace_read(struct dram_trace *trace, const char *path, struct ogv_error *error);
void dram_trace_fini(struct dram_trace *trace);

#endif
