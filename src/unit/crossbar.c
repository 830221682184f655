/* crossbar.c - every input to every output: messages one way, or requests there and answers back.
 *
 * The output is chosen by the message's address; an answer goes back to the user that asked. Each
 * direction is a fabric of its own, so answers never wait for requests. Each port moves up to
 * `width` messages per cycle.
 *
 * round_robin: an input shows only its oldest message (head of line). Each output picks among the
 * inputs that want it by round robin, so no input waits longer than one turn of all others.
 *
 * islip (McKeown 1999): each input has a queue for each output. In each iteration every free output
 * grants to one of the inputs that have something for it, every free input accepts one of the
 * grants; both in turn, and a turn moves on only when its grant was accepted in the first
 * iteration.
 *
 * Where `outstanding` requests are under way, those that must wait go first when answers come: in
 * turn over the outputs (round_robin) or the inputs (islip).
 *
 * Always true: input i stands in wants[o] exactly while the oldest message that it shows goes to
 * output o (round_robin) or its queue for o is not empty (islip); requests - answers = records in
 * use. */
#include "ogive/explain.h"
#include "ogive/memory.h"
#include "ogive/unit.h"

#define CROSSBAR_QUEUES_MAX (UINT64_C(1) << 24)

/* clang-format off */
#define CROSSBAR_ARBITRATIONS(C, with) C(round_robin, with) C(islip, with)

#define CROSSBAR_PARAMS(P)                                                                         \
    P(choice, arbitration, "round_robin", UNIT_CHOICES(CROSSBAR_ARBITRATIONS), 0, "who passes")    \
    P(number, iterations, 1, 1, 16, "rounds of grants and accepts per cycle, with islip")          \
    P(number, width, 1, 1, 64, "messages per port and cycle")                                      \
    P(cycles, latency, 0, 0, 10000, "cycles from passing to leaving")                              \
    P(number, input_queue, 8, 1, 4096,                                                             \
      "messages of one input that may wait for one output, with islip; else they wait in the link") \
    P(number, output_queue, 0, 0, 65536, "messages that may wait at an output for room in its link") \
    P(number, outstanding, 65536, 1, 1 << 24, "requests that may be under way at once")

#define CROSSBAR_STATS(S)                                                                          \
    S(moved, "messages", SUM, WORK, "messages passed from an input to an output")                  \
    S(conflicts, "messages", SUM, WORK, "message-cycles lost to another input at the same output") \
    S(full, "cycles", SUM, WORK, "cycles with `outstanding` requests under way")

#define CROSSBAR_RATIOS(R)

#define CROSSBAR_ENERGY(E) E(message, moved, COST_UNKNOWN, "no number is published")

#define CROSSBAR_PORTS(T)                                                                          \
    T(in, RECEIVES, ANY, "inputs of one-way messages")                                             \
    T(out, SENDS, ANY, "outputs; more than one must be linked `by: address`")                      \
    T(users, SERVES, ANY, "who asks")                                                              \
    T(memories, ASKS, ANY, "who answers; more than one must be linked `by: address`")
/* clang-format on */

enum crossbar_arbitration { CROSSBAR_ARBITRATIONS(UNIT_CHOICE_VALUE, ARBITRATION_) };
enum crossbar_direction { ONE_WAY, REQUESTS, ANSWERS };

/* A request under way: what its answer must carry, and to whom. */
struct crossbar_record {
    u64 address;
    u32 tag;
    u32 user; /* or, of a free record, the next free one */
};

/* How often something happened in a cycle; starts anew with every cycle. */
struct tally {
    cycle at;
    u64 count;
};

struct crossbar_output {
    struct bitset wants; /* inputs with a message for it */
    u32 waiting;         /* how many */
    struct rr_arbiter arbiter;
    struct slot
        *queue; /* ring; `at` is when one may leave. NULL: messages go to the link at once */
    u64 head, tail;
    struct tally taken, sent;
};

