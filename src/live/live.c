/* live.c - see live.h: opening and closing. */
#include "live/live.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/wall.h"
#include "live/live_private.h"

#define BACKLOG         64
#define WATCHED_WITHIN  5.0 /* seconds: somebody who asked since then still watches */
#define FAREWELL        3.0 /* seconds to wait at most for them to hear the end, */
#define FAREWELL_LEAST  1.5 /* and at least, as there may be several */
#define FAREWELL_NAP_NS 20000000

/* ---- Where it listens ---- */

union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

static bool address_read(const struct live_options *options, union address *address,
                         struct ogv_error *error)
{
    const char *text = options->address ? options->address : "127.0.0.1";
    *address = (union address){ 0 };
    if (inet_pton(AF_INET, text, &address->four.sin_addr) == 1) {
        address->four.sin_family = AF_INET;
        address->four.sin_port = htons(options->port);
        return true;
    }
    address->six.sin6_family = AF_INET6;
    address->six.sin6_port = htons(options->port);
    if (inet_pton(AF_INET6, text, &address->six.sin6_addr) == 1)
        return true;
    return error_user(error,
                      "--live-bind %s: an address of this machine in numbers is needed, such as "
                      "127.0.0.1, or 0.0.0.0 for all that it has",
                      text);
}

static socklen_t address_bytes(const union address *address)
{
    return address->any.sa_family == AF_INET ? sizeof address->four : sizeof address->six;
}

/* A socket that listens; -1 on failure. */
static int listener_open(const struct live_options *options, union address *address,
                         struct ogv_error *error)
{
    int yes = 1, listener = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t bytes = sizeof *address;
    if (listener >= 0 && setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(listener, &address->any, address_bytes(address)) == 0 &&
        listen(listener, BACKLOG) == 0 && getsockname(listener, &address->any, &bytes) == 0)
        return listener;
    error_user(error, "--live: cannot listen at port %u of %s: %s%s", options->port,
               options->address ? options->address : "127.0.0.1", strerror(errno),
               errno == EADDRINUSE ? "; without a number, a free port is taken" : "");
    if (listener >= 0)
        close(listener);
    return -1;
}

/* The address as a browser wants it; this machine's name where any address would do. */
static char *address_url(const struct live *live, const union address *address)
{
    char text[INET6_ADDRSTRLEN] = "";
    bool four = address->any.sa_family == AF_INET;
    bool any = four ? address->four.sin_addr.s_addr == htonl(INADDR_ANY)
                    : IN6_IS_ADDR_UNSPECIFIED(&address->six.sin6_addr);
    u16 port = ntohs(four ? address->four.sin_port : address->six.sin6_port);
    inet_ntop(address->any.sa_family,
              four ? (const void *)&address->four.sin_addr : &address->six.sin6_addr, text,
              sizeof text);
    return text_format("http://%s%s%s:%u/?token=%s", four || any ? "" : "[",
                       any ? live->machine : text, four || any ? "" : "]", port, live->token);
}

/* ---- Opening ---- */

static bool live_listen(struct live *live, const struct live_options *options,
                        struct ogv_error *error)
{
    union address address;
    if (!address_read(options, &address, error))
        return false;
    int listener = listener_open(options, &address, error);
    if (listener < 0)
        return false;
    live->url = address_url(live, &address);
    if (server_start(live, listener, error))
        return true;
    close(listener);
    return false;
}

struct live *live_open(const struct live_options *options, struct ogv_error *error)
{
    struct live *live = heap_array(1, sizeof *live);
    pthread_mutex_init(&live->lock, NULL);
    pthread_cond_init(&live->news, NULL);
    gethostname(live->machine, sizeof live->machine - 1);
    if (access_token(live->token, error) && access_token(live->nonce, error) &&
        live_listen(live, options, error))
        return live;
    live_close(live);
    return NULL;
}

const char *live_url(const struct live *live)
{
    return live->url;
}

struct run_watcher live_watcher(struct live *live)
{
    return watch_functions(live);
}

/* ---- Closing ---- */

/* Whether somebody has yet to hear the end; under the lock. */
static bool farewell_due(const struct live *live, double begun)
{
    double spent = wall_clock() - begun;
    bool watched = live->asked_at > 0 && begun - live->asked_at < WATCHED_WITHIN;
    return watched && spent < (live->ended_heard ? FAREWELL_LEAST : FAREWELL);
}

void live_finish(struct live *live, const char *report)
{
    const struct timespec nap = { .tv_nsec = FAREWELL_NAP_NS };
    double begun = wall_clock();
    bool due = true;
    pthread_mutex_lock(&live->lock);
    live->report = report ? heap_copy(report) : NULL;
    live->report_known = true;
    pthread_mutex_unlock(&live->lock);
    while (due) {
        pthread_mutex_lock(&live->lock);
        due = farewell_due(live, begun);
        pthread_mutex_unlock(&live->lock);
        if (due)
            nanosleep(&nap, NULL);
    }
}

void live_close(struct live *live)
{
    if (!live)
        return;
    server_stop(live);
    watch_fini(live);
    pthread_cond_destroy(&live->news);
    pthread_mutex_destroy(&live->lock);
    free(live->page.bytes);
    free(live->state.bytes);
    free(live->image.bytes);
    free(live->status);
    free(live->report);
    free(live->url);
    free(live);
}
