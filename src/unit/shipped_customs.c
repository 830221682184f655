/* shipped_customs.c - see shipped_customs.h. Messages are in custom-0, special functions in
 * custom-2, what threads of a warp tell each other in custom-3: classes, which so have times of
 * their own. All have funct3 0; funct7 tells them apart. */
#include "unit/shipped_customs.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "isa/fp.h"

/* ---- Special functions ---- */

/* The quotient of 1 and the root, each rounded to nearest: what ogv_rsqrt is natively. */
static u64 rsqrt(u64 rs1, u64 rs2, u64 rs3, i64 immediate)
{
    u32 flags = 0;
    u64 one = f32_box(UINT32_C(0x3f800000));
    (void)rs2, (void)rs3, (void)immediate;
    return f32_div(ROUND_NEAREST_EVEN, one, f32_sqrt(ROUND_NEAREST_EVEN, rs1, &flags), &flags);
}

/* ---- Between the threads of a warp ---- */

/* Without warps, every thread is the only one. */
static u64 own_value(u64 rs1, u64 rs2, u64 rs3, i64 immediate)
{
    (void)rs2, (void)rs3, (void)immediate;
    return rs1;
}

static u64 own_ballot(u64 rs1, u64 rs2, u64 rs3, i64 immediate)
{
    (void)rs2, (void)rs3, (void)immediate;
    return rs1 != 0;
}

static void across_ballot(u64 *rd, const u64 *rs1, const u64 *rs2, u64 lanes, u32 width)
{
    u64 found = 0;
    (void)rs2;
    for (u32 i = 0; i < width; i++)
        found |= (u64)(rs1[i] != 0) << i;
    for (u32 i = 0; i < width; i++)
        rd[i] = found & lanes;
}

/* A lane that does not exist, or whose thread does not take part, gives nothing. */
#define ACROSS_SHUFFLE(name, from)                                                           \
    static void across_##name(u64 *rd, const u64 *rs1, const u64 *rs2, u64 lanes, u32 width) \
    {                                                                                        \
        for (u32 i = 0; i < width; i++) {                                                    \
            u64 source = (from);                                                             \
            rd[i] = source < width && lanes >> source & 1 ? rs1[source] : rs1[i];            \
        }                                                                                    \
    }
ACROSS_SHUFFLE(shuffle, rs2[i] % width)
ACROSS_SHUFFLE(shuffle_xor, (i ^ rs2[i]) % width)
ACROSS_SHUFFLE(shuffle_up, i - rs2[i])
ACROSS_SHUFFLE(shuffle_down, min_u64(rs2[i], width) + i)

const struct isa_custom shipped_customs[SHIPPED_CUSTOMS] = {
    { "next", 0, 0, 0, "d", NULL, MESSAGE_NEXT },
    { "barrier", 0, 0, 1, "d", NULL, MESSAGE_BARRIER },
    { "trace", 0, 0, 2, "D4,S8", NULL, MESSAGE_TRACE },
    { "trace_any", 0, 0, 3, "D4,S8", NULL, MESSAGE_TRACE_ANY },
    { "trace_start", 0, 0, 4, "d,S8", NULL, MESSAGE_TRACE_START },
    { "trace_wait", 0, 0, 5, "D4,s", NULL, MESSAGE_TRACE_WAIT },
    { "block_next", 0, 0, 6, "d2,s,t", NULL, MESSAGE_BLOCK_NEXT },
    { "block_barrier", 0, 0, 7, "d,s", NULL, MESSAGE_BLOCK_BARRIER },
    { "stream_store", 0, 0, 8, "d,S8,t", NULL, MESSAGE_STREAM_STORE },
    { "stream_hit_load", 0, 0, 9, "D5,s", NULL, MESSAGE_STREAM_HIT_LOAD },
    { "stream_load", 0, 0, 10, "D8", NULL, MESSAGE_STREAM_LOAD },
    { "stream_rest", 0, 0, 11, "D8", NULL, MESSAGE_STREAM_REST },
    { "stream_send", 0, 0, 12, "d,S8,t", NULL, MESSAGE_STREAM_SEND },
    { "test_ray", 0, 0, 13, "d,S8", NULL, MESSAGE_TEST_RAY },
    { "test_box", 0, 0, 14, "D,S7", NULL, MESSAGE_TEST_BOX },
    { "test_triangle", 0, 0, 15, "D3,S8,t", NULL, MESSAGE_TEST_TRIANGLE },
    { "shuffle", 3, 0, 0, "d,s,t", own_value, 0 },
    { "shuffle_xor", 3, 0, 1, "d,s,t", own_value, 0 },
    { "shuffle_up", 3, 0, 2, "d,s,t", own_value, 0 },
    { "shuffle_down", 3, 0, 3, "d,s,t", own_value, 0 },
    { "shuffle.f", 3, 0, 4, "D,S,t", own_value, 0 },
    { "shuffle_xor.f", 3, 0, 5, "D,S,t", own_value, 0 },
    { "shuffle_up.f", 3, 0, 6, "D,S,t", own_value, 0 },
    { "shuffle_down.f", 3, 0, 7, "D,S,t", own_value, 0 },
    { "ballot", 3, 0, 8, "d,s", own_ballot, 0 },
    { "rsqrt.s", 2, 0, 0, "D,S", rsqrt, 0 },
};

/* How those of the rows above are for warps that are not as any other. A ray to walk is there for
 * one thread when another has walked its own. */
static const struct {
    const char *name;
    struct isa_warp warp;
} warp_customs[] = {
    { "barrier", { .gathers = true } },
    { "block_next", { .whole = true, .gathers = true } },
    { "block_barrier", { .whole = true, .gathers = true } },
    { "stream_load", { .gathers = true, .parts = true } },
    { "shuffle", { .whole = true, .across = across_shuffle } },
    { "shuffle_xor", { .whole = true, .across = across_shuffle_xor } },
    { "shuffle_up", { .whole = true, .across = across_shuffle_up } },
    { "shuffle_down", { .whole = true, .across = across_shuffle_down } },
    { "shuffle.f", { .whole = true, .across = across_shuffle } },
    { "shuffle_xor.f", { .whole = true, .across = across_shuffle_xor } },
    { "shuffle_up.f", { .whole = true, .across = across_shuffle_up } },
    { "shuffle_down.f", { .whole = true, .across = across_shuffle_down } },
    { "ballot", { .whole = true, .across = across_ballot } },
};

static void warp_set(struct isa *isa, const char *name)
{
    for (u32 i = 0; i < sizeof warp_customs / sizeof *warp_customs; i++)
        if (!strcmp(warp_customs[i].name, name))
            isa_set_warp(isa, &warp_customs[i].warp);
}

static pthread_once_t isa_once = PTHREAD_ONCE_INIT;
struct isa *isa_shared_made;

static void isa_start(void)
{
    struct ogv_error error;
    struct isa *isa = isa_create();
    for (u32 i = 0; i < SHIPPED_CUSTOMS; i++) {
        if (!isa_add(isa, &shipped_customs[i], &error))
            ogv_bug("%s", error.message);
        warp_set(isa, shipped_customs[i].name);
    }
    isa_shared_made = isa;
}

struct isa *isa_shared(void)
{
    pthread_once(&isa_once, isa_start);
    return isa_shared_made;
}
