/* door.c - a list of visitors, the oldest first, out of which strangers are sent off when it
 * gets crowded. */
#include "live/door.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "base/text.h"

/* Its connection ends for the server as if the other side had ended it. */
static void visitor_send_off(struct door *door, struct visitor *visitor)
{
    visitor->leaving = true;
    door->inside--;
    shutdown(visitor->socket, SHUT_RDWR);
}

struct visitor *door_enter(struct door *door, int socket)
{
    struct visitor *visitor = heap_array(1, sizeof *visitor), *stranger = door->oldest;
    struct visitor **last = &door->oldest;
    while (stranger && (stranger->known || stranger->leaving))
        stranger = stranger->newer;
    if (stranger && door->inside >= DOOR_PLACES - DOOR_FREE)
        visitor_send_off(door, stranger);
    while (*last)
        last = &(*last)->newer;
    *last = visitor;
    visitor->socket = socket;
    door->inside++;
    return visitor;
}

void door_leave(struct door *door, struct visitor *visitor)
{
    struct visitor **at = &door->oldest;
    while (*at != visitor)
        at = &(*at)->newer;
    *at = visitor->newer;
    door->inside -= !visitor->leaving;
    free(visitor);
}