struct crossbar_input {
    struct bitset offers;      /* grants of this iteration, islip */
    struct rr_arbiter arbiter; /* of accepts */
    struct tally given;
    struct tally shown; /* taken from the link, islip */
};

/* The queue of an input for an output. */
struct crossbar_queue {
    struct message *ring;
    u64 head, tail;
};

struct fabric {
    enum crossbar_direction direction;
    struct ports *from, *to;
    struct crossbar_input *inputs;
    struct crossbar_output *outputs;
    struct crossbar_queue *queues; /* [input][output], islip */
    struct bitset known;           /* inputs that stand in an output's wants, round_robin */
    struct bitset busy;            /* outputs that somebody wants */
    struct bitset leaving;         /* outputs with messages in their queue */
    u64 moved;                     /* in this cycle */
    u32 turn;                      /* the first that found `outstanding` requests under way */
};

struct crossbar {
    struct unit base;
    UNIT_FIELDS(CROSSBAR)
    struct fabric fabrics[2];
    u32 fabric_count;
    struct crossbar_record *records;
    u32 free_record; /* first of those given back; NOBODY */
    u32 used;        /* records ever used */
    u64 under_way;
    cycle full_since; /* NEVER: not full */
    u64 output_room;
};

/* ---- Building ---- */

static bool fabric_init(struct crossbar *u, struct fabric *fabric, struct ogv_error *error)
{
    struct unit *unit = &u->base;
    u32 from = fabric->from->count, to = fabric->to->count;
    fabric->inputs = unit_alloc(unit, from, sizeof *fabric->inputs, error);
    fabric->outputs = fabric->inputs ? unit_alloc(unit, to, sizeof *fabric->outputs, error) : NULL;
    if (!fabric->outputs)
        return false;
    for (u32 o = 0; o < to && u->output_room; o++) {
        fabric->outputs[o].queue = unit_alloc(unit, u->output_room, sizeof(struct slot), error);
        if (!fabric->outputs[o].queue)
            return false;
    }
    if (u->p.arbitration != ARBITRATION_islip)
        return true;
    u64 queues = (u64)from * to;
    if (queues * u->p.input_queue > CROSSBAR_QUEUES_MAX)
        return unit_refuse(error, "has %u x %u queues of %llu messages; that is too much", from, to,
                           (unsigned long long)u->p.input_queue);
    fabric->queues = unit_alloc(unit, queues, sizeof *fabric->queues, error);
    for (u64 i = 0; fabric->queues && i < queues; i++) {
        fabric->queues[i].ring =
            unit_alloc(unit, u->p.input_queue, sizeof *fabric->queues[i].ring, error);
        if (!fabric->queues[i].ring)
            return false;
    }
    return fabric->queues;
}

static bool check_ports(const struct crossbar *u, struct ogv_error *error)
{
    const struct ports *from = u->w.users.count ? &u->w.users : &u->w.in;
    const struct ports *to = u->w.users.count ? &u->w.memories : &u->w.out;
    bool one_way = u->w.in.count || u->w.out.count;
    if ((u->w.users.count || u->w.memories.count) && one_way)
        return unit_refuse(error, "passes either one-way messages or requests and answers: link in "
                                  "and out, or users and memories");
    if (!from->count || !to->count)
        return unit_refuse(error, "has %u inputs and %u outputs; it needs both", from->count,
                           to->count);
    if (from->count > BITSET_MAX || to->count > BITSET_MAX)
        return unit_refuse(error, "has %u inputs and %u outputs; at most %d of each are possible",
                           from->count, to->count, BITSET_MAX);
    if (to->count > 1 && !to->route.interleave)
        return unit_refuse(error,
                           "has %u outputs, but its links do not say which address goes "
                           "where; add `by: address, interleave: ...` to the link",
                           to->count);
    return true;
}

