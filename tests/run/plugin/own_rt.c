/* own_rt.c - an RT core outside the tree, made of public headers alone.
 *
 * A lane has one ray. It fetches a node or a block of primitives, sector by sector, tests it for
 * `test` cycles, and goes on with what comes next, until the ray's hit is known; then the hit
 * leaves. Lanes share one port to memory, which takes a request per cycle. Nodes are bvh4, blocks
 * are tri48.
 *
 * Always true: a lane that is not free is in one state; the cycles of the states add up to
 * lane_cycles. */
#include <string.h>

#include "ogive/explain.h"
#include "ogive/memory.h"
#include "ogive/ray_trace.h"
#include "ogive/rt_node.h"
#include "ogive/rt_primitive.h"
#include "ogive/rt_walk.h"
#include "ogive/tracer.h"

#define OWN_RT_LANES_MAX 64
#define OWN_RT_STACK     16
#define OWN_RT_SECTORS   (sizeof(struct rt_bvh4) / MEMORY_SECTOR)

#define OWN_RT_PARAMS(P)                                               \
    P(number, lanes, 2, 1, OWN_RT_LANES_MAX, "rays under way at once") \
    P(cycles, test, 4, 1, 512, "cycles that the test of a node or a block takes")

#define OWN_RT_STATS(S)                                                              \
    S(finished, "rays", SUM, WORK, "rays finished, without the empty ones")          \
    S(nothing, "rays", SUM, WORK, "empty rays finished")                             \
    S(visited, "nodes", SUM, WORK, "nodes visited")                                  \
    S(lane_cycles, "cycles", SUM, WORK, "cycles of lanes in use: the sum of these:") \
    S##_ARRAY(spent, OWN_RT_STATES)

#define OWN_RT_STATES(S)                                                    \
    S(fetching, "cycles", SUM, WORK, "lane-cycles: for a node or block")    \
    S(testing, "cycles", SUM, WORK, "lane-cycles: testing a node or block") \
    S(leaving, "cycles", SUM, WORK, "lane-cycles: done, before the hit could leave")

#define OWN_RT_RATIOS(R)

#define OWN_RT_PORTS(T)                            \
    T(users, SERVES, SOME, "cores that have rays") \
    T(memory, ASKS, ONE, "where nodes and blocks are")

/* The order of the statistics. */
enum lane_state { FETCHING, TESTING, LEAVING, FREE };

struct lane {
    struct rt_ray ray;
    struct rt_slab slab;
    struct rt_shear shear;
    struct rt_walk walk;
    struct rt_child stack[OWN_RT_STACK];
    struct ray_outcome outcome;
    struct message request; /* that brought the ray */
    u32 user;
    u32 leaf;  /* rest of the leaf being visited; 0: none */
    u32 block; /* that is visited */
    bool node; /* what is fetched or tested is a node */
    u8 state;
    cycle since; /* when the state began, or was last charged */
    cycle ready; /* when the test is done */
    u64 address; /* of what is fetched */
    u32 sectors; /* of it; and how many were asked for and have come */
    u32 asked, come;
    u8 data[sizeof(struct rt_bvh4)] __attribute__((aligned(32)));
};

struct own_rt {
    struct unit base;
    UNIT_FIELDS(OWN_RT)
    struct lane *lanes;
    struct tree_place tree;
    struct ray_traces *traces; /* NULL: none are kept */
    u32 user_turn, lane_turn;
};

/* ---- Accounting ---- */

static void lane_charge(struct own_rt *u, struct lane *lane, cycle now)
{
    u64 span = now - lane->since;
    lane->since = now;
    if (lane->state == FREE)
        return;
    u->s.spent[lane->state] += span;
    u->s.lane_cycles += span;
}

static void lane_enter(struct own_rt *u, struct lane *lane, enum lane_state state, cycle now)
{
    lane_charge(u, lane, now);
    lane->state = (u8)state;
}

static u32 lane_number(const struct own_rt *u, const struct lane *lane)
{
    return (u32)(lane - u->lanes);
}

static void lane_trace(struct own_rt *u, const struct lane *lane, enum ray_trace_reason reason)
{
    if (u->traces)
        ray_trace_enter(u->traces, lane_number(u, lane), reason);
}

/* ---- What a ray does next ---- */

static void lane_leave(struct own_rt *u, struct lane *lane, cycle now)
{
    lane_enter(u, lane, LEAVING, now);
    lane_trace(u, lane, RAY_TRACE_ANSWER);
}

