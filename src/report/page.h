/* page.h - the report: one HTML page that holds all it needs. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/text.h"
#include "report/result.h"

#define PAGE_RUNS_MAX 16

/* Writes the page for the runs in these folders, and bottleneck.json into each of them that can be
 * written to. `*charts` says whether the library that draws charts was found; without it the page
 * has all but the charts. */
bool page_write(const char *const *folders, u32 folder_count, const char *file, bool *charts,
                struct ogv_error *error);

/* The page of a run under way (report/live.html), which asks for the rest itself. `columns`: the
 * names of the values of a sample, as a list in JSON. Its scripts carry the nonce, so that the
 * browser can be told to run no others. */
bool page_live(const struct result *result, const char *columns, const char *nonce,
               struct text *page, struct ogv_error *error);

/* Writes the page of a template in report/, with this data in JSON. */
bool page_put_together(const char *template, const char *data, const char *file, bool *charts,
                       struct ogv_error *error);

/* Which package to install for the charts. */
#define PAGE_LIBRARY_PACKAGE "libjs-d3"

#endif
