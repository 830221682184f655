/* method.c - see method.h. */
#include "predict/method.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* What the paper and its code agree on. */
#define ZATEL                                                                                     \
    .division = DIVISION_FINE, .distribution = CHOICE_UNIFORM,                                    \
    .extrapolation = EXTRAPOLATION_LINEAR, .groups = true, .divisor = true, .mean_figures = true, \
    .warm_share = true, .share = 0.3

const struct method methods[] = {
    {
        .name = "ogive",
        .help =
            "one SM beside all of the memory, which takes the requests of all; or some blocks of "
            "all costs on a part; start and end counted once",
        .division = DIVISION_BLOCKS,
        .distribution = CHOICE_STRATA,
        .extrapolation = EXTRAPOLATION_AFFINE,
        .capacity = 1,
        .by_work = true,
    },
    {
        .name = "zatel",
        .help = "as printed: Rasul et al., ISPASS 2024",
        ZATEL,
    },
    {
        .name = "zatel-code",
        .help = "as its public code chooses pixels",
        ZATEL,
        .public_code = true,
    },
};
const u32 method_count = sizeof methods / sizeof *methods;

const struct method *method_find(const char *name, struct ogv_error *error)
{
    struct text list = { 0 };
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, name);
    for (u32 i = 0; i < method_count; i++) {
        if (!strcmp(methods[i].name, name)) {
            text_fini(&list);
            return &methods[i];
        }
        text_add(&list, "%s%s", i ? ", " : "", methods[i].name);
        nearest_offer(&nearest, methods[i].name);
    }
    error_user(error, "there is no method '%s'%s; there are %s", name,
               nearest_hint(&nearest, hint, sizeof hint), text_get(&list));
    text_fini(&list);
    return NULL;
}
