/* signals.h - signals to requests, for commands whose work can be given up in the middle. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* From here on the first Ctrl-C or SIGTERM asks to stop (base/stop.h); a second one ends the
 * process as usual. SIGUSR1 asks a run for its status as often as it comes. */
void signals_catch(void);

#endif
