/* shipped_customs.c - see shipped_customs.h. All in custom-0, funct3 0; funct7 tells them apart. */
#include "unit/shipped_customs.h"

const struct isa_custom shipped_customs[SHIPPED_CUSTOMS] = {
    { "next", 0, 0, 0, "d", NULL, MESSAGE_NEXT },
    { "barrier", 0, 0, 1, "d", NULL, MESSAGE_BARRIER },
    { "trace", 0, 0, 2, "D4,S8", NULL, MESSAGE_TRACE },
    { "trace_any", 0, 0, 3, "D4,S8", NULL, MESSAGE_TRACE_ANY },
    { "trace_start", 0, 0, 4, "d,S8", NULL, MESSAGE_TRACE_START },
    { "trace_wait", 0, 0, 5, "D4,s", NULL, MESSAGE_TRACE_WAIT },
};
