/* server.h - where a debugger connects: a loopback port, or a Unix socket that only its owner may
 * use. One client at a time; others are told so. */
#ifndef DEBUG_SERVER_H
#define DEBUG_SERVER_H

#include "ogive/ogive.h"
#include "ogive/types.h"

struct server {
    int listener, client; /* -1: none */
    char *where;          /* as gdb's `target remote` takes it */
    char *path;           /* of the socket; NULL: a port */
};

enum server_news {
    SERVER_QUIET,
    SERVER_CAME,  /* a client has connected */
    SERVER_BYTES, /* it has sent something */
    SERVER_LEFT,  /* its connection is gone */
};

/* `where`: a port in digits, the path of a socket, or NULL for any free port. */
bool server_open(struct server *server, const char *where, struct ogv_error *error);
void server_close(struct server *server);

/* Waits that long at most; `bytes` has room for `*length`, which becomes what has come. */
enum server_news server_wait(struct server *server, int milliseconds, u8 *bytes, size_t *length);

/* False if the client is gone. */
bool server_send(struct server *server, const char *bytes, size_t length);

void server_drop_client(struct server *server);

#endif
