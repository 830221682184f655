/* standard.c - see standard.h. All in custom-0, funct3 0; funct7 tells them apart. */
#include "unit/standard.h"

const struct isa_custom standard_customs[STANDARD_CUSTOMS] = {
    { "next", 0, 0, 0, "d", NULL, MESSAGE_NEXT },
    { "barrier", 0, 0, 1, "d", NULL, MESSAGE_BARRIER },
};
