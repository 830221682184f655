/* wake_stress.c - random networks of units that sleep, push and pop at random: no wake-up is ever
 * lost, and nothing that must not matter does.
 *
 * Each seed makes a chip: domains, nodes on various clocks, links of all latencies and small
 * capacities. Nodes make messages, pass them on over several hops, sometimes answer on links that
 * lead back, and pause now and then: not at all, for a few cycles, for about as long as the wheel
 * reaches, or far beyond. Every node folds what it does and when into a digest. The digests of a
 * run that never sleeps are right by construction: it looks at every link in every cycle. All other
 * ways to run must give the same.
 *
 * Messages go on only to nodes with a higher number and answers are always taken, so no such
 * network can block: all messages must arrive. A second kind of network has links in circles, and
 * may end in a deadlock; then all runs must end in the same one. */
#include <string.h>

#include "ogive/random.h"
#include "sim/bench_chip.h"

#define SEEDS         60
#define SEEDS_CIRCLES 40
#define NODE_TYPE     1
#define NODE_LINKS    12
#define PENDING       4

/* ---- Nodes ---- */

struct port_in {
    struct link *link;
    bool answers; /* what comes here is only counted */
};

struct port_out {
    struct link *link;
    bool answers;
    u32 owed; /* answers to send */
};

struct parcel {
    u64 tag;
    u32 hops, way;
};

struct node {
    struct unit base;
    struct port_in in[NODE_LINKS];
    struct port_out out[NODE_LINKS];
    u32 in_count, out_count, onward; /* out[0 .. onward) lead on, the rest back */
    u64 random;
    u64 to_make;
    cycle due, ready;
    u32 burst; /* messages taken from one link in one tick */
    bool lazy; /* sleeps without a time of its own whenever the links must wake it */

    struct parcel pending[PENDING];
    u32 pending_count;

    cycle refused_since; /* NEVER: not refused */
    u64 made, taken, ended, sent, answered, refused_cycles, digest;
};

static void node_fold(struct node *node, cycle now, u64 what)
{
    node->digest = (node->digest ^ now) * UINT64_C(0x100000001b3);
    node->digest = (node->digest ^ what) * UINT64_C(0x9e3779b97f4a7c15);
    node->digest ^= node->digest >> 29;
}

static cycle node_pause(struct node *node)
{
    switch (random_below(&node->random, 16)) {
    case 0:
        return 1 + random_below(&node->random, 40);
    case 1:
        return WHEEL_CYCLES - 4 + random_below(&node->random, 8);
    case 2:
        return random_below(&node->random, 4) ? 3 : 300 + random_below(&node->random, 1500);
    default:
        return 0;
    }
}

static void node_keep(struct node *node, u64 tag, u32 hops)
{
    u32 way = (u32)random_below(&node->random, node->onward);
    node->pending[node->pending_count++] = (struct parcel){ tag, hops, way };
    unit_hold(&node->base, 1);
}

static void node_owe_answer(struct node *node)
{
    u32 back = node->out_count - node->onward;
    if (!back || random_below(&node->random, 3))
        return;
    node->out[node->onward + random_below(&node->random, back)].owed++;
    unit_hold(&node->base, 1);
}

static u32 node_take_from(struct node *node, struct port_in *port, cycle now)
{
    u32 taken = 0;
    const struct message *message;
    while (taken < node->burst && (port->answers || node->pending_count < PENDING) &&
           (message = link_peek(port->link))) {
        u64 tag = message->address;
        u32 hops = message->kind;
        node_fold(node, now, tag + ((u64)(port - node->in) << 48));
        link_pop(port->link);
        taken++;
        node->taken++;
        if (port->answers)
            continue;
        if (hops && node->onward)
            node_keep(node, tag, hops - 1);
        else
            node->ended++;
        node_owe_answer(node);
    }
    return taken;
}

static void node_send(struct node *node, struct port_out *port, u64 tag, u32 hops)
{
    struct message *message = link_push(port->link);
    message->address = tag;
    message->kind = (u16)hops;
    node->sent++;
    unit_release(&node->base, 1);
    unit_progress(&node->base);
}

static u32 node_send_answers(struct node *node, cycle now)
{
    u32 sent = 0;
    for (u32 i = node->onward; i < node->out_count; i++) {
        struct port_out *port = &node->out[i];
        for (; port->owed && link_can_push(port->link); port->owed--, sent++) {
            node_send(node, port, node->answered++, 0);
            node_fold(node, now, i);
        }
    }
    return sent;
}