static void lane_fetch(struct own_rt *u, struct lane *lane, u64 address, u32 bytes, cycle now)
{
    lane->address = address;
    lane->sectors = (u32)((address % MEMORY_SECTOR + bytes + MEMORY_SECTOR - 1) / MEMORY_SECTOR);
    lane->asked = lane->come = 0;
    lane_enter(u, lane, FETCHING, now);
    lane_trace(u, lane, lane->node ? RAY_TRACE_NODE_FETCH : RAY_TRACE_BLOCK_FETCH);
    if (u->traces)
        ray_trace_fetch(u->traces, lane_number(u, lane), address, bytes);
}

static void lane_fetch_node(struct own_rt *u, struct lane *lane, u32 ref, cycle now)
{
    u64 bytes = sizeof(struct rt_bvh4);
    lane->node = true;
    lane->outcome.nodes++;
    u->s.visited++;
    lane_fetch(u, lane, u->tree.nodes + rt_ref_node(ref) * bytes, (u32)bytes, now);
}

/* The leaf's first block; the rest is for later. */
static void lane_fetch_block(struct own_rt *u, struct lane *lane, u32 leaf, cycle now)
{
    u64 bytes = sizeof(struct rt_tri48);
    u32 count = rt_ref_count(leaf);
    lane->node = false;
    lane->block = rt_ref_first(leaf);
    lane->leaf = count > 1 ? rt_ref_leaf(lane->block + 1, count - 1) : 0;
    lane_fetch(u, lane, u->tree.blocks + lane->block * bytes, (u32)bytes, now);
}

static bool lane_done(const struct lane *lane)
{
    bool any = lane->request.kind == MESSAGE_TRACE_ANY;
    return lane->outcome.broken || rt_ray_is_empty(&lane->ray) ||
           (any && lane->outcome.hit.triangle != RT_NOTHING);
}

/* The next entry of the tree that is worth a visit; whether there is one. */
static bool lane_next(struct lane *lane, struct rt_child *entry)
{
    enum rt_visit visit = RT_VISIT_CULLED;
    while (visit == RT_VISIT_CULLED)
        visit = rt_walk_next(&lane->walk, lane->outcome.hit.t, entry);
    return visit != RT_VISIT_END;
}

static void lane_step(struct own_rt *u, struct lane *lane, cycle now)
{
    struct rt_child entry;
    if (lane_done(lane))
        lane_leave(u, lane, now);
    else if (lane->leaf)
        lane_fetch_block(u, lane, lane->leaf, now);
    else if (!lane_next(lane, &entry))
        lane_leave(u, lane, now);
    else if (rt_ref_is_leaf(entry.ref))
        lane_fetch_block(u, lane, entry.ref, now);
    else
        lane_fetch_node(u, lane, entry.ref, now);
}

/* A tree that is none could have more levels than a walk can remember. */
static void lane_test_node(struct lane *lane)
{
    const struct rt_bvh4 *node = (const struct rt_bvh4 *)(const void *)lane->data;
    struct rt_child children[RT_CHILDREN_MAX];
    u32 count = rt_bvh4_test(node, &lane->slab, lane->outcome.hit.t, children);
    if (lane->walk.level >= RT_LEVELS)
        lane->outcome.broken = true;
    else
        rt_walk_children(&lane->walk, children, count);
}

static void lane_test_block(struct lane *lane)
{
    const void *block = lane->data + lane->address % MEMORY_SECTOR;
    lane->outcome.triangles += rt_tri48_test((const struct rt_tri48 *)block, lane->block,
                                             &lane->shear, &lane->outcome.hit);
}

static void lane_test(struct own_rt *u, struct lane *lane, cycle now)
{
    if (!lane->outcome.broken && lane->node)
        lane_test_node(lane);
    else if (!lane->outcome.broken)
        lane_test_block(lane);
    lane_step(u, lane, now);
}

/* ---- Memory ---- */

static void memory_take(struct own_rt *u, cycle now)
{
    struct link *in = u->w.memory.at[0].in;
    const struct message *answer = link_peek(in);
    if (!answer)
        return;
    u32 number = answer->tag / OWN_RT_SECTORS, sector = answer->tag % OWN_RT_SECTORS;
    struct lane *lane = &u->lanes[number];
    memcpy(lane->data + sector * MEMORY_SECTOR, answer->data.byte, MEMORY_SECTOR);
    lane->outcome.broken |= (answer->kind & MEMORY_KIND) == MEMORY_FAULT;
    if (u->traces)
        ray_trace_arrived(u->traces, number, answer->missed);
    link_pop(in);
    if (++lane->come < lane->sectors)
        return;
    lane->ready = now + u->p.test;
    lane_enter(u, lane, TESTING, now);
    lane_trace(u, lane, lane->node ? RAY_TRACE_BOX : RAY_TRACE_TRIANGLE);
}