static bool crossbar_init(struct unit *unit, struct ogv_error *error)
{
    struct crossbar *u = (struct crossbar *)unit;
    if (!check_ports(u, error))
        return false;
    u->full_since = NEVER;
    u->free_record = NOBODY;
    if (u->p.latency || u->p.output_queue)
        u->output_room = u->p.latency * u->p.width + (u->p.output_queue ? u->p.output_queue : 1);
    if (u->w.users.count) {
        /* Answers first: they free the records that requests need. */
        u->fabrics[0] =
            (struct fabric){ .direction = ANSWERS, .from = &u->w.memories, .to = &u->w.users };
        u->fabrics[1] =
            (struct fabric){ .direction = REQUESTS, .from = &u->w.users, .to = &u->w.memories };
        u->fabric_count = 2;
        u->records = unit_alloc(unit, u->p.outstanding, sizeof *u->records, error);
        if (!u->records)
            return false;
    } else {
        u->fabrics[0] = (struct fabric){ .direction = ONE_WAY, .from = &u->w.in, .to = &u->w.out };
        u->fabric_count = 1;
    }
    for (u32 i = 0; i < u->fabric_count; i++)
        if (!fabric_init(u, &u->fabrics[i], error))
            return false;
    return true;
}

/* ---- Addresses, and who asked ---- */

static u64 crossbar_local(const struct crossbar *u, u64 address)
{
    const struct route *route = &u->w.users.route;
    return route->interleave ? route_local(route, address) : address;
}

static u32 fabric_way(const struct crossbar *u, const struct fabric *fabric,
                      const struct message *message)
{
    if (fabric->direction == ANSWERS)
        return u->records[message->tag].user;
    if (fabric->to->count == 1)
        return 0;
    u64 address =
        fabric->direction == REQUESTS ? crossbar_local(u, message->address) : message->address;
    return route_way(&fabric->to->route, address);
}

/* Whether another message may pass in this direction. */
static bool fabric_open(const struct crossbar *u, const struct fabric *fabric)
{
    return fabric->direction != REQUESTS || u->under_way < u->p.outstanding;
}

static void record_request(struct crossbar *u, struct message *message, u32 user, cycle now)
{
    u64 address = message->address;
    message->address = crossbar_local(u, address);
    if ((message->kind & MEMORY_KIND) == MEMORY_PREFETCH)
        return; /* not answered */
    u32 index = u->free_record;
    if (index == NOBODY)
        index = u->used++;
    else
        u->free_record = u->records[index].user;
    u->records[index] = (struct crossbar_record){ address, message->tag, user };
    message->tag = index;
    if (++u->under_way == u->p.outstanding)
        u->full_since = now;
}

static void full_count(struct crossbar *u, cycle now)
{
    if (u->full_since == NEVER)
        return;
    u->s.full += now - u->full_since;
    u->full_since = now;
}

static void record_answer(struct crossbar *u, struct message *message, cycle now)
{
    u32 index = message->tag;
    message->address = u->records[index].address;
    message->tag = u->records[index].tag;
    u->records[index].user = u->free_record;
    u->free_record = index;
    full_count(u, now);
    u->full_since = NEVER;
    u->under_way--;
}

static u64 tally(const struct tally *tally, cycle now)
{
    return tally->at == now ? tally->count : 0;
}

static void tally_add(struct tally *tally, cycle now)
{
    if (tally->at != now)
        *tally = (struct tally){ now, 0 };
    tally->count++;
}

/* ---- Outputs ---- */

static bool output_has_room(const struct crossbar *u, const struct fabric *fabric, u32 way)
{
    const struct crossbar_output *output = &fabric->outputs[way];
    return output->queue ? output->tail - output->head < u->output_room
                         : link_can_push(fabric->to->at[way].out);
}

