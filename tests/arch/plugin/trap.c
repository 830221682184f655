/* trap.c - a library that leaves a file behind when it is loaded, before anybody calls it. */
#include <stdio.h>
#include <stdlib.h>

#include "ogive/custom.h"
#include "ogive/unit.h"

__attribute__((constructor)) static void trap_spring(void)
{
    const char *path = getenv("OGIVE_TEST_TRAP");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file)
        fclose(file);
}

static u64 spring(u64 rs1, u64 rs2, u64 rs3, i64 immediate)
{
    (void)rs2;
    (void)rs3;
    (void)immediate;
    return rs1;
}

OGIVE_CUSTOMS({ "spring", 3, 7, 0, "d,s", spring, 0 })
OGIVE_UNITS_NONE