/* The lane that may send next, from the turn on. NOBODY: none has anything to ask for. */
static u32 lane_asking(const struct own_rt *u)
{
    for (u32 i = 0; i < u->p.lanes; i++) {
        u32 number = (u32)((u->lane_turn + i) % u->p.lanes);
        const struct lane *lane = &u->lanes[number];
        if (lane->state == FETCHING && lane->asked < lane->sectors)
            return number;
    }
    return NOBODY;
}

static void memory_ask(struct own_rt *u)
{
    u32 number = lane_asking(u);
    struct link *out = u->w.memory.at[0].out;
    if (number == NOBODY || !link_can_push(out))
        return;
    struct lane *lane = &u->lanes[number];
    u64 first = lane->address / MEMORY_SECTOR;
    struct message *request = link_push(out);
    request->kind = MEMORY_READ;
    request->address = (first + lane->asked) * MEMORY_SECTOR;
    request->size_bytes = MEMORY_SECTOR;
    request->missed = 0;
    request->source = lane->request.source;
    request->tag = number * (u32)OWN_RT_SECTORS + lane->asked++;
    if (u->traces)
        ray_trace_sent(u->traces, number);
    u->lane_turn = number + 1;
}

/* ---- Rays in, hits out ---- */

static void lane_begin(struct own_rt *u, struct lane *lane, u32 user, cycle now)
{
    const struct link *in = u->w.users.at[user].in;
    lane->request = *link_peek(in);
    lane->user = user;
    lane->ray = tracer_ray(&lane->request);
    lane->slab = rt_slab_make(&lane->ray);
    lane->shear = rt_shear_make(&lane->ray);
    lane->outcome = (struct ray_outcome){ .hit = rt_hit_none(&lane->ray) };
    lane->leaf = 0;
    rt_walk_begin(&lane->walk, lane->stack, OWN_RT_STACK);
    if (u->traces)
        ray_trace_begin(u->traces, lane_number(u, lane), in);
    unit_hold(&u->base, 1);
    lane_step(u, lane, now);
}

/* All ones: no ticket, and no hit for one. */
static bool ticket_refuse(struct own_rt *u, u32 user)
{
    struct link *out = u->w.users.at[user].out;
    if (!link_can_push(out))
        return false;
    struct message *answer = link_push(out);
    *answer = *link_peek(u->w.users.at[user].in);
    memset(&answer->data, 0xff, sizeof answer->data);
    return true;
}

static struct lane *lane_free(struct own_rt *u)
{
    for (u32 i = 0; i < u->p.lanes; i++)
        if (u->lanes[i].state == FREE)
            return &u->lanes[i];
    return NULL;
}

/* Whether a user's oldest request was dealt with. */
static bool request_take(struct own_rt *u, u32 user, cycle now)
{
    const struct message *request = link_peek(u->w.users.at[user].in);
    bool ticket = request->kind == MESSAGE_TRACE_START || request->kind == MESSAGE_TRACE_WAIT;
    struct lane *lane = ticket ? NULL : lane_free(u);
    if (ticket ? !ticket_refuse(u, user) : !lane)
        return false;
    if (lane)
        lane_begin(u, lane, user, now);
    link_pop(u->w.users.at[user].in);
    return true;
}

/* One request per cycle, in turn over the users. */
static void users_take(struct own_rt *u, cycle now)
{
    for (u32 i = 0; i < u->w.users.count; i++) {
        u32 user = (u->user_turn + i) % u->w.users.count;
        if (!link_peek(u->w.users.at[user].in) || !request_take(u, user, now))
            continue;
        u->user_turn = user + 1;
        return;
    }
}

static void lane_answer(struct own_rt *u, struct lane *lane, cycle now)
{
    struct link *out = u->w.users.at[lane->user].out;
    if (!link_can_push(out))
        return;
    struct message *answer = link_push(out);
    *answer = lane->request;
    tracer_hit(answer, &lane->outcome.hit);
    u->s.nothing += rt_ray_is_empty(&lane->ray) != 0;
    u->s.finished += !rt_ray_is_empty(&lane->ray);
    if (u->traces)
        ray_trace_end(u->traces, lane_number(u, lane), &lane->outcome, out);
    lane_enter(u, lane, FREE, now);
    unit_release(&u->base, 1);
    unit_progress(&u->base);
}

