/* server.c - see server.h. */
#include "debug/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "debug/packet.h"

#define BACKLOG      4
#define SEND_SECONDS 10 /* for which a client may read nothing */

/* ---- Opening ---- */

static bool port_read(const char *where, u16 *port)
{
    char *end;
    unsigned long value = where ? strtoul(where, &end, 10) : 0;
    *port = (u16)value;
    return !where || (*where && !*end && value && value <= UINT16_MAX);
}

static bool port_open(struct server *server, u16 port, struct ogv_error *error)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t bytes = sizeof address;
    int yes = 1;
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server->listener < 0 ||
        setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) ||
        bind(server->listener, (struct sockaddr *)&address, sizeof address) ||
        listen(server->listener, BACKLOG) ||
        getsockname(server->listener, (struct sockaddr *)&address, &bytes))
        return error_user(error, "--gdb: cannot listen at port %u of this machine: %s%s", port,
                          strerror(errno),
                          errno == EADDRINUSE ? "; without a number, a free port is taken" : "");
    server->where = text_format("localhost:%u", ntohs(address.sin_port));
    return true;
}

/* Only a socket that nobody answers at any more is replaced. */
static bool path_is_free(const char *path, const struct sockaddr_un *address)
{
    struct stat status;
    if (lstat(path, &status))
        return errno == ENOENT;
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool answered =
        probe >= 0 && !connect(probe, (const struct sockaddr *)address, sizeof *address);
    if (probe >= 0)
        close(probe);
    return S_ISSOCK(status.st_mode) && !answered && !unlink(path);
}

static bool path_open(struct server *server, const char *path, struct ogv_error *error)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path)
        return error_user(error, "--gdb %s: a socket's path has at most %zu characters", path,
                          sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path));
    if (!path_is_free(path, &address))
        return error_user(error,
                          "--gdb %s: is there already; a port is a number from 1 to 65535, a "
                          "socket a path that is free",
                          path);
    server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    mode_t mask = umask(0177); /* its owner alone */
    bool bound = server->listener >= 0 &&
                 !bind(server->listener, (struct sockaddr *)&address, sizeof address);
    int reason = errno;
    umask(mask);
    if (!bound || listen(server->listener, BACKLOG))
        return error_user(error, "--gdb %s: cannot listen there: %s", path, strerror(reason));
    server->path = heap_copy(path);
    server->where = heap_copy(path);
    return true;
}

bool server_open(struct server *server, const char *where, struct ogv_error *error)
{
    u16 port;
    *server = (struct server){ .listener = -1, .client = -1 };
    if (where && !port_read(where, &port) && strspn(where, "0123456789") == strlen(where))
        return error_user(error,
                          "--gdb %s: ports are 1 to %d; without a number, a free one is taken",
                          where, UINT16_MAX);
    bool good =
        port_read(where, &port) ? port_open(server, port, error) : path_open(server, where, error);
    if (!good)
        server_close(server);
    return good;
}

void server_drop_client(struct server *server)
{
    if (server->client >= 0)
        close(server->client);
    server->client = -1;
}

void server_close(struct server *server)
{
    server_drop_client(server);
    if (server->listener >= 0)
        close(server->listener);
    server->listener = -1;
    if (server->path)
        unlink(server->path);
    free(server->path);
    free(server->where);
    server->path = server->where = NULL;
}

/* ---- Clients ---- */

/* Whoever comes while another is there is told so in its own words. */
static void client_turn_away(int client)
{
    static const char words[] = "E.another debugger is connected to this run";
    struct text packet = { 0 };
    text_add(&packet, "+");
    packet_add(&packet, words, strlen(words));
    if (send(client, packet.chars, packet.length, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        shutdown(client, SHUT_WR);
    text_fini(&packet);
    close(client);
}

static bool client_accept(struct server *server)
{
    struct timeval patience = { .tv_sec = SEND_SECONDS };
    int yes = 1, client = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0)
        return false;
    if (server->client >= 0) {
        client_turn_away(client);
        return false;
    }
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    server->client = client;
    return true;
}

static enum server_news client_receive(struct server *server, u8 *bytes, size_t *length)
{
    ssize_t got = recv(server->client, bytes, *length, MSG_DONTWAIT);
    *length = got > 0 ? (size_t)got : 0;
    if (got > 0)
        return SERVER_BYTES;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return SERVER_QUIET;
    server_drop_client(server);
    return SERVER_LEFT;
}

enum server_news server_wait(struct server *server, int milliseconds, u8 *bytes, size_t *length)
{
    struct pollfd watched[2] = { { .fd = server->listener, .events = POLLIN },
                                 { .fd = server->client, .events = POLLIN } };
    if (poll(watched, server->client >= 0 ? 2 : 1, milliseconds) <= 0) {
        *length = 0;
        return SERVER_QUIET;
    }
    if (server->client >= 0 && watched[1].revents) /* first: it may be about to make room */
        return client_receive(server, bytes, length);
    *length = 0;
    return watched[0].revents && client_accept(server) ? SERVER_CAME : SERVER_QUIET;
}

bool server_send(struct server *server, const char *bytes, size_t length)
{
    while (length && server->client >= 0) {
        ssize_t sent = send(server->client, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            server_drop_client(server);
            return false;
        }
        bytes += sent;
        length -= (size_t)sent;
    }
    return server->client >= 0;
}