static u32 node_send_pending(struct node *node, cycle now)
{
    if (!node->pending_count)
        return 0;
    struct parcel parcel = node->pending[0];
    if (!link_can_push(node->out[parcel.way].link)) {
        if (node->refused_since == NEVER)
            node->refused_since = now;
        return 0;
    }
    if (node->refused_since != NEVER)
        node->refused_cycles += now - node->refused_since;
    node->refused_since = NEVER;
    node_send(node, &node->out[parcel.way], parcel.tag, parcel.hops);
    node_fold(node, now, parcel.tag ^ parcel.way);
    node->pending_count--;
    memmove(node->pending, node->pending + 1, node->pending_count * sizeof *node->pending);
    return 1;
}

static u32 node_make(struct node *node, cycle now)
{
    if (!node->to_make || now < node->due || node->pending_count == PENDING)
        return 0;
    node->due = now + 1 + random_below(&node->random, 60) + 4 * node_pause(node);
    node_keep(node, (u64)node->base.number << 32 | node->made++,
              (u32)random_below(&node->random, 5));
    if (!--node->to_make)
        unit_release(&node->base, 1);
    return 1;
}

/* Whether all that is left to do will come with a wake-up from a link, or at `due`. */
static bool node_may_rely_on_links(const struct node *node)
{
    if (node->pending_count)
        return false;
    for (u32 i = node->onward; i < node->out_count; i++)
        if (node->out[i].owed)
            return false;
    return true;
}

static cycle node_tick(struct unit *unit, cycle now)
{
    struct node *node = (struct node *)unit;
    if (now < node->ready)
        return node->ready;
    bool was_full = node->pending_count == PENDING;
    u32 done = 0;
    for (u32 i = 0; i < node->in_count; i++)
        done += node_take_from(node, &node->in[i], now);
    was_full |= node->pending_count == PENDING;
    done += node_send_answers(node, now);
    done += node_send_pending(node, now);
    done += node_make(node, now);
    cycle due = node->to_make && node->pending_count < PENDING ? node->due : NEVER;
    if (!done)
        return due > now ? due : NEVER;
    cycle pause = node_pause(node);
    if (node->lazy && !pause && !was_full && node_may_rely_on_links(node))
        return due;
    node->ready = now + 1 + pause;
    return node->ready;
}

/* ---- Networks ---- */

struct network {
    struct sim *sim;
    struct node *nodes[192];
    struct domain *domains[8];
    u32 node_count, domain_count;
    u64 random;
};

static u64 pick(struct network *net, u64 from, u64 to)
{
    return from + random_below(&net->random, to - from + 1);
}

static struct clock_ratio pick_clock(struct network *net)
{
    static const struct clock_ratio others[] = { { 3500, 1515 }, { 1, 3 }, { 7, 5 }, { 2, 1 } };
    return pick(net, 0, 3) ? NO_CLOCK : others[pick(net, 0, 3)];
}

static void net_add_node(struct network *net)
{
    struct domain *domain = net->domains[pick(net, 0, net->domain_count - 1)];
    struct node *node = (struct node *)sim_add_unit(net->sim, domain, NODE_TYPE,
                                                    sizeof(struct node), pick_clock(net));
    assert_non_null(node);
    node->random = random_next(&net->random);
    node->burst = (u32)pick(net, 1, 3);
    node->lazy = pick(net, 0, 1);
    node->refused_since = NEVER;
    net->nodes[net->node_count++] = node;
}

static u32 pick_latency(struct network *net, cycle shortest)
{
    u32 latency = (u32)(pick(net, 0, 2) ? pick(net, 1, 12) : pick(net, 1, LINK_LATENCY_MAX));
    return (u32)max_u64(latency, shortest);
}

static void net_add_link(struct network *net, struct node *from, struct node *to, cycle shortest,
                         bool answers)
{
    if (from->out_count == NODE_LINKS || to->in_count == NODE_LINKS)
        return;
    bool crosses = from->base.domain != to->base.domain;
    u32 latency = pick_latency(net, crosses ? shortest : 1);
    struct link *link =
        sim_add_link(net->sim, &from->base, &to->base, latency, (u32)pick(net, 1, 8));
    assert_non_null(link);
    from->out[from->out_count++] = (struct port_out){ link, answers, 0 };
    to->in[to->in_count++] = (struct port_in){ link, answers };
    from->onward += !answers;
}