/* ---- Time ---- */

/* A link without room, and a message on its way, wake by themselves. */
static cycle own_rt_next(struct own_rt *u, cycle now)
{
    cycle next = lane_asking(u) != NOBODY ? now + 1 : NEVER;
    bool room = lane_free(u);
    for (u32 i = 0; i < u->p.lanes; i++)
        if (u->lanes[i].state == TESTING)
            next = min_u64(next, max_u64(u->lanes[i].ready, now + 1));
    for (u32 user = 0; room && user < u->w.users.count; user++)
        if (link_peek(u->w.users.at[user].in))
            next = now + 1;
    return next;
}

static cycle own_rt_tick(struct unit *unit, cycle now)
{
    struct own_rt *u = (struct own_rt *)unit;
    memory_take(u, now);
    for (u32 i = 0; i < u->p.lanes; i++)
        if (u->lanes[i].state == TESTING && u->lanes[i].ready <= now)
            lane_test(u, &u->lanes[i], now);
    for (u32 i = 0; i < u->p.lanes; i++)
        if (u->lanes[i].state == LEAVING)
            lane_answer(u, &u->lanes[i], now);
    users_take(u, now);
    memory_ask(u);
    return own_rt_next(u, now);
}

static void own_rt_report(struct unit *unit, cycle now)
{
    struct own_rt *u = (struct own_rt *)unit;
    for (u32 i = 0; i < u->p.lanes; i++)
        if (u->lanes[i].since <= now)
            lane_charge(u, &u->lanes[i], now);
}

static bool own_rt_init(struct unit *unit, struct ogv_error *error)
{
    struct own_rt *u = (struct own_rt *)unit;
    u->lanes = unit_alloc(unit, u->p.lanes, sizeof *u->lanes, error);
    for (u32 i = 0; u->lanes && i < u->p.lanes; i++)
        u->lanes[i].state = FREE;
    return u->lanes;
}

/* ---- What the run asks and tells ---- */

static void own_rt_wants(const struct unit *unit, struct tree_wanted *wanted)
{
    (void)unit;
    wanted->nodes = RT_NODES_bvh4;
    wanted->primitives = RT_PRIMITIVES_tri48;
}

static struct tree_place *own_rt_tree(struct unit *unit)
{
    return &((struct own_rt *)unit)->tree;
}

static bool own_rt_follow(struct unit *unit, u32 limit, struct ogv_error *error)
{
    struct own_rt *u = (struct own_rt *)unit;
    u->traces = ray_traces_create(unit, (u32)u->p.lanes, limit, error);
    return u->traces;
}

static const struct ray_traces *own_rt_followed(const struct unit *unit)
{
    return ((const struct own_rt *)unit)->traces;
}

static const struct ray_role own_rt_rays = {
    .rays = "finished",
    .wants = own_rt_wants,
    .tree = own_rt_tree,
    .follow = own_rt_follow,
    .followed = own_rt_followed,
};

static const struct resource_row own_rt_resource_rows[] = {
    { .name = "lanes",
      .kind = RESOURCE_ROOM,
      .capacity = "lanes",
      .used = "lane_cycles",
      .held = "users_room" },
    { .name = "tests", .kind = RESOURCE_DELAY },
    { .name = "answers", .kind = RESOURCE_DELAY },
    { 0 },
};

static const struct account_row own_rt_account_rows[] = {
    { 0, "lane_cycles", "lane-cycles of all own RT cores", ACCOUNT_PARTS, NULL, NULL },
    { 1, "fetching", "a node or block was on its way", ACCOUNT_MEMORY, NULL, NULL },
    { 1, "testing", "tested a node or block", ACCOUNT_OWN, "tests", NULL },
    { 1, "leaving", "done, before the hit could leave", ACCOUNT_OWN, "answers", NULL },
    { 0 },
};

UNIT_TYPE(own_rt, OWN_RT, "RT core of few lanes, for tests", .init = own_rt_init,
          .tick = own_rt_tick, .report = own_rt_report, .rays = &own_rt_rays,
          .resources = own_rt_resource_rows, .accounts = own_rt_account_rows)

OGIVE_UNITS(&unit_type_own_rt)