/* Sends what may leave; returns when there is more. */
static cycle output_send(struct crossbar *u, struct fabric *fabric, u32 way, cycle now)
{
    struct crossbar_output *output = &fabric->outputs[way];
    struct link *out = fabric->to->at[way].out;
    for (; output->head != output->tail; output->head++) {
        const struct slot *slot = &output->queue[output->head % u->output_room];
        if (slot->at > now)
            return slot->at;
        if (tally(&output->sent, now) == u->p.width)
            return now + 1;
        if (!link_can_push(out))
            return NEVER;
        *link_push(out) = slot->message;
        tally_add(&output->sent, now);
        unit_release(&u->base, 1);
    }
    bitset_remove(&fabric->leaving, way);
    return NEVER;
}

static cycle fabric_send(struct crossbar *u, struct fabric *fabric, cycle now)
{
    cycle soonest = NEVER;
    struct bitset *leaving = &fabric->leaving;
    for (u32 o = bitset_first(leaving); o != NOBODY; o = bitset_next(leaving, o + 1))
        soonest = min_u64(soonest, output_send(u, fabric, o, now));
    return soonest;
}

/* ---- Passing ---- */

static void fabric_want(struct fabric *fabric, u32 input, u32 way)
{
    bitset_add(&fabric->outputs[way].wants, input);
    bitset_add(&fabric->busy, way);
    fabric->outputs[way].waiting++;
}

static void fabric_unwant(struct fabric *fabric, u32 input, u32 way)
{
    bitset_remove(&fabric->outputs[way].wants, input);
    if (!--fabric->outputs[way].waiting)
        bitset_remove(&fabric->busy, way);
}

/* A message passes. */
static void fabric_put(struct crossbar *u, struct fabric *fabric, u32 input, u32 way,
                       const struct message *message, cycle now)
{
    struct crossbar_output *output = &fabric->outputs[way];
    struct message *sent;
    if (output->queue) {
        struct slot *slot = &output->queue[output->tail++ % u->output_room];
        slot->at = now + u->p.latency;
        sent = &slot->message;
        bitset_add(&fabric->leaving, way);
        unit_hold(&u->base, 1);
    } else {
        sent = link_push(fabric->to->at[way].out);
    }
    *sent = *message;
    if (fabric->direction == REQUESTS)
        record_request(u, sent, input, now);
    else if (fabric->direction == ANSWERS)
        record_answer(u, sent, now);
    tally_add(&fabric->inputs[input].given, now);
    tally_add(&output->taken, now);
    fabric->moved++;
    u->s.moved++;
}

/* ---- Round robin ---- */

/* Looks at the inputs whose oldest message is not known. */
static void heads_look(const struct crossbar *u, struct fabric *fabric, cycle now)
{
    const struct ports *from = fabric->from;
    for (u32 i = ports_pending(from, 0); i != NOBODY; i = ports_pending(from, i + 1)) {
        bool open =
            !bitset_has(&fabric->known, i) && tally(&fabric->inputs[i].given, now) < u->p.width;
        const struct message *message = open ? link_peek(from->at[i].in) : NULL;
        if (!message)
            continue;
        bitset_add(&fabric->known, i);
        fabric_want(fabric, i, fabric_way(u, fabric, message));
    }
}

static void heads_move(struct crossbar *u, struct fabric *fabric, u32 way, cycle now)
{
    struct crossbar_output *output = &fabric->outputs[way];
    if (!output_has_room(u, fabric, way))
        return;
    u32 winner = rr_pick(&output->arbiter, &output->wants);
    struct link *in = fabric->from->at[winner].in;
    fabric_put(u, fabric, winner, way, link_peek(in), now);
    link_pop(in);
    bitset_remove(&fabric->known, winner);
    fabric_unwant(fabric, winner, way);
    u->s.conflicts += output->waiting;
}

/* The outputs in [from, to); false if some were left because nothing more may pass. */
static bool heads_move_range(struct crossbar *u, struct fabric *fabric, u32 from, u32 to, cycle now)
{
    const struct bitset *busy = &fabric->busy;
    for (u32 o = bitset_next(busy, from); o < to; o = bitset_next(busy, o + 1)) {
        if (!fabric_open(u, fabric)) {
            fabric->turn = o;
            return false;
        }
        heads_move(u, fabric, o, now);
    }
    return true;
}

