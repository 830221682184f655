/* stop.c - one flag that signal handlers set and long work reads. */
#include "base/stop.h"

#include <stdatomic.h>

#include "base/error.h"

/* Set by signal handlers, which may run on any thread. */
static atomic_bool asked;

void stop_ask(void)
{
    atomic_store(&asked, true);
}

bool stop_asked(void)
{
    return atomic_load_explicit(&asked, memory_order_relaxed);
}

void stop_forget(void)
{
    atomic_store(&asked, false);
}

bool stop_error(struct ogv_error *error, const char *what)
{
    return error_system(error, "%s was interrupted", what);
}
