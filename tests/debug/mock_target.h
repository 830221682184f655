/* mock_target.h - something to debug that is no chip: three threads, a little memory, and a note of
 * what was asked. */
#ifndef TESTS_DEBUG_MOCK_TARGET_H
#define TESTS_DEBUG_MOCK_TARGET_H

#include <string.h>

#include "debug/remote.h"

#define MOCK_THREADS 3
#define MOCK_BASE    0x1000
#define MOCK_BYTES   256

struct mock {
    u8 memory[MOCK_BYTES];
    u64 registers[TARGET_REGISTERS];
    bool writes; /* allowed */
    bool simt;   /* threads are in warps */
    struct target_order order;
    u32 orders, interrupts, points;
    bool detached, killed;
    char said[64]; /* the last command */
};

static inline const char *mock_description(void *context)
{
    return ((const struct mock *)context)->simt
               ? "<target><reg name=\"warp\"/></target>"
               : "<target><architecture>riscv:rv64</architecture></target>";
}

static inline u32 mock_threads(void *context)
{
    (void)context;
    return MOCK_THREADS;
}

/* The second one has ended. */
static inline bool mock_alive(void *context, u32 thread)
{
    (void)context;
    return thread < MOCK_THREADS && thread != 1;
}

static inline void mock_name(void *context, u32 thread, struct text *out)
{
    (void)context;
    text_add(out, "core.t%u", thread);
}

static inline void mock_registers(void *context, u32 thread, struct target_registers *registers)
{
    const struct mock *mock = context;
    for (u32 i = 0; i < TARGET_REGISTERS; i++) {
        registers->value[i] = mock->registers[i] + thread;
        registers->known[i] = i != 5; /* is still on its way */
    }
}

static inline bool mock_set(void *context, u32 thread, u32 number, u64 value, struct text *why)
{
    struct mock *mock = context;
    (void)thread;
    if (!mock->writes)
        text_add(why, "only looked at");
    else
        mock->registers[number] = value;
    return mock->writes;
}

static inline bool mock_has(u64 address, u64 length)
{
    return address >= MOCK_BASE && length <= MOCK_BYTES &&
           address - MOCK_BASE <= MOCK_BYTES - length;
}

static inline bool mock_read(void *context, u32 thread, u64 address, u8 *bytes, u64 length)
{
    const struct mock *mock = context;
    (void)thread;
    if (mock_has(address, length))
        memcpy(bytes, mock->memory + (address - MOCK_BASE), length);
    return mock_has(address, length);
}

static inline bool mock_write(void *context, u32 thread, u64 address, const u8 *bytes, u64 length,
                              struct text *why)
{
    struct mock *mock = context;
    (void)thread;
    bool good = mock->writes && mock_has(address, length);
    if (good)
        memcpy(mock->memory + (address - MOCK_BASE), bytes, length);
    else
        text_add(why, "not there");
    return good;
}

static inline bool mock_point(void *context, enum target_point point, u64 address, u64 length)
{
    (void)point;
    (void)address;
    (void)length;
    ((struct mock *)context)->points++;
    return true;
}

static inline void mock_go(void *context, const struct target_order *order)
{
    struct mock *mock = context;
    mock->order = *order;
    mock->orders++;
}

static inline void mock_interrupt(void *context)
{
    ((struct mock *)context)->interrupts++;
}

static inline void mock_monitor(void *context, u32 thread, const char *command, struct text *out)
{
    struct mock *mock = context;
    (void)thread;
    strncpy(mock->said, command, sizeof mock->said - 1);
    text_add(out, "you said %s\n", command);
}

static inline void mock_detach(void *context)
{
    ((struct mock *)context)->detached = true;
}

static inline void mock_kill(void *context)
{
    ((struct mock *)context)->killed = true;
}

/* Two lanes; of the pc, the values are on their way. */
static inline bool mock_lanes(void *context, u32 thread, u32 number, u64 *values, u32 *count)
{
    (void)context;
    *count = 2;
    values[0] = number;
    values[1] = thread;
    return number != TARGET_LANES_COUNT - 1;
}

static inline struct target mock_target(struct mock *mock)
{
    return (struct target){ .context = mock,
                            .description = mock_description,
                            .threads = mock_threads,
                            .alive = mock_alive,
                            .name = mock_name,
                            .state = mock_name,
                            .registers = mock_registers,
                            .lanes = mock_lanes,
                            .set_register = mock_set,
                            .read = mock_read,
                            .write = mock_write,
                            .insert = mock_point,
                            .remove = mock_point,
                            .go = mock_go,
                            .interrupt = mock_interrupt,
                            .monitor = mock_monitor,
                            .detach = mock_detach,
                            .kill = mock_kill };
}

#endif