static void heads_pass(struct crossbar *u, struct fabric *fabric, cycle now)
{
    u32 turn = fabric->turn;
    heads_look(u, fabric, now);
    if (heads_move_range(u, fabric, turn, fabric->to->count, now))
        heads_move_range(u, fabric, 0, turn, now);
}

/* ---- iSLIP ---- */

static struct crossbar_queue *islip_queue(const struct fabric *fabric, u32 input, u32 way)
{
    return &fabric->queues[(u64)input * fabric->to->count + way];
}

/* Takes arrived messages into the queues. */
static void islip_look(struct crossbar *u, struct fabric *fabric, cycle now)
{
    const struct ports *from = fabric->from;
    for (u32 i = ports_pending(from, 0); i != NOBODY; i = ports_pending(from, i + 1)) {
        struct link *in = from->at[i].in;
        const struct message *message =
            tally(&fabric->inputs[i].shown, now) < u->p.width ? link_peek(in) : NULL;
        if (!message)
            continue;
        u32 way = fabric_way(u, fabric, message);
        struct crossbar_queue *queue = islip_queue(fabric, i, way);
        if (queue->tail - queue->head == u->p.input_queue)
            continue;
        if (queue->tail == queue->head)
            fabric_want(fabric, i, way);
        queue->ring[queue->tail++ % u->p.input_queue] = *message;
        link_pop(in);
        tally_add(&fabric->inputs[i].shown, now);
        unit_hold(&u->base, 1);
    }
}

/* The first of the inputs from `from` on, in a circle, that has given less than `most` so far. */
static u32 islip_next(const struct fabric *fabric, const struct bitset *wants, u32 from, u64 most,
                      cycle now)
{
    for (u32 turn = 0; turn < 2; turn++) {
        u32 i = bitset_next(wants, turn ? 0 : from);
        while (i != NOBODY && tally(&fabric->inputs[i].given, now) >= most)
            i = bitset_next(wants, i + 1);
        if (i != NOBODY)
            return i;
    }
    return NOBODY;
}

static void islip_move(struct crossbar *u, struct fabric *fabric, u32 input, u32 way, cycle now)
{
    struct crossbar_queue *queue = islip_queue(fabric, input, way);
    fabric_put(u, fabric, input, way, &queue->ring[queue->head++ % u->p.input_queue], now);
    unit_release(&u->base, 1);
    u->s.conflicts += fabric->outputs[way].waiting - 1;
    if (queue->head == queue->tail)
        fabric_unwant(fabric, input, way);
}

/* Every output that may take one more, up to `most` in this cycle, grants to an input. */
static void islip_grant(struct crossbar *u, struct fabric *fabric, u64 most, struct bitset *granted,
                        cycle now)
{
    const struct bitset *busy = &fabric->busy;
    for (u32 o = bitset_first(busy); o != NOBODY; o = bitset_next(busy, o + 1)) {
        struct crossbar_output *output = &fabric->outputs[o];
        if (tally(&output->taken, now) >= most || !output_has_room(u, fabric, o))
            continue;
        u32 input = islip_next(fabric, &output->wants, output->arbiter.next, most, now);
        if (input == NOBODY)
            continue;
        bitset_add(&fabric->inputs[input].offers, o);
        bitset_add(granted, input);
    }
}

/* The input accepts one of its offers; false if nothing more may pass. */
static bool islip_accept(struct crossbar *u, struct fabric *fabric, u32 index, bool first,
                         cycle now)
{
    struct crossbar_input *input = &fabric->inputs[index];
    struct rr_arbiter turn = input->arbiter;
    u32 way = rr_pick(&turn, &input->offers);
    while (!bitset_empty(&input->offers))
        bitset_remove(&input->offers, bitset_first(&input->offers));
    if (!fabric_open(u, fabric))
        return false;
    if (first) {
        input->arbiter = turn;
        fabric->outputs[way].arbiter.next = index + 1;
    }
    islip_move(u, fabric, index, way, now);
    return true;
}

