/* polling.h - notices a run in which threads do nothing but ask memory again and again. */
#ifndef RUN_POLLING_H
#define RUN_POLLING_H

#include "arch/system.h"
#include "base/text.h"

struct polling {
    cycle patience; /* cycles without an effect that are worth a word; doubles with each */
    cycle look_at;  /* no need to look before */
};

void polling_begin(struct polling *polling);

/* Between windows. True if nothing has come of all that was executed for a long time; then `out`
 * says so, and where the threads are. */
bool polling_notice(struct polling *polling, ogv_system *system, struct text *out);

#endif
