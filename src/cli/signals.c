/* signals.c - the handlers: the first signal asks, the second one ends the process. */
#include "cli/signals.h"

#include <signal.h>

#include "base/stop.h"
#include "run/run.h"

static void on_signal(int number)
{
    if (number == SIGUSR1)
        run_ask_status();
    else
        stop_ask();
}

void signals_catch(void)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
}
