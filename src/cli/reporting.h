/* reporting.h - the report that a run ends with. */
#ifndef CLI_REPORTING_H
#define CLI_REPORTING_H

#include "ogive/types.h"

/* Makes report.html in the folder of a run. What goes wrong is said, there and in its log. */
bool report_of_run(const char *folder, bool quiet);

#endif
