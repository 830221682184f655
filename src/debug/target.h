/* target.h - what the protocol asks of whatever is debugged: a chip, or what a test puts there.
 *
 * Threads are numbered from 0 on, and stay what they are when others end. All functions are called
 * while the target stands still, except `interrupt`. */
#ifndef DEBUG_TARGET_H
#define DEBUG_TARGET_H

#include "base/text.h"
#include "ogive/types.h"

/* Registers as gdb numbers them here: x0-x31, pc, f0-f31, then what follows. */
enum { TARGET_PC = 32, TARGET_F0 = 33, TARGET_FFLAGS = 65, TARGET_FRM, TARGET_FCSR };
/* Of a SIMT machine only. */
enum { TARGET_WARP = TARGET_FCSR + 1, TARGET_LANE, TARGET_ACTIVE, TARGET_REGISTERS };
#define TARGET_REGISTERS_MIMD TARGET_WARP
/* Then, of a SIMT machine, each of x0-x31, f0-f31 and pc in all lanes of a warp: too much to be
 * sent with the others. */
#define TARGET_LANES          TARGET_REGISTERS
#define TARGET_LANES_COUNT    65
#define TARGET_LANES_MAX      64 /* of a warp */

struct target_registers {
    u64 value[TARGET_REGISTERS];
    bool known[TARGET_REGISTERS]; /* false: the value is still on its way */
};

enum target_going {
    GOING_ON,        /* until something stops it */
    GOING_STEP,      /* until a thread has executed an instruction and is outside a range */
    GOING_BACK,      /* as GOING_ON, backwards in time */
    GOING_STEP_BACK, /* to before the last instruction of a thread */
};

struct target_order {
    enum target_going going;
    u32 thread;   /* of a step, or of one that is alone */
    u64 from, to; /* of a step: it goes on while the pc is within; none if both are 0 */
    bool alone;   /* only of this thread may be told, though others run on */
};

enum target_point { POINT_BREAK, POINT_WRITE = 2, POINT_READ = 3, POINT_ACCESS = 4 };

enum target_stop_reason {
    STOP_STEPPED,
    STOP_BREAK,
    STOP_WATCH,     /* `address`, `point` */
    STOP_INTERRUPT, /* it was asked for, or a stop of the machine's own came true */
    STOP_BEGIN,     /* of what is remembered */
    STOP_FAULT,     /* the program failed */
    STOP_HANG,      /* the machine waits for itself */
    STOP_END,       /* it has come to its end: `code` */
};

struct target_stop {
    enum target_stop_reason reason;
    u32 thread;
    u64 address;
    enum target_point point;
    u8 code;   /* with which the program exited */
    bool last; /* of STOP_FAULT, STOP_HANG, STOP_END: it was told to go on, and is gone */
};

struct target {
    void *context;
    const char *(*description)(void *context); /* XML of its registers */
    u32 (*threads)(void *context);             /* highest number and one */
    bool (*alive)(void *context, u32 thread);
    void (*name)(void *context, u32 thread, struct text *out);
    void (*state)(void *context, u32 thread, struct text *out); /* in a few words */
    void (*registers)(void *context, u32 thread, struct target_registers *registers);
    /* One of TARGET_LANES_COUNT in all lanes of the thread's warp, `count` of them; false: some
     * values are still on their way. */
    bool (*lanes)(void *context, u32 thread, u32 number, u64 *values, u32 *count);
    /* False, with the reason added to `why`, if that cannot be. */
    bool (*set_register)(void *context, u32 thread, u32 number, u64 value, struct text *why);
    bool (*read)(void *context, u32 thread, u64 address, u8 *bytes, u64 length);
    bool (*write)(void *context, u32 thread, u64 address, const u8 *bytes, u64 length,
                  struct text *why);
    bool (*insert)(void *context, enum target_point point, u64 address, u64 length);
    bool (*remove)(void *context, enum target_point point, u64 address, u64 length);
    void (*go)(void *context, const struct target_order *order);
    void (*interrupt)(void *context);
    /* A command of the simulator's own; what it says is added to `out`. */
    void (*monitor)(void *context, u32 thread, const char *command, struct text *out);
    void (*detach)(void *context);
    void (*kill)(void *context);
};

#endif
