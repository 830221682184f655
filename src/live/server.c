/* server.c - the server's side of the live page: checks who asks, sends what was published, and
 * notes what is wanted.
 *
 * One thread of libmicrohttpd, which never waits for the simulation: it holds the lock only to copy
 * and to set flags. Whatever is not a known path with the right method, token and host is refused,
 * and so is what can be read in two ways.
 */
#include <errno.h>
#include <jansson.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/wall.h"
#include "live/live_private.h"

#define REQUEST_BYTES   (32 * KiB) /* of a request's head, and of what answers it at a time */
#define UPLOAD_MAX      1024
#define TIMEOUT_SECONDS 15
#define STEP_MAX        UINT64_C(1000000000000000)

static const char preparing[] = "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\">"
                                "<meta http-equiv=\"refresh\" content=\"1\"><title>Ogive</title>"
                                "<p>The run is being prepared.</p></html>\n";

/* A request under way. */
struct asking {
    struct live *live;
    u64 uploaded;
    u64 number;     /* of the publication that answers it; 0: none */
    bool hears_end; /* its answer says that the run has ended */
};

/* ---- Answers ---- */

static void add_headers(const struct live *live, struct MHD_Response *response, const char *type)
{
    char *policy = text_format("default-src 'none'; script-src 'nonce-%s'; "
                               "style-src 'unsafe-inline'; img-src data: blob:; "
                               "connect-src 'self'; base-uri 'none'; form-action 'none'; "
                               "frame-ancestors 'none'",
                               live->nonce);
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Content-Security-Policy", policy);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    free(policy);
}

/* Takes the bytes over. */
static enum MHD_Result answer(const struct asking *asking, struct MHD_Connection *connection,
                              unsigned code, const char *type, char *bytes, size_t length)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(length, bytes, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(bytes);
        return MHD_NO;
    }
    add_headers(asking->live, response, type);
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, "Allow", "GET, POST");
    if (code == MHD_HTTP_FORBIDDEN || code == MHD_HTTP_BAD_REQUEST)
        MHD_add_response_header(response, "Connection", "close");
    if (asking->number) {
        char number[32];
        snprintf(number, sizeof number, "%llu", (unsigned long long)asking->number);
        MHD_add_response_header(response, "X-Ogive-Number", number);
    }
    enum MHD_Result result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_words(const struct asking *asking, struct MHD_Connection *connection,
                                    unsigned code, const char *words)
{
    char *text = text_format("%s\n", words);
    return answer(asking, connection, code, "text/plain; charset=utf-8", text, strlen(text));
}

/* A copy of what was published; NULL: nothing was. */
static char *publication_copy(const struct publication *publication, size_t *length)
{
    char *copy = publication->bytes ? heap_array(publication->length + 1, 1) : NULL;
    *length = publication->length;
    if (copy)
        memcpy(copy, publication->bytes, publication->length);
    return copy;
}

/* Somebody is there; under the lock. */
static void note_asked(struct live *live, struct publication *wanted)
{
    live->asked_at = wall_clock();
    wanted->wanted = true;
    atomic_store(&live->attention, true);
    pthread_cond_signal(&live->news);
}

/* ---- What can be had ---- */

static enum MHD_Result send_page(struct asking *asking, struct MHD_Connection *connection)
{
    struct live *live = asking->live;
    size_t length;
    pthread_mutex_lock(&live->lock);
    char *page = publication_copy(&live->page, &length);
    note_asked(live, &live->state);
    pthread_mutex_unlock(&live->lock);
    if (!page) {
        page = heap_copy(preparing);
        length = strlen(page);
    }
    return answer(asking, connection, MHD_HTTP_OK, "text/html; charset=utf-8", page, length);
}

/* A number of the query; `otherwise` if there is none. */
static bool query_number(struct MHD_Connection *connection, const char *name, u64 otherwise,
                         u64 *number)
{
    const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
    *number = otherwise;
    if (!text)
        return true;
    if (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 18)
        return false;
    *number = strtoull(text, NULL, 10);
    return true;
}

static void add_words(struct text *json, const char *key, const char *words)
{
    json_t *string = words ? json_string(words) : json_null();
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    text_add(json, ",\"%s\":%s", key, quoted ? quoted : "null");
    free(quoted);
    json_decref(string);
}

/* Nothing, if there is no picture or they have it. */
static enum MHD_Result send_image(struct asking *asking, struct MHD_Connection *connection)
{
    struct live *live = asking->live;
    u64 have;
    size_t length = 0;
    if (!query_number(connection, "have", 0, &have))
        return answer_words(asking, connection, MHD_HTTP_BAD_REQUEST, "have is a whole number");
    pthread_mutex_lock(&live->lock);
    bool newer = live->image.number != have;
    char *image = newer ? publication_copy(&live->image, &length) : NULL;
    asking->number = live->image.number;
    note_asked(live, &live->image);
    pthread_mutex_unlock(&live->lock);
    return answer(asking, connection, image ? MHD_HTTP_OK : MHD_HTTP_NO_CONTENT, "image/png", image,
                  length);
}

