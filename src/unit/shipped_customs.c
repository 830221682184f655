/* shipped_customs.c - see shipped_customs.h. All in custom-0, funct3 0; funct7 tells them apart. */
#include "unit/shipped_customs.h"

#include <pthread.h>

#include "base/error.h"

const struct isa_custom shipped_customs[SHIPPED_CUSTOMS] = {
    { "next", 0, 0, 0, "d", NULL, MESSAGE_NEXT },
    { "barrier", 0, 0, 1, "d", NULL, MESSAGE_BARRIER },
    { "trace", 0, 0, 2, "D4,S8", NULL, MESSAGE_TRACE },
    { "trace_any", 0, 0, 3, "D4,S8", NULL, MESSAGE_TRACE_ANY },
    { "trace_start", 0, 0, 4, "d,S8", NULL, MESSAGE_TRACE_START },
    { "trace_wait", 0, 0, 5, "D4,s", NULL, MESSAGE_TRACE_WAIT },
};

static pthread_once_t isa_once = PTHREAD_ONCE_INIT;
struct isa *isa_shared_made;

static void isa_start(void)
{
    struct ogv_error error;
    struct isa *isa = isa_create();
    for (u32 i = 0; i < SHIPPED_CUSTOMS; i++)
        if (!isa_add(isa, &shipped_customs[i], &error))
            ogv_bug("%s", error.message);
    isa_shared_made = isa;
}

struct isa *isa_shared(void)
{
    pthread_once(&isa_once, isa_start);
    return isa_shared_made;
}
