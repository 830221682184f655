/* timing.h - when a command may issue.
 *
 * Each node of the device tree keeps, for each command, the earliest cycle at which it may issue
 * there, and for the one windowed command (ACT) its last issues. A command is allowed at cycle t
 * when no node on its path says later. Issuing a command raises the bounds of its own nodes by the
 * rules between a node and itself, and those of its nodes' siblings by the sibling rules. Bounds
 * never fall, so what is allowed at t stays allowed until something issues. */
#ifndef DRAM_TIMING_H
#define DRAM_TIMING_H

#include "dram/device.h"

#define DRAM_ALL (-1) /* as a coordinate: every node of that level */

/* One row of bounds for each command, with one of each node: what is compared when the next command
 * is looked for lies side by side. */
struct dram_timing_state {
    cycle *row[DRAM_COMMANDS];         /* in each by node_begin of the device */
    u32 banks;                         /* where in a row the banks begin */
    cycle (*history)[DRAM_WINDOW_MAX]; /* per node, newest first; 0: not yet */
};

/* What the caller allocates, zeroed. */
static inline u64 timing_bytes(const struct dram_device *device)
{
    u64 nodes = device->node_begin[DRAM_NODE_LEVELS];
    return ((u64)DRAM_COMMANDS * device->row_bounds + nodes * DRAM_WINDOW_MAX) * sizeof(cycle);
}

static inline void timing_init(struct dram_timing_state *state, const struct dram_device *device,
                               void *memory)
{
    for (u32 command = 0; command < DRAM_COMMANDS; command++)
        state->row[command] = (cycle *)memory + (size_t)command * device->row_bounds;
    state->banks = device->node_begin[DRAM_BANK];
    state->history = (void *)((cycle *)memory + (size_t)DRAM_COMMANDS * device->row_bounds);
}

/* What a command addresses; rank, group and bank are numbers below their parent. */
struct dram_place {
    i32 rank, group, bank;
};

static inline struct dram_place dram_place_of(const struct dram_device *device, u32 bank)
{
    u32 banks = device->count[DRAM_BANK], groups = device->count[DRAM_BANKGROUP];
    return (struct dram_place){ (i32)(bank / (banks * groups)), (i32)(bank / banks % groups),
                                (i32)(bank % banks) };
}

/* The nodes of one bank. The channel is always node 0 and also stands for an only rank (such a rank
 * has no rules of its own, see device.c). */
struct dram_path {
    u16 node[DRAM_NODE_LEVELS]; /* by level */
};

static inline struct dram_path dram_path_of(const struct dram_device *device, u32 bank)
{
    u32 group = bank / device->count[DRAM_BANK];
    u32 rank = group / device->count[DRAM_BANKGROUP];
    bool ranks = device->count[DRAM_RANK] > 1;
    return (
        struct dram_path){ .node = {
                               [DRAM_RANK] =
                                   (u16)(ranks ? device->node_begin[DRAM_RANK] + rank : 0),
                               [DRAM_BANKGROUP] = (u16)(device->node_begin[DRAM_BANKGROUP] + group),
                               [DRAM_BANK] = (u16)(device->node_begin[DRAM_BANK] + bank),
                           } };
}

/* The earliest cycle for a command to one bank, without what the channel's own node says. */
static inline cycle timing_ready_below(const struct dram_timing_state *state,
                                       const struct dram_path *path, u32 command)
{
    const cycle *earliest = state->row[command];
    const u16 *node = path->node;
    cycle upper = max_u64(earliest[node[DRAM_RANK]], earliest[node[DRAM_BANKGROUP]]);
    return max_u64(upper, earliest[node[DRAM_BANK]]);
}

static inline cycle timing_ready_channel(const struct dram_timing_state *state, u32 command)
{
    return *state->row[command];
}

/* The earliest cycle for a command to one bank. */
static inline cycle timing_ready_bank(const struct dram_timing_state *state,
                                      const struct dram_path *path, u32 command)
{
    return max_u64(timing_ready_channel(state, command), timing_ready_below(state, path, command));
}

/* For any command and place, with DRAM_ALL where the place says so. */
cycle timing_ready(const struct dram_timing_state *state, const struct dram_device *device,
                   u32 command, struct dram_place place);

void timing_issue(struct dram_timing_state *state, const struct dram_device *device, u32 command,
                  struct dram_place place, cycle now);

/* Of the command whose history is kept, what is left of timing_issue_bank. */
void timing_window(struct dram_timing_state *state, const struct dram_device *device,
                   const struct dram_path *path, cycle now);

static inline void bound_raise(cycle *earliest, cycle at)
{
    if (*earliest < at)
        *earliest = at;
}

/* The same for a command to one bank, as far as a channel's controller can tell the difference. */
static inline void timing_issue_bank(struct dram_timing_state *state,
                                     const struct dram_device *device, u32 command, u32 bank,
                                     const struct dram_path *path, cycle now)
{
    if (device->siblings >> command & 1) {
        timing_issue(state, device, command, dram_place_of(device, bank), now);
        return;
    }
    const struct dram_bank_rules *rules = &device->bank;
    const struct dram_bank_rule *rule = &rules->rule[rules->begin[command]];
    const struct dram_bank_rule *end = &rules->rule[rules->begin[command + 1]];
    for (; rule < end; rule++)
        bound_raise(&state->row[0][(size_t)rule->row + path->node[rule->level]],
                    now + rule->distance);
    if (command == device->windowed)
        timing_window(state, device, path, now);
}

#endif
