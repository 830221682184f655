/* door.h - who is connected, and who has to go when it gets crowded.
 *
 * There is room for a number of connections. Somebody without the token could take all of it by
 * connecting and then asking for nothing, or for something very slowly. So a few places are always
 * kept free: whoever enters when no others are left has the oldest of those leave who have not
 * shown the token. Whoever has shown it stays.
 *
 * All of it is used by the server's thread alone. */
#ifndef LIVE_DOOR_H
#define LIVE_DOOR_H

#include "ogive/types.h"

#define DOOR_PLACES 64
#define DOOR_FREE   8 /* of them, kept so that somebody can come while others leave */

struct visitor {
    struct visitor *newer;
    int socket;
    bool known;   /* has shown the token */
    bool leaving; /* was told to, and is there until the server has noticed */
};

/* Always true: visitors are in the order in which they came. */
struct door {
    struct visitor *oldest;
    u32 inside; /* those who are not leaving */
};

/* A new visitor; the caller gives it back to door_leave. */
struct visitor *door_enter(struct door *door, int socket);
void door_leave(struct door *door, struct visitor *visitor);

#endif
