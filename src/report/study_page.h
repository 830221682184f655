/* study_page.h - the page of a study: its runs, with filters, charts, and links to their reports.
 */
#ifndef REPORT_STUDY_PAGE_H
#define REPORT_STUDY_PAGE_H

#include "explore/standing.h"

/* `reports` is where the page finds runs' reports: the store's path from its own folder, or NULL
 * for no links. */
bool study_page_write(const struct store *store, const struct manifest *manifest,
                      const struct standing *standing, const char *reports, const char *file,
                      struct ogv_error *error);

#endif