static enum MHD_Result send_state(struct asking *asking, struct MHD_Connection *connection)
{
    struct live *live = asking->live;
    u64 from, generation;
    if (!query_number(connection, "from", 0, &from) ||
        !query_number(connection, "generation", 0, &generation))
        return answer_words(asking, connection, MHD_HTTP_BAD_REQUEST,
                            "from and generation are whole numbers");
    struct text json = { 0 };
    struct history_part part = { 0 };
    size_t length;
    pthread_mutex_lock(&live->lock);
    text_add(&json, "{\"number\":%llu,\"image\":%llu,\"given\":%llu,\"taken\":%llu",
             (unsigned long long)live->state.number, (unsigned long long)live->image.number,
             (unsigned long long)live->requests_given, (unsigned long long)live->requests_taken);
    add_words(&json, "ended", live->report_known ? live->status : NULL);
    add_words(&json, "report", live->report);
    asking->hears_end = live->report_known;
    char *state = publication_copy(&live->state, &length);
    if (live->begun)
        history_part_copy(&part, &live->history, from, generation);
    note_asked(live, &live->state);
    pthread_mutex_unlock(&live->lock);
    text_add(&json, ",\n\"series\":");
    if (part.ends)
        history_part_write(&part, &json);
    else
        text_add(&json, "null");
    text_add(&json, ",\n\"snapshot\":%s}", state ? state : "null");
    history_part_fini(&part);
    free(state);
    return answer(asking, connection, MHD_HTTP_OK, "application/json", json.chars, json.length);
}

/* ---- What can be asked for ---- */

/* Notes it, and answers with its number: it is done when as many were taken. */
static enum MHD_Result take_request(struct asking *asking, struct MHD_Connection *connection,
                                    struct live_request wish)
{
    struct live *live = asking->live;
    pthread_mutex_lock(&live->lock);
    struct live_request *request = &live->request;
    if (wish.pause || wish.go_on || wish.step_cycles) {
        request->pause = wish.pause;
        request->go_on = wish.go_on;
        request->step_cycles = wish.step_cycles;
    }
    request->stop = request->stop || wish.stop;
    request->checkpoint = request->checkpoint || wish.checkpoint;
    u64 number = ++live->requests_given;
    atomic_store(&live->urgent, true);
    note_asked(live, &live->state);
    pthread_mutex_unlock(&live->lock);
    char *json = text_format("{\"request\":%llu}", (unsigned long long)number);
    return answer(asking, connection, MHD_HTTP_ACCEPTED, "application/json", json, strlen(json));
}

static enum MHD_Result take_pause(struct asking *asking, struct MHD_Connection *connection)
{
    return take_request(asking, connection, (struct live_request){ .pause = true });
}

static enum MHD_Result take_continue(struct asking *asking, struct MHD_Connection *connection)
{
    return take_request(asking, connection, (struct live_request){ .go_on = true });
}

static enum MHD_Result take_stop(struct asking *asking, struct MHD_Connection *connection)
{
    return take_request(asking, connection, (struct live_request){ .stop = true });
}

static enum MHD_Result take_checkpoint(struct asking *asking, struct MHD_Connection *connection)
{
    return take_request(asking, connection, (struct live_request){ .checkpoint = true });
}

static enum MHD_Result take_step(struct asking *asking, struct MHD_Connection *connection)
{
    u64 cycles;
    if (!query_number(connection, "cycles", 1, &cycles) || !cycles || cycles > STEP_MAX)
        return answer_words(asking, connection, MHD_HTTP_BAD_REQUEST,
                            "cycles is a whole number from 1 to 1000000000000000");
    return take_request(asking, connection, (struct live_request){ .step_cycles = cycles });
}

static const struct {
    const char *method, *path;
    enum MHD_Result (*function)(struct asking *asking, struct MHD_Connection *connection);
} routes[] = {
    { "GET", "/", send_page },
    { "GET", "/state", send_state },
    { "GET", "/image.png", send_image },
    { "POST", "/pause", take_pause },
    { "POST", "/continue", take_continue },
    { "POST", "/step", take_step },
    { "POST", "/stop", take_stop },
    { "POST", "/checkpoint", take_checkpoint },
};

/* ---- Requests ---- */

