/* lists.h - what an RT core can be told, what it counts, and where its wires attach: the lists that
 * its descriptor is made of. The order of RTCORE_PHASES is that of enum rtcore_phase. */
#ifndef UNIT_RTCORE_LISTS_H
#define UNIT_RTCORE_LISTS_H

#include "ogive/rt_formats.h"
#include "ogive/rt_treelet.h"
#include "ogive/unit.h"

#define RTCORE_RAYS_MAX  1024
#define RTCORE_PIPES_MAX 16

/* clang-format off */
#define RTCORE_POLICIES(C, with)  C(fcfs, with) C(oldest, with) C(grouped, with) C(warp, with)
#define RTCORE_OVERFLOWS(C, with) C(restart, with) C(spill, with)
#define RTCORE_COALESCES(C, with) C(none, with) C(warp, with) C(all, with)
#define RTCORE_JOINS(C, with)     C(all, with) C(warp, with)
#define RTCORE_STREAMS(C, with)   C(none, with) C(requeue, with) C(duplicate, with)

#define RTCORE_PARAMS(P)                                                                           \
    P(number, rays, 64, 1, RTCORE_RAYS_MAX, "slots: rays under way at once")                       \
    P(number, warp, 1, 1, 64,                                                                      \
      "rays that come and go together: their slots stay taken until the last one is done")         \
    P(choice, joins, "all", UNIT_CHOICES(RTCORE_JOINS), 0,                                         \
      "which rays fill a warp: any, in the order of coming; those of the same warp of threads")    \
    P(number, accepts, 1, 1, 64, "new rays taken per cycle")                                       \
    P(number, answers, 1, 1, 64, "hits given back per cycle")                                      \
    P(number, schedule, 1, 1, 64,                                                                  \
      "rays whose next step is begun per cycle; with the policy warp, warps")                      \
    P(choice, policy, "fcfs", UNIT_CHOICES(RTCORE_POLICIES), 0,                                    \
      "which of the ready rays: who was ready first, who came to the core first, who visits the "  \
      "node that was visited last; all of the warp that came first")                               \
    P(choice, nodes, "bvh6c", UNIT_CHOICES(RT_NODE_FORMATS), 0, "format of the nodes")             \
    P(choice, primitives, "tri64", UNIT_CHOICES(RT_PRIMITIVE_FORMATS), 0,                          \
      "format of the primitives")                                                                  \
    P(choice, builder, "spatial", UNIT_CHOICES(RT_BUILDERS), 0,                                    \
      "how the tree is built that rays are traced through, unless the run says it")                \
    P(bytes, treelets, 0, 0, RT_TREELET_BYTES_MAX,                                               \
      "size of the treelets that the tree lies in, a power of two from 8 KiB on; 0: in none")      \
    P(number, box_pipes, 1, 1, RTCORE_PIPES_MAX, "pipes that test boxes")                          \
    P(number, box_width, 8, 1, 64, "boxes that a pipe takes per cycle")                            \
    P(cycles, box_interval, 1, 1, 512, "cycles between two nodes in a pipe, at least")             \
    P(cycles, box_latency, 3, 1, 512, "cycles from a node's last box to the result")               \
    P(number, triangle_pipes, 1, 1, RTCORE_PIPES_MAX, "pipes that test triangles")                 \
    P(cycles, triangle_interval, 1, 1, 512, "cycles between two triangles in a pipe")              \
    P(cycles, triangle_latency, 22, 1, 512, "cycles from a triangle to the result")                \
    P(number, stack, 32, 1, 512, "stack entries of a ray in the core")                             \
    P(choice, overflow, "restart", UNIT_CHOICES(RTCORE_OVERFLOWS), 0,                              \
      "what happens to stack entries that do not fit: forgotten, and found again from the root; "  \
      "kept in memory")                                                                            \
    P(flag, pop_cull, 1, 0, 1, "entries behind the best hit are dropped without a fetch")          \
    P(choice, coalesce, "none", UNIT_CHOICES(RTCORE_COALESCES), 0,                                 \
      "which rays share a request for the same sector")                                            \
    P(flag, bypass, 0, 0, 1, "requests pass the first cache without leaving a copy in it")         \
    P(flag, prefetch, 0, 0, 1, "the second nearest child is asked for ahead of its turn")          \
    P(choice, stream, "none", UNIT_CHOICES(RTCORE_STREAMS), 0,                                     \
      "where rays come from: cores; what holds rays by treelet, where a ray goes back to if it "   \
      "goes on in another treelet, or sends a work item for each of these")                        \
    P(number, calls, 64, 1, 4096,                                                                  \
      "requests of programs that are passed on to what holds rays, under way at once")