/* Whether anything passed. */
static bool islip_iterate(struct crossbar *u, struct fabric *fabric, u64 most, bool first,
                          cycle now)
{
    struct bitset granted = { 0 };
    bool any = false, closed = false;
    struct rr_arbiter turn = { fabric->turn };
    islip_grant(u, fabric, most, &granted, now);
    for (u32 i; (i = rr_pick(&turn, &granted)) != NOBODY; bitset_remove(&granted, i)) {
        bool passed = islip_accept(u, fabric, i, first, now);
        if (!passed && !closed)
            fabric->turn = i;
        closed |= !passed;
        any |= passed;
    }
    return any;
}

/* The n-th message of each port in this cycle. */
static void islip_pass(struct crossbar *u, struct fabric *fabric, u64 most, cycle now)
{
    islip_look(u, fabric, now);
    for (u64 i = 0; i < u->p.iterations; i++)
        if (!islip_iterate(u, fabric, most, i == 0, now))
            return;
}

/* ---- The unit ---- */

/* Whether something could pass in the next cycle. */
static bool fabric_wanted(const struct crossbar *u, const struct fabric *fabric)
{
    if (!fabric_open(u, fabric))
        return false;
    for (u32 o = bitset_first(&fabric->busy); o != NOBODY; o = bitset_next(&fabric->busy, o + 1))
        if (output_has_room(u, fabric, o))
            return true;
    return false;
}

static cycle fabric_tick(struct crossbar *u, struct fabric *fabric, cycle now)
{
    fabric->moved = 0;
    fabric_send(u, fabric, now);
    for (u64 i = 1; i <= u->p.width; i++) {
        if (u->p.arbitration == ARBITRATION_islip)
            islip_pass(u, fabric, i, now);
        else
            heads_pass(u, fabric, now);
    }
    cycle soonest = fabric_send(u, fabric, now);
    bool more =
        fabric_wanted(u, fabric) || (fabric->moved && u->p.arbitration == ARBITRATION_islip);
    return more ? now + 1 : soonest;
}

static cycle crossbar_tick(struct unit *unit, cycle now)
{
    struct crossbar *u = (struct crossbar *)unit;
    cycle soonest = NEVER;
    for (u32 i = 0; i < u->fabric_count; i++)
        soonest = min_u64(soonest, fabric_tick(u, &u->fabrics[i], now));
    return soonest;
}

static void crossbar_report(struct unit *unit, cycle now)
{
    full_count((struct crossbar *)unit, now);
}

static struct link *crossbar_toward(struct unit *unit, u64 *address)
{
    struct crossbar *u = (struct crossbar *)unit;
    if (!u->w.users.count)
        return NULL;
    const struct ports *memories = &u->w.memories;
    *address = crossbar_local(u, *address);
    return memories->at[memories->count > 1 ? route_way(&memories->route, *address) : 0].out;
}

static const struct resource_row crossbar_resource_rows[] = {
    { .name = "requests under way",
      .kind = RESOURCE_ROOM,
      .capacity = "1",
      .used = "full",
      .held = "users_room + users_answer" },
    { .name = "passing", .kind = RESOURCE_DELAY, .held = "moved * latency + conflicts" },
    /* The other half are answers. */
    { .name = "links", .kind = RESOURCE_LINKS, .used = "moved / 2" },
    { 0 },
};

UNIT_TYPE(crossbar, CROSSBAR, "crossbar", .init = crossbar_init, .tick = crossbar_tick,
          .report = crossbar_report, .toward = crossbar_toward, UNIT_ENERGY(CROSSBAR),
          .resources = crossbar_resource_rows, .scales = "outstanding")