static void net_add_links(struct network *net, cycle shortest, bool circles)
{
    u32 last = net->node_count - 1;
    for (u32 i = 0; i < last; i++) {
        net_add_link(net, net->nodes[i], net->nodes[i + 1], shortest, false);
        for (u64 extra = pick(net, 0, 2); extra; extra--)
            net_add_link(net, net->nodes[i], net->nodes[pick(net, i + 1, last)], shortest, false);
    }
    if (circles)
        net_add_link(net, net->nodes[last], net->nodes[0], shortest, false);
    for (u32 i = 1; i <= last; i++)
        if (pick(net, 0, 1))
            net_add_link(net, net->nodes[i], net->nodes[pick(net, 0, i - 1)], shortest, true);
}

static void net_build(struct network *net, u64 seed, bool circles)
{
    static const cycle shortests[] = { 1, 2, 3, 8, 20, 40, 64, 100, 255 };
    *net = (struct network){ .sim = bench_create(), .random = seed };
    net->domain_count = (u32)pick(net, 1, 6);
    for (u32 i = 0; i < net->domain_count; i++)
        net->domains[i] = bench_domain(net->sim);
    /* Now and then more nodes than one word of a calendar has bits. */
    u64 nodes = seed % 10 == 9 ? pick(net, 130, 192) : pick(net, 2, 16);
    for (u64 i = 0; i < nodes; i++)
        net_add_node(net);
    net_add_links(net, shortests[pick(net, 0, sizeof shortests / sizeof *shortests - 1)], circles);
    for (u32 i = 0; i < net->node_count; i++) {
        struct node *node = net->nodes[i];
        node->to_make = node->onward && pick(net, 0, 2) ? pick(net, 1, circles ? 60 : 25) : 0;
        if (nodes > 64)
            node->to_make = min_u64(node->to_make, 3);
        if (node->to_make)
            unit_hold(&node->base, 1);
    }
    bench_set_tick(NODE_TYPE, node_tick);
}

/* ---- What a run leaves ---- */

struct outcome {
    enum sim_end end;
    cycle last_change, ended_at;
    u32 node_count;
    u64 made, taken, ended, sent;
    u64 digests[192], refused[192];
};

static struct outcome net_outcome(const struct network *net, enum sim_end end)
{
    struct outcome outcome = { .end = end, .node_count = net->node_count };
    outcome.ended_at = sim_chip(net->sim)->ended_at;
    for (u32 i = 0; i < net->domain_count; i++)
        outcome.last_change = max_u64(outcome.last_change, net->domains[i]->last_change);
    for (u32 i = 0; i < net->node_count; i++) {
        const struct node *node = net->nodes[i];
        outcome.made += node->made;
        outcome.taken += node->taken;
        outcome.ended += node->ended;
        outcome.sent += node->sent;
        outcome.digests[i] = node->digest;
        outcome.refused[i] = node->refused_cycles;
    }
    return outcome;
}

static struct outcome run_at_once(u64 seed, bool circles, struct sim_options options)
{
    struct network net;
    net_build(&net, seed, circles);
    bench_seal(net.sim, options);
    struct outcome outcome = net_outcome(&net, bench_finish(net.sim));
    if (outcome.end == SIM_FINISHED)
        assert_true(outcome.ended_at > outcome.last_change);
    bench_destroy(net.sim);
    return outcome;
}

static void expect_same(const struct outcome *reference, const struct outcome *outcome, u64 seed,
                        const char *way)
{
    bool same = !memcmp(reference->digests, outcome->digests, sizeof reference->digests) &&
                !memcmp(reference->refused, outcome->refused, sizeof reference->refused);
    same = same && reference->last_change == outcome->last_change;
    if (reference->end != outcome->end || reference->ended_at != outcome->ended_at || !same)
        fail_msg("seed %llu, %s: ended as %d at %llu instead of %d at %llu, statistics %s",
                 (unsigned long long)seed, way, outcome->end, (unsigned long long)outcome->ended_at,
                 reference->end, (unsigned long long)reference->ended_at,
                 same ? "the same" : "differ");
}