#define RTCORE_STATS(S)                                                                            \
    S(rays, "rays", SUM, WORK, "rays finished, without the empty ones")                            \
    S(empty, "rays", SUM, WORK, "empty rays finished: their end lies before their beginning")      \
    S(hits, "rays", SUM, WORK, "rays that hit something")                                          \
    S(nodes, "nodes", SUM, WORK, "nodes visited")                                                  \
    S(blocks, "blocks", SUM, WORK, "blocks of primitives visited")                                 \
    S(boxes, "boxes", SUM, WORK, "boxes tested")                                                   \
    S(triangles, "triangles", SUM, WORK, "triangles tested")                                       \
    S(restarts, "events", SUM, WORK, "restarts from the root")                                     \
    S(culled, "entries", SUM, WORK, "stack entries dropped because they lay behind the best hit")  \
    S(spills, "sectors", SUM, WORK, "sectors of stack entries written to memory")                  \
    S(refills, "sectors", SUM, WORK, "sectors of stack entries read back")                         \
    S(requests, "requests", SUM, WORK, "requests sent to memory")                                  \
    S(coalesced, "requests", SUM, WORK, "requests saved because another ray's was under way")      \
    S(prefetches, "requests", SUM, WORK, "prefetches sent")                                        \
    S(bytes, "bytes", SUM, WORK, "nodes and blocks, as far as they were asked for")                \
    S(faults, "rays", SUM, WORK, "rays given up: no memory at an address, or no tree there")       \
    S(refused, "requests", SUM, WORK, "trace_start without a slot for it")                         \
    S(slots_node, "slots", SUM, WORK, "schedule slots that began the fetch of a node")             \
    S(slots_block, "slots", SUM, WORK, "schedule slots that began the fetch of a block")           \
    S(slots_cull, "slots", SUM, WORK, "schedule slots spent on a culled entry")                    \
    S(slots_stack, "slots", SUM, WORK, "schedule slots that began the fetch of stack entries")     \
    S(slots_end, "slots", SUM, WORK, "schedule slots that found a ray finished")                   \
    S(slots_used, "slots", SUM, WORK, "schedule slots that began steps: of a ray, or of a warp")   \
    S(slots, "slots", SUM, WORK, "schedule slots in all")                                          \
    S(box_busy, "cycles", SUM, WORK, "pipe-cycles in which a box pipe took boxes")                 \
    S(box_cycles, "cycles", SUM, WORK, "pipe-cycles of box pipes in all")                          \
    S(triangle_busy, "cycles", SUM, WORK, "pipe-cycles in which a triangle pipe took triangles")   \
    S(triangle_cycles, "cycles", SUM, WORK, "pipe-cycles of triangle pipes in all")                \
    S(idle_empty, "cycles", SUM, WORK, "cycles in which no step was begun: there were no rays")    \
    S##_ARRAY(idle, RTCORE_IDLE)                                                                   \
    S(slot_cycles, "cycles", SUM, WORK, "slot-cycles in all: slots times cycles")                  \
    S(ray_cycles, "cycles", SUM, WORK, "slot-cycles in use: the sum of the phases below")          \
    S##_ARRAY(wait, RTCORE_WAIT)                                                                   \
    S##_ARRAY(nodes_log2, RTCORE_NODES_LOG2)                                                       \
    S##_ARRAY(triangles_log2, RTCORE_TRIANGLES_LOG2)                                               \
    S##_ARRAY(bytes_log2, RTCORE_BYTES_LOG2)

