/* pipelines.c - reads how wide and how fast the pipelines of a sub-core are. */
#include "unit/subcore/pipelines.h"

bool pipes_read(struct pipes *pipes, const char *interval, const char *lanes, const char *pipe,
                u32 width, struct ogv_error *error)
{
    u16 wide[KIND_COUNT];
    if (!kinds_read(pipes->occupied, "interval", interval, PARAM_CYCLES, 1, error) ||
        !kinds_read(wide, "lanes", lanes, PARAM_NUMBER, (u16)width, error) ||
        !kinds_join(pipes->of, "pipe", pipe, error))
        return false;
    for (u32 i = 0; i < KIND_COUNT; i++)
        pipes->occupied[i] = (u16)(pipes->occupied[i] * ((width + wide[i] - 1u) / wide[i]));
    return true;
}
