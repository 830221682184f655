/* quick.h - a short way for instructions that only compute. */
#ifndef UNIT_SUBCORE_QUICK_H
#define UNIT_SUBCORE_QUICK_H

#include "ogive/unit.h"

struct subcore;
struct subcore_warp;

enum quick {
    QUICK_NOT,    /* nothing has changed: the instruction takes the long way */
    QUICK_WAITS,  /* the warp has begun to wait */
    QUICK_ISSUED, /* and all that follows from it is done */
};

/* Kinds of instructions that can take the short way, a bit each; 0: none can here. */
u64 quick_kinds(const struct subcore *u);
/* Tries to issue the next instruction of a warp. */
enum quick quick_issue(struct subcore *u, struct subcore_warp *warp, cycle now);

#endif
