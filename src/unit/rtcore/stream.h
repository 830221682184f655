/* stream.h - the RT core in stream mode, for stream.c. */
#ifndef UNIT_RTCORE_STREAM_H
#define UNIT_RTCORE_STREAM_H

#include "ogive/stream.h"
#include "unit/rtcore/rtcore.h"

/* A slot's ray, as it came or as it leaves. */
struct rtcore_visit {
    struct ogv_stream_ray ray;
    u32 child; /* treelet of the work item */
    u8 order;  /* of the next one */
    u8 send;   /* enum stream_send */
};

/* A program's request that has not been answered. */
struct rtcore_call {
    struct message request;
    u32 user;
    u16 next;
};

struct call_list {
    u16 head, tail, count;
};

/* Of messages to the holder, in turn. */
enum stream_source { SOURCE_LEAVING, SOURCE_CALLS, SOURCE_ASKS, SOURCES };

struct rtcore_stream {
    struct ogv_stream_ray in;    /* whose second half is to come */
    struct rtcore_visit *visits; /* by slot */
    struct rtcore_queue leaving; /* slots */
    struct rtcore_call *calls;
    struct call_list idle, unsent, stores, hits[STREAM_PRIORITIES];
    u32 asked; /* rays, not come yet */
    u8 source; /* that sent the last message */
    bool half; /* which was the first half of a ray */
};

#endif
