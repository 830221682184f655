/* crash.h - which unit it was, when the program is ended by a fault in it. */
#ifndef CLI_CRASH_H
#define CLI_CRASH_H

/* From now on a fault inside a unit is reported with its path, its type, the library that brought
 * it and the cycle, before the program ends as it would have without. Before any thread is started.
 */
void crash_watch(void);

#endif