struct way {
    const char *name;
    struct sim_options options;
};

static const struct way ways[] = {
    { "asleep", { .threads = 1 } },
    { "backwards", { .threads = 1, .order = SIM_ORDER_REVERSE } },
    { "sleepless backwards", { .threads = 1, .order = SIM_ORDER_REVERSE, .sleepless = true } },
    { "windows of 1", { .threads = 1, .window = 1 } },
    { "windows of 2", { .threads = 1, .window = 2 } },
    { "windows of 5, backwards", { .threads = 1, .window = 5, .order = SIM_ORDER_REVERSE } },
    { "2 threads", { .threads = 2 } },
    { "3 threads, windows of 2", { .threads = 3, .window = 2 } },
    { "4 threads", { .threads = 4 } },
    { "4 threads, backwards", { .threads = 4, .order = SIM_ORDER_REVERSE } },
};
#define WAYS (sizeof ways / sizeof *ways)

static const struct sim_options sleepless = { .threads = 1, .sleepless = true };

static void networks_do_the_same_however_they_are_run(void **state)
{
    (void)state;
    for (u64 seed = 0; seed < SEEDS; seed++) {
        struct outcome reference = run_at_once(seed, false, sleepless);
        for (u32 i = 0; i < WAYS; i++) {
            struct outcome outcome = run_at_once(seed, false, ways[i].options);
            expect_same(&reference, &outcome, seed, ways[i].name);
        }
    }
}

static void all_messages_arrive(void **state)
{
    (void)state;
    u64 made = 0;
    for (u64 seed = 0; seed < 4 * SEEDS; seed++) {
        struct outcome outcome = run_at_once(seed, false, ways[seed % 4].options);
        assert_int_equal(outcome.end, SIM_FINISHED);
        assert_int_equal(outcome.taken, outcome.sent);
        assert_int_equal(outcome.ended, outcome.made);
        made += outcome.made;
    }
    assert_true(made > 4 * SEEDS * 10); /* the networks do something */
}

static void networks_with_circles_do_the_same_however_they_are_run(void **state)
{
    (void)state;
    u32 ends[SIM_LIVELOCK + 1] = { 0 };
    for (u64 seed = 1000; seed < 1000 + SEEDS_CIRCLES; seed++) {
        struct outcome reference = run_at_once(seed, true, sleepless);
        ends[reference.end]++;
        for (u32 i = 0; i < WAYS; i++) {
            struct outcome outcome = run_at_once(seed, true, ways[i].options);
            expect_same(&reference, &outcome, seed, ways[i].name);
        }
    }
    assert_true(ends[SIM_FINISHED] > 0);
    assert_true(ends[SIM_DEADLOCK] > 0);
}

static bool poll_now_and_then(void *context)
{
    return random_below(context, 40) == 0;
}

/* Stops at random cycles and goes on with other threads, windows and orders. */
static struct outcome run_in_pieces(u64 seed)
{
    struct network net;
    u64 random = ~seed;
    cycle until = 0;
    enum sim_end end;
    net_build(&net, seed, false);
    bench_seal(net.sim, ways[0].options);
    do {
        struct sim_options options = ways[random_below(&random, WAYS)].options;
        if (!random_below(&random, 4))
            options.threads = 0;
        sim_set_options(net.sim, &options);
        until += 1 + random_below(&random, 300);
        end = sim_run(net.sim, until, (struct sim_poll){ poll_now_and_then, &random });
    } while (end == SIM_REACHED || end == SIM_PAUSED);
    struct outcome outcome = net_outcome(&net, end);
    bench_destroy(net.sim);
    return outcome;
}

static void pieces_run_in_different_ways_make_the_same_whole(void **state)
{
    (void)state;
    for (u64 seed = 0; seed < SEEDS; seed++) {
        struct outcome reference = run_at_once(seed, false, sleepless);
        struct outcome outcome = run_in_pieces(seed);
        expect_same(&reference, &outcome, seed, "in pieces");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(networks_do_the_same_however_they_are_run),
        bench_test(all_messages_arrive),
        bench_test(networks_with_circles_do_the_same_however_they_are_run),
        bench_test(pieces_run_in_different_ways_make_the_same_whole),
    };
    return cmocka_run_group_tests_name("wake_stress", tests, NULL, NULL);
}
