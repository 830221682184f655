/* waits.h - what a unit says it waits for, and how it calls others. */
#ifndef UNIT_WAITS_H
#define UNIT_WAITS_H

#include "base/text.h"
#include "ogive/unit.h"
#include "sim/hang.h"

struct unit_words {
    struct text *text;
    unit_namer namer;
    void *context;
};

#endif
