/* waits.h - what a unit says it waits for. */
#ifndef UNIT_WAITS_H
#define UNIT_WAITS_H

#include "base/text.h"
#include "ogive/unit.h"

struct unit_words {
    struct text *text;
};

#endif
