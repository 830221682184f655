/* remote_run.c - orders to go on, forwards and backwards, and what is said when it stands still. */
#include <string.h>

#include "debug/remote.h"
#include "ogive/arbiter.h"

/* Signals by the numbers that the protocol uses. */
enum {
    SIGNAL_NONE = 0,
    SIGNAL_INTERRUPT = 2,
    SIGNAL_TRAP = 5,
    SIGNAL_ABORT = 6,
    SIGNAL_FAULT = 11
};

/* ---- Stops ---- */

static u32 stop_signal(const struct target_stop *stop)
{
    switch (stop->reason) {
    case STOP_INTERRUPT:
        return SIGNAL_INTERRUPT;
    case STOP_FAULT:
        return SIGNAL_FAULT;
    case STOP_HANG:
        return SIGNAL_ABORT;
    case STOP_END:
        return SIGNAL_NONE;
    default:
        return SIGNAL_TRAP;
    }
}

static const char *watch_name(enum target_point point)
{
    return point == POINT_WRITE ? "watch" : point == POINT_READ ? "rwatch" : "awatch";
}

static void stop_write(const struct target_stop *stop, struct text *out)
{
    text_add(out, "T%02xthread:%x;", stop_signal(stop), stop->thread + 1);
    if (stop->reason == STOP_BREAK)
        text_add(out, "swbreak:;");
    else if (stop->reason == STOP_WATCH)
        text_add(out, "%s:%llx;", watch_name(stop->point), (unsigned long long)stop->address);
    else if (stop->reason == STOP_BEGIN)
        text_add(out, "replaylog:begin;");
}

void remote_stopped(struct remote *remote, const struct target_stop *stop)
{
    struct text out = { 0 };
    remote->running = false;
    remote->stop = *stop;
    if (stop->last) {
        bool exited = stop->reason == STOP_END;
        remote_answer(remote, exited ? "W%02x" : "X%02x", exited ? stop->code : stop_signal(stop));
        return;
    }
    if (!remote->target->alive(remote->target->context, remote->stop.thread)) {
        u32 other = remote_alive(remote, 0);
        remote->stop.thread = other == NOBODY ? 0 : other;
    }
    remote->general = remote->stop.thread;
    stop_write(&remote->stop, &out);
    remote_answer_bytes(remote, out.chars, out.length);
    text_fini(&out);
}

/* ---- Orders ---- */

static void remote_go(struct remote *remote, struct target_order order)
{
    remote->running = true;
    remote->target->go(remote->target->context, &order);
}

/* One action of vCont: "c", "C05", "s", "S05", "rFROM,TO", each with ":thread" or for all others.
 * The step that is named is what counts; all others run on, as on hardware. */
static bool action_read(struct remote *remote, const char **at, struct target_order *order)
{
    struct target_order read = { .going = GOING_ON, .thread = NOBODY };
    char what = *(*at)++;
    u64 ignored;
    if (!what || !strchr("cCsSr", what))
        return false;
    if ((what == 'C' || what == 'S') && !hex_number(at, &ignored))
        return false;
    if (what == 'r' && !(hex_number(at, &read.from) && *(*at)++ == ',' && hex_number(at, &read.to)))
        return false;
    if (what != 'c' && what != 'C')
        read.going = GOING_STEP;
    if (**at == ':') {
        ++*at;
        if (!remote_read_thread(at, &read.thread))
            return false;
    }
    read.alone = read.thread != NOBODY;
    if (read.thread == NOBODY)
        read.thread = remote->general;
    if (read.going == GOING_STEP ? order->going != GOING_STEP : read.alone && !order->alone)
        *order = read;
    return !**at || **at == ';';
}

static void remote_vcont(struct remote *remote, const char *packet)
{
    struct target_order order = { .going = GOING_ON, .thread = remote->general };
    const char *at = packet + strlen("vCont");
    if (*at == '?') {
        remote_answer(remote, "vCont;c;C;s;S;r");
        return;
    }
    bool good = *at == ';';
    u32 actions = 0;
    for (; good && *at == ';'; actions++) {
        at++;
        good = action_read(remote, &at, &order);
    }
    order.alone = actions == 1 && order.alone;
    if (good && !*at)
        remote_go(remote, order);
    else
        remote_answer(remote, "E01");
}

/* The thread of a step that does not name one. */
static u32 remote_stepped(const struct remote *remote)
{
    const struct target *target = remote->target;
    bool chosen = remote->resumed != NOBODY && target->alive(target->context, remote->resumed);
    return chosen ? remote->resumed : remote->general;
}

bool remote_run(struct remote *remote, const char *packet)
{
    static const struct {
        const char *packet;
        enum target_going going;
    } plain[] = {
        { "bc", GOING_BACK }, { "bs", GOING_STEP_BACK }, { "c", GOING_ON }, { "s", GOING_STEP }
    };
    if (!strncmp(packet, "vCont", 5)) {
        remote_vcont(remote, packet);
        return true;
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (strcmp(packet, plain[i].packet) != 0)
            continue;
        remote_go(remote, (struct target_order){ .going = plain[i].going,
                                                 .thread = remote_stepped(remote) });
        return true;
    }
    return false;
}