#define RTCORE_PHASES(X, S)                                                                        \
    X(S, schedule, SCHEDULE, "ready, before its turn")                                             \
    X(S, node_fetch, NODE_FETCH, "for a node from memory")                                         \
    X(S, box_queue, BOX_QUEUE, "for a box pipe")                                                   \
    X(S, box, BOX, "in a box pipe")                                                                \
    X(S, block_fetch, BLOCK_FETCH, "for a block of primitives from memory")                        \
    X(S, triangle_queue, TRIANGLE_QUEUE, "for a triangle pipe")                                    \
    X(S, triangle, TRIANGLE, "in a triangle pipe")                                                 \
    X(S, stack_fetch, STACK_FETCH, "for stack entries from memory")                                \
    X(S, warp, WARP, "done, for the others of its warp")                                           \
    X(S, answer, ANSWER, "done, before its hit left")                                              \
    X(S, held, HELD, "done, for the program to ask for its hit")

#define RTCORE_WAIT(S) RTCORE_PHASES(RTCORE_PHASE_WAIT, S)
#define RTCORE_IDLE(S) RTCORE_PHASES(RTCORE_PHASE_IDLE, S)
#define RTCORE_PHASE_WAIT(S, name, NAME, help)                                                     \
    S(wait_##name, "cycles", SUM, WORK, "ray-cycles: " help)
#define RTCORE_PHASE_IDLE(S, name, NAME, help)                                                     \
    S(idle_##name, "cycles", SUM, WORK, "cycles in which no step was begun, most rays: " help)

#define RTCORE_NODES_LOG2(S)     RTCORE_HISTOGRAM(S, nodes, "nodes")
#define RTCORE_TRIANGLES_LOG2(S) RTCORE_HISTOGRAM(S, triangles, "triangles")
#define RTCORE_BYTES_LOG2(S)     RTCORE_HISTOGRAM(S, bytes, "bytes fetched")
#define RTCORE_HISTOGRAM(S, what, words)                                                           \
    RTCORE_BUCKET(S, what, words, 0) RTCORE_BUCKET(S, what, words, 1)                              \
    RTCORE_BUCKET(S, what, words, 2) RTCORE_BUCKET(S, what, words, 3)                              \
    RTCORE_BUCKET(S, what, words, 4) RTCORE_BUCKET(S, what, words, 5)                              \
    RTCORE_BUCKET(S, what, words, 6) RTCORE_BUCKET(S, what, words, 7)                              \
    RTCORE_BUCKET(S, what, words, 8) RTCORE_BUCKET(S, what, words, 9)                              \
    RTCORE_BUCKET(S, what, words, 10) RTCORE_BUCKET(S, what, words, 11)                            \
    RTCORE_BUCKET(S, what, words, 12) RTCORE_BUCKET(S, what, words, 13)                            \
    RTCORE_BUCKET(S, what, words, 14) RTCORE_BUCKET(S, what, words, 15)
#define RTCORE_BUCKET(S, what, words, k)                                                           \
    S(what##_log2_##k, "rays", SUM, WORK, "rays with fewer than 2^" #k " x 2 " words               \
      " and no fewer than 2^" #k)

#define RTCORE_RATIOS(R)                                                                           \
    R(occupancy, ray_cycles, slot_cycles, "", "share of slots in use")                             \
    R(box_utilisation, box_busy, box_cycles, "", "share of cycles in which box pipes took boxes")  \
    R(triangle_utilisation, triangle_busy, triangle_cycles, "",                                    \
      "share of cycles in which triangle pipes took triangles")                                    \
    R(nodes_per_ray, nodes, rays, "nodes", "nodes visited per ray")                                \
    R(triangles_per_ray, triangles, rays, "triangles", "triangles tested per ray")                 \
    R(bytes_per_ray, bytes, rays, "bytes", "bytes asked for per ray")                              \
    R(time_per_ray, ray_cycles, rays, "cycles", "cycles that a ray spends in its slot")

#define RTCORE_PORTS(T)                                                                            \
    T(users, SERVES, SOME, "cores that have rays")                                                 \
    T(memory, ASKS, SOME, "where nodes and primitives come from; each takes a request per cycle")  \
    T(stream, ASKS, MAYBE, "what holds rays by treelet; takes 32 bytes per cycle")
/* clang-format on */

#endif
