/* rtcore_stand.h - an RT core on the bench, with mock cores that send rays and a mock memory.
 *
 * A user sends its list in order, one request per cycle, none before its time. The memory behind
 * each port takes what comes and answers `latency` cycles later; with links of one cycle, what is
 * sent in cycle t is there in t + 2 + latency, which is ROUND for the standard latency. All ports
 * see the same bytes. What lies beyond them is answered with a fault.
 *
 * stand_finish checks what is true of every run: each request was answered once, and the statistics
 * account for every slot, ray and cycle. */
#ifndef TESTS_UNIT_RTCORE_STAND_H
#define TESTS_UNIT_RTCORE_STAND_H

#include "ogive/memory.h"
#include "rt/bvh.h"
#include "unit/bench_unit.h"
#include "unit/rtcore/rtcore.h"
#include "unit/shipped_customs.h"

#define STAND_USERS   4
#define STAND_PORTS   8
#define STAND_LIST    512
#define STAND_LATENCY 18
#define ROUND         (STAND_LATENCY + 2)
#define STAND_BYTES   (1 << 21)

/* One request of a user, and what came of it. */
struct stand_request {
    cycle at;
    u16 kind; /* enum custom_message */
    u32 source;
    struct rt_ray ray;
    u64 ticket;
    u32 ticket_of; /* instead: 1 + which request of the list, a start, was given it */

    u32 answers;
    cycle answered;
    struct rt_hit hit;
    u64 word; /* the first of the answer */
};

struct stand {
    struct sim *sim;
    struct unit *rt;
    struct mock *users[STAND_USERS], *memory[STAND_PORTS];
    u32 user_count, port_count;
    struct tree_place tree;
};

extern struct stand_request stand_lists[STAND_USERS][STAND_LIST];
extern u8 stand_bytes[STAND_BYTES];

/* Of the mock memory, until the next stand: cycles to an answer, more of them (below this number,
 * different for each address). */
extern u32 stand_latency, stand_jitter;

/* An RT core with default parameters, and memory of zeros. */
struct stand stand_create(u32 users, u32 ports);
struct stand stand_create_narrow(u32 users, u32 ports, u32 capacity);

/* A tree made by hand. Node 0 is at 4096; blocks follow at 64 KiB. */
#define STAND_NODES  4096
#define STAND_BLOCKS 65536
void stand_node(const struct stand *stand, u32 number, const struct wide_node *node);
void stand_triangle(const struct stand *stand, u32 block, u32 number, float z);

/* A child with that box between two heights; x and y from -1 to 1. */
struct wide_child stand_child(float low, float high, u32 ref);

/* A tree that was built. */
void stand_tree(struct stand *stand, const struct bvh *bvh);

/* Adds a request to a user's list; its index. */
u32 stand_ask(struct stand *stand, u32 user, struct stand_request request);
u32 stand_trace(struct stand *stand, u32 user, cycle at, struct rt_ray ray);

/* From below upwards, at x = y = 0.1. */
struct rt_ray stand_ray(void);

/* Before the first cycle; all of them; both. */
void stand_begin(struct stand *stand);
void stand_end(struct stand *stand);
void stand_finish(struct stand *stand);
u64 stand_stat(const struct stand *stand, const char *stat);

/* Random triangles in the unit cube, and rays through it. The caller frees. */
struct mesh stand_mesh(u32 triangles, u64 seed);
struct rt_ray stand_random_ray(u64 *random);

void expect_hit(const struct stand_request *request, u32 triangle, float t);

#endif
