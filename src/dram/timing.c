/* timing.c - asks the nodes on a command's path when it may issue, and raises their bounds, and
 * those of their siblings, when it does. */
#include "dram/timing.h"

static bool place_has(i32 coordinate, u32 index)
{
    return coordinate == DRAM_ALL || (u32)coordinate == index;
}

static i32 place_at(struct dram_place place, u32 level)
{
    return level == DRAM_RANK ? place.rank : level == DRAM_BANKGROUP ? place.group : place.bank;
}

static cycle *bound_at(const struct dram_timing_state *state, u32 node, u32 command)
{
    return state->row[command] + node;
}

/* Below `parent`, the index-th node of its level, on the command's path down to `scope`. */
static cycle ready_below(const struct dram_timing_state *state, const struct dram_device *device,
                         u32 command, struct dram_place place, u32 level, u32 parent)
{
    cycle ready = 0;
    u32 scope = device->scope[command];
    if (level > DRAM_BANK || level > scope)
        return 0;
    for (u32 i = 0; i < device->count[level]; i++) {
        if (!place_has(place_at(place, level), i))
            continue;
        u32 index = parent * device->count[level] + i;
        ready = max_u64(ready, *bound_at(state, device->node_begin[level] + index, command));
        ready = max_u64(ready, ready_below(state, device, command, place, level + 1, index));
    }
    return ready;
}

cycle timing_ready(const struct dram_timing_state *state, const struct dram_device *device,
                   u32 command, struct dram_place place)
{
    return max_u64(timing_ready_channel(state, command),
                   ready_below(state, device, command, place, DRAM_RANK, 0));
}

static void history_push(cycle *history, cycle now)
{
    for (u32 i = DRAM_WINDOW_MAX - 1; i > 0; i--)
        history[i] = history[i - 1];
    history[0] = now;
}

static inline void node_issue(struct dram_timing_state *state, const struct dram_device *device,
                              u32 level, u32 node, u32 command, cycle now)
{
    const struct dram_rules *rules = &device->own;
    const struct dram_rule *rule = &rules->rule[rules->begin[level][command]];
    const struct dram_rule *end = &rules->rule[rules->begin[level][command + 1]];
    if (command == device->windowed && device->window_levels >> level & 1)
        history_push(state->history[node], now);
    for (; rule < end; rule++) {
        cycle base = rule->window == 1 ? now : state->history[node][rule->window - 1];
        if (base)
            bound_raise(bound_at(state, node, rule->later), base + rule->distance);
    }
}

static void sibling_issue(struct dram_timing_state *state, const struct dram_device *device,
                          u32 level, u32 node, u32 command, cycle now)
{
    const struct dram_rules *rules = &device->sibling;
    for (u32 i = rules->begin[level][command]; i < rules->begin[level][command + 1]; i++)
        bound_raise(bound_at(state, node, rules->rule[i].later), now + rules->rule[i].distance);
}

static void issue_below(struct dram_timing_state *state, const struct dram_device *device,
                        u32 command, struct dram_place place, u32 level, u32 parent, cycle now)
{
    if (level > DRAM_BANK)
        return;
    for (u32 i = 0; i < device->count[level]; i++) {
        u32 index = parent * device->count[level] + i;
        u32 node = device->node_begin[level] + index;
        if (place_has(place_at(place, level), i)) {
            node_issue(state, device, level, node, command, now);
            issue_below(state, device, command, place, level + 1, index, now);
        } else {
            sibling_issue(state, device, level, node, command, now);
        }
    }
}

void timing_issue(struct dram_timing_state *state, const struct dram_device *device, u32 command,
                  struct dram_place place, cycle now)
{
    node_issue(state, device, DRAM_CHANNEL, 0, command, now);
    issue_below(state, device, command, place, DRAM_RANK, 0, now);
}

void timing_window(struct dram_timing_state *state, const struct dram_device *device,
                   const struct dram_path *path, cycle now)
{
    const struct dram_bank_rules *rules = &device->bank;
    for (u32 levels = device->window_levels; levels; levels &= levels - 1)
        history_push(state->history[path->node[__builtin_ctz(levels)]], now);
    for (u32 i = rules->windowed; i < rules->end; i++) {
        const struct dram_bank_rule *rule = &rules->rule[i];
        size_t at = path->node[rule->level];
        cycle base = state->history[at][rule->window - 1];
        if (base)
            bound_raise(&state->row[0][rule->row + at], base + rule->distance);
    }
}