/* What a request may say once: of two, one might be checked and the other meant. */
static const struct {
    enum MHD_ValueKind kind;
    const char *name;
} singular[] = {
    { MHD_HEADER_KIND, "Host" },           { MHD_HEADER_KIND, "Origin" },
    { MHD_HEADER_KIND, "Content-Length" }, { MHD_HEADER_KIND, "Transfer-Encoding" },
    { MHD_GET_ARGUMENT_KIND, "token" },
};

#define SINGULARS (sizeof singular / sizeof *singular)

struct reading {
    u32 counts[SINGULARS];
    bool odd; /* the name of a header has blanks in it, which some would overlook */
};

static enum MHD_Result reading_note(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    struct reading *reading = context;
    (void)value;
    for (size_t i = 0; i < SINGULARS; i++)
        reading->counts[i] += kind == singular[i].kind && !strcasecmp(name, singular[i].name);
    reading->odd = reading->odd || (kind == MHD_HEADER_KIND && strpbrk(name, " \t"));
    return MHD_YES;
}

static bool request_is_clear(struct MHD_Connection *connection)
{
    struct reading reading = { 0 };
    MHD_get_connection_values(connection, MHD_HEADER_KIND, reading_note, &reading);
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, reading_note, &reading);
    bool clear = !reading.odd;
    for (size_t i = 0; i < SINGULARS; i++)
        clear = clear && reading.counts[i] <= 1;
    return clear &&
           (!MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length") ||
            !MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Transfer-Encoding"));
}

/* Whoever has shown the token keeps the place. */
static void visitor_know(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct visitor *visitor = info ? info->socket_context : NULL;
    if (visitor)
        visitor->known = true;
}

static enum MHD_Result serve(struct asking *asking, struct MHD_Connection *connection,
                             const char *path, const char *method)
{
    const struct live *live = asking->live;
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *token = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");
    if (!request_is_clear(connection))
        return answer_words(asking, connection, MHD_HTTP_BAD_REQUEST,
                            "this can be read in two ways: something that may be said once is "
                            "there twice");
    if (!access_host_allowed(host, live->machine))
        return answer_words(asking, connection, MHD_HTTP_FORBIDDEN,
                            "this host is asked for by its address, or as localhost");
    if (!access_token_equal(token, live->token))
        return answer_words(asking, connection, MHD_HTTP_FORBIDDEN,
                            "the address that the run printed has the token that this needs");
    visitor_know(connection);
    bool known = false;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        bool here = !strcmp(routes[i].path, path);
        if (here && !strcmp(routes[i].method, method))
            return routes[i].function(asking, connection);
        known = known || here;
    }
    return known ? answer_words(asking, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                                "not by this method: what changes the run is a POST")
                 : answer_words(asking, connection, MHD_HTTP_NOT_FOUND, "there is nothing here");
}

/* First call of a request: its head has come. Then its body, if any, in pieces; last, all is there.
 */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *upload, size_t *upload_bytes, void **state)
{
    struct asking *asking = *state;
    (void)version;
    (void)upload;
    if (!asking) {
        asking = heap_array(1, sizeof *asking);
        asking->live = context;
        *state = asking;
        return MHD_YES;
    }
    asking->uploaded += *upload_bytes;
    if (asking->uploaded > UPLOAD_MAX)
        return MHD_NO;
    if (*upload_bytes) {
        *upload_bytes = 0;
        return MHD_YES;
    }
    return serve(asking, connection, path, method);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code)
{
    struct live *live = context;
    struct asking *asking = *state;
    (void)connection;
    if (asking && asking->hears_end && code == MHD_REQUEST_TERMINATED_COMPLETED_OK) {
        pthread_mutex_lock(&live->lock);
        live->ended_heard = true;
        pthread_mutex_unlock(&live->lock);
    }
    free(asking);
    *state = NULL;
}

static void on_connection(void *context, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode code)
{
    struct live *live = context;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (code == MHD_CONNECTION_NOTIFY_STARTED && info)
        *state = door_enter(&live->door, info->connect_fd);
    if (code == MHD_CONNECTION_NOTIFY_CLOSED && *state)
        door_leave(&live->door, *state);
}

/* ---- Starting and stopping ---- */

bool server_start(struct live *live, int listener, struct ogv_error *error)
{
    live->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, NULL, NULL, on_request, live,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)DOOR_PLACES,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)TIMEOUT_SECONDS, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, live, MHD_OPTION_NOTIFY_COMPLETED, on_completed, live, MHD_OPTION_END);
    return live->daemon ||
           error_system(error, "--live: the server cannot start: %s", strerror(errno));
}

void server_stop(struct live *live)
{
    if (live->daemon)
        MHD_stop_daemon(live->daemon);
    live->daemon = NULL;
}
