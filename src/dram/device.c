/* device.c - resolving a device: preset, then tables by rate and width, then tables by density,
 * then the corrections of the variant; after that the constraints become rules.
 *
 * The rank level of a device with one rank is merged into the channel: the same commands pass both
 * nodes, so the merged rules bind exactly the same commands and a scheduler has one node less to
 * ask. (A command that addresses the channel never asks a rank; such rules are left out.) Rules
 * between the same two commands at the same level act as the largest of them. */
#include "dram/device.h"

#include <string.h>

#include "base/text.h"

#define DRAM_DISTANCES_MAX 1024

static u32 rate_divisor(const struct dram_standard *standard, u32 variant)
{
    if (variant == DRAM_CORRECT && standard->correct_rate_per_clock)
        return standard->correct_rate_per_clock;
    return standard->rate_per_clock;
}

/* JEDEC's rounding with its guard bands (JESD79-4 and JESD79-5), in integers. */
static i32 cycles_of(const struct dram_standard *standard, u32 nanoseconds, u32 tck_ps)
{
    u64 ps = (u64)nanoseconds * 1000;
    if (standard->rounding == DRAM_ROUND_DDR5)
        return (i32)((ps * 997 / tck_ps + 1000) / 1000);
    return (i32)((ps * 1000 / tck_ps + 974) / 1000);
}

static bool organisation_find(const struct dram_standard *standard, const char *name,
                              const struct dram_organisation **found, struct ogv_error *error)
{
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (const struct dram_organisation *o = standard->organisations; o->name; o++) {
        *found = o;
        if (!strcmp(o->name, name))
            return true;
        nearest_offer(&nearest, o->name);
    }
    char hint[128];
    return error_user(error, "%s has no organisation '%s'%s", standard->name, name,
                      nearest_hint(&nearest, hint, sizeof hint));
}

static bool preset_find(const struct dram_standard *standard, const char *name,
                        const struct dram_preset **found, struct ogv_error *error)
{
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (const struct dram_preset *p = standard->presets; p->name; p++) {
        *found = p;
        if (!strcmp(p->name, name))
            return true;
        nearest_offer(&nearest, p->name);
    }
    char hint[128];
    return error_user(error, "%s has no timing preset '%s'%s", standard->name, name,
                      nearest_hint(&nearest, hint, sizeof hint));
}

static u32 density_of(const struct dram_device *device, const struct dram_standard *standard)
{
    u64 bits = device->dq;
    for (u32 level = 0; level < DRAM_LEVELS; level++)
        if (standard->density_levels & (1u << level))
            bits *= device->count[level];
    return (u32)(bits >> 20);
}

static bool device_organise(struct dram_device *device, const struct dram_config *config,
                            const struct dram_standard *standard,
                            const struct dram_organisation *organisation, struct ogv_error *error)
{
    memcpy(device->count, organisation->count, sizeof device->count);
    device->dq = organisation->dq;
    device->density_mb = density_of(device, standard);
    if (device->density_mb != organisation->density_mb && config->variant != DRAM_CORRECT)
        return error_user(error, "%s states %u Mb but holds %u Mb", organisation->name,
                          organisation->density_mb, device->density_mb);
    if (config->channels)
        device->count[DRAM_CHANNEL] = config->channels;
    if (config->ranks && !standard->rank_name)
        return error_user(error, "%s has no ranks", standard->name);
    if (config->ranks)
        device->count[DRAM_RANK] = config->ranks;
    for (u32 level = 0; level < DRAM_LEVELS; level++)
        if (!is_power_of_two(device->count[level]))
            return error_user(error, "%u %ss: a count must be a power of two", device->count[level],
                              dram_standard_level(standard, (enum dram_level)level));
    device->channel_width = config->channel_width ? config->channel_width : standard->channel_width;
    device->prefetch = config->variant == DRAM_CORRECT && standard->correct_prefetch
                           ? standard->correct_prefetch
                           : standard->prefetch;
    device->transaction_bytes = device->prefetch * device->channel_width / 8;
    if (!is_power_of_two(device->transaction_bytes))
        return error_user(error, "a channel of %u bits does not give whole transactions",
                          device->channel_width);
    return true;
}

static void device_preset(struct dram_device *device, const struct dram_standard *standard,
                          const struct dram_preset *preset)
{
    for (u32 i = 0; i < DRAM_TIMINGS; i++)
        device->timing[i] = -1;
    for (u32 i = 0; i < DRAM_COLUMNS && standard->timing_columns[i]; i++)
        device->timing[standard->timing_columns[i]] = preset->values[i];
    device->rate = preset->rate;
    device->tck_ps = 1000000 / (preset->rate / rate_divisor(standard, device->variant));
}

static void device_rate_tables(struct dram_device *device, const struct dram_standard *standard)
{
    for (u32 i = 0; i < DRAM_RATES; i++) {
        if (!standard->rates[i] || standard->rates[i] != device->rate)
            continue;
        for (const struct dram_by_rate *t = standard->by_rate; t && t->timing; t++)
            if (dram_variant_has(t->variants, device->variant) && (!t->dq || t->dq == device->dq))
                device->timing[t->timing] = t->cycles[i];
    }
}

static void device_density_tables(struct dram_device *device, const struct dram_standard *standard)
{
    for (u32 i = 0; i < DRAM_DENSITIES; i++) {
        if (!standard->densities_mb[i] || standard->densities_mb[i] != device->density_mb)
            continue;
        for (const struct dram_by_density *t = standard->by_density; t && t->timing; t++)
            if (dram_variant_has(t->variants, device->variant) && t->nanoseconds[i])
                device->timing[t->timing] = cycles_of(standard, t->nanoseconds[i], device->tck_ps) *
                                            (t->times ? t->times : 1);
    }
}

static void device_corrections(struct dram_device *device, const struct dram_standard *standard,
                               const char *preset)
{
    for (const struct dram_correction *c = standard->corrections; c && c->timing; c++)
        if (dram_variant_has(c->variants, device->variant) &&
            (!c->preset || !strcmp(c->preset, preset)))
            device->timing[c->timing] = c->cycles;
}

/* Every timing that a table of densities should have filled in must be there: the reference reads
 * beyond its tables instead. */
static bool device_check(const struct dram_device *device, const struct dram_standard *standard,
                         struct ogv_error *error)
{
    for (const struct dram_by_density *t = standard->by_density; t && t->timing; t++)
        if (dram_variant_has(t->variants, device->variant) && device->timing[t->timing] <= 0)
            return error_user(error, "%s: no %s is known for a density of %u Mb", standard->name,
                              dram_timing_names[t->timing], device->density_mb);
    if (device->banks > DRAM_BANKS_MAX)
        return error_user(error, "%u banks in a channel; at most %d are supported", device->banks,
                          DRAM_BANKS_MAX);
    return true;
}

static void device_scopes(struct dram_device *device, const struct dram_standard *standard)
{
    memset(device->scope, DRAM_NO_SCOPE, sizeof device->scope);
    for (const struct dram_scope *s = standard->scopes; s->level != DRAM_LEVELS; s++)
        if (dram_variant_has(s->variants, device->variant))
            device->scope[s->command] = s->level;
}

static void device_nodes(struct dram_device *device)
{
    u32 nodes = 1, begin = 0;
    for (u32 level = 0; level < DRAM_NODE_LEVELS; level++) {
        if (level > DRAM_CHANNEL)
            nodes *= device->count[level];
        device->node_begin[level] = begin;
        begin += nodes;
    }
    device->node_begin[DRAM_NODE_LEVELS] = begin;
    device->row_bounds = (begin + 7) / 8 * 8;
    device->banks = nodes;
    device->banks_of_rank = nodes / device->count[DRAM_RANK];
}

static i32 constraint_cycles(const struct dram_device *device, const struct dram_constraint *row)
{
    i32 cycles = row->extra;
    for (u32 i = 0; i < DRAM_TERMS && row->terms[i]; i++) {
        i8 term = row->terms[i];
        cycles += term > 0 ? device->timing[term] : -device->timing[-term];
    }
    return cycles;
}

bool dram_device_distance(const struct dram_device *device, u64 *cursor,
                          struct dram_distance *distance)
{
    const struct dram_standard *standard = dram_standard_at(device->standard);
    for (;; ++*cursor) {
        u64 pair = *cursor % ((u64)DRAM_COMMANDS * DRAM_COMMANDS);
        const struct dram_constraint *row =
            &standard->constraints[*cursor / ((u64)DRAM_COMMANDS * DRAM_COMMANDS)];
        u32 earlier = (u32)(pair / DRAM_COMMANDS), later = (u32)(pair % DRAM_COMMANDS);
        if (!row->from)
            return false;
        if (!(row->from >> earlier & 1) || !(row->to >> later & 1) ||
            !dram_variant_has(row->variants, device->variant) ||
            device->scope[earlier] == DRAM_NO_SCOPE || device->scope[later] == DRAM_NO_SCOPE)
            continue;
        i32 cycles = constraint_cycles(device, row);
        if (cycles <= 0)
            continue;
        *distance = (struct dram_distance){
            row->level, earlier, later, (u32)cycles, row->window ? row->window : 1, row->sibling
        };
        ++*cursor;
        return true;
    }
}

static bool rules_add(struct dram_rules *rules, u32 begin, u32 *end, u32 later, u32 window,
                      u32 distance)
{
    for (u32 i = begin; i < *end; i++) {
        struct dram_rule *rule = &rules->rule[i];
        if (rule->later != later || rule->window != window)
            continue;
        rule->distance = rule->distance > distance ? rule->distance : distance;
        return true;
    }
    if (*end == DRAM_RULES_MAX)
        return false;
    rules->rule[(*end)++] = (struct dram_rule){ (u8)later, (u8)window, distance };
    return true;
}

/* The constraints of a device, unfolded once: the tables' masks are slow to walk. */
struct distances {
    u32 count;
    struct dram_distance at[DRAM_DISTANCES_MAX];
};

static bool distances_init(struct distances *list, const struct dram_device *device,
                           struct ogv_error *error)
{
    list->count = 0;
    struct dram_distance d;
    for (u64 cursor = 0; dram_device_distance(device, &cursor, &d);) {
        if (list->count == DRAM_DISTANCES_MAX)
            return error_user(error, "%s has more than %d constraints",
                              dram_standard_at(device->standard)->name, DRAM_DISTANCES_MAX);
        list->at[list->count++] = d;
    }
    return true;
}

static bool rules_of(struct dram_rules *rules, const struct distances *list, u32 level, u32 earlier,
                     bool sibling, u32 *end)
{
    u32 begin = *end;
    rules->begin[level][earlier] = (u16)begin;
    for (u32 i = 0; i < list->count; i++) {
        const struct dram_distance *d = &list->at[i];
        if (d->level == level && d->earlier == earlier && d->sibling == sibling &&
            !rules_add(rules, begin, end, d->later, d->window, d->cycles))
            return false;
    }
    rules->begin[level][earlier + 1] = (u16)*end;
    return true;
}

static bool rules_init(struct dram_rules *rules, const struct distances *list, bool sibling,
                       struct ogv_error *error)
{
    u32 end = 0;
    for (u32 level = 0; level < DRAM_NODE_LEVELS; level++)
        for (u32 earlier = 0; earlier < DRAM_COMMANDS; earlier++)
            if (!rules_of(rules, list, level, earlier, sibling, &end))
                return error_user(error, "more than %d timing rules", DRAM_RULES_MAX);
    return true;
}

/* Whether a channel's controller ever issues it. Refresh takes commands of its own, of which a
 * controller that refreshes bank by bank needs others than one that does not. */
static bool command_is_used(const struct dram_device *device, u32 command)
{
    if (command == DRAM_PREA || command == DRAM_REFAB)
        return device->refresh_targets == 1;
    if (command == DRAM_REFPB || command == DRAM_REFSB || command == DRAM_PRESB)
        return device->refresh_targets > 1;
    return command <= DRAM_CASWR;
}

/* Whether a node above keeps the two commands at least as far apart. */
static bool rule_is_covered(const struct dram_rules *own, u32 level, u32 earlier,
                            const struct dram_rule *rule)
{
    for (u32 above = 0; above < level; above++)
        for (u32 i = own->begin[above][earlier]; i < own->begin[above][earlier + 1]; i++)
            if (own->rule[i].later == rule->later && own->rule[i].window == rule->window &&
                own->rule[i].distance >= rule->distance)
                return true;
    return false;
}

static void bank_rules_add(struct dram_device *device, u32 earlier, bool windows)
{
    struct dram_bank_rules *bank = &device->bank;
    const struct dram_rules *own = &device->own;
    for (u32 level = 0; level < DRAM_NODE_LEVELS; level++) {
        for (u32 i = own->begin[level][earlier]; i < own->begin[level][earlier + 1]; i++) {
            const struct dram_rule *rule = &own->rule[i];
            if (command_is_used(device, rule->later) && (rule->window > 1) == windows &&
                !rule_is_covered(own, level, earlier, rule))
                bank->rule[bank->end++] =
                    (struct dram_bank_rule){ .level = (u8)level,
                                             .window = rule->window,
                                             .row = (u16)(rule->later * device->row_bounds),
                                             .distance = rule->distance };
        }
    }
}

static void bank_rules_init(struct dram_device *device)
{
    struct dram_bank_rules *bank = &device->bank;
    for (u32 earlier = 0; earlier < DRAM_COMMANDS; earlier++) {
        bank_rules_add(device, earlier, false);
        bank->begin[earlier + 1] = bank->end;
    }
    bank->windowed = bank->end;
    if (device->windowed != DRAM_COMMANDS)
        bank_rules_add(device, device->windowed, true);
}

static void distances_merge_rank(struct distances *list, const struct dram_device *device)
{
    u32 kept = 0;
    for (u32 i = 0; i < list->count; i++) {
        struct dram_distance d = list->at[i];
        if (d.level == DRAM_RANK && (d.sibling || device->scope[d.later] < DRAM_RANK))
            continue;
        if (d.level == DRAM_RANK)
            d.level = DRAM_CHANNEL;
        list->at[kept++] = d;
    }
    list->count = kept;
}

static bool windows_init(struct dram_device *device, const struct distances *list,
                         struct ogv_error *error)
{
    device->windowed = DRAM_COMMANDS;
    for (u32 i = 0; i < list->count; i++) {
        const struct dram_distance *d = &list->at[i];
        if (d->window == 1)
            continue;
        if (d->window > DRAM_WINDOW_MAX ||
            (device->windowed != DRAM_COMMANDS && device->windowed != d->earlier))
            return error_user(error, "%s: only one command may have a window, of at most %d",
                              dram_standard_at(device->standard)->name, DRAM_WINDOW_MAX);
        device->windowed = (u8)d->earlier;
        device->window_levels |= (u8)(1u << d->level);
    }
    return true;
}

/* The distance that all places keep that are in the same bank. */
static u32 bank_distance(const struct dram_rules *own, u32 earlier, u32 later)
{
    u32 distance = 0;
    for (u32 i = own->begin[DRAM_BANK][earlier]; i < own->begin[DRAM_BANK][earlier + 1]; i++)
        if (own->rule[i].later == later && own->rule[i].window == 1)
            distance = own->rule[i].distance;
    return distance;
}

static bool device_rules(struct dram_device *device, struct ogv_error *error)
{
    struct distances list;
    if (!distances_init(&list, device, error))
        return false;
    if (device->count[DRAM_RANK] == 1)
        distances_merge_rank(&list, device);
    if (!windows_init(device, &list, error))
        return false;
    for (u32 i = 0; i < list.count; i++)
        if (list.at[i].sibling)
            device->siblings |= 1u << list.at[i].earlier;
    if (!rules_init(&device->own, &list, false, error) ||
        !rules_init(&device->sibling, &list, true, error))
        return false;
    bank_rules_init(device);
    u32 read = bank_distance(&device->own, DRAM_ACT, DRAM_RD);
    u32 write = bank_distance(&device->own, DRAM_ACT, DRAM_WR);
    device->row_distance = read < write ? read : write;
    return true;
}

static u32 timing_either(const struct dram_device *device, enum dram_timing a, enum dram_timing b)
{
    return (u32)(device->timing[a] > 0 ? device->timing[a] : device->timing[b]);
}

static void device_derive(struct dram_device *device, const struct dram_standard *standard)
{
    device->burst = timing_either(device, nBL, nBL16);
    u32 ccd = timing_either(device, nCCDS, nCCD);
    if (device->timing[nBL16] > 0 && device->variant == DRAM_CORRECT)
        ccd = device->burst;
    device->column_distance = device->burst > ccd ? device->burst : ccd;
    device->read_latency = (u32)device->timing[nCL] + device->burst;
    device->write_latency = (u32)device->timing[nCWL] + device->burst;
    device->activates_twice = standard->activates_twice;
    device->synchronises_clock = standard->synchronises_clock;
    device->refreshes = dram_variant_has(standard->refresh_variants, device->variant);
}

static u32 refresh_targets(const struct dram_device *device, enum dram_refresh refresh)
{
    if (refresh == DRAM_REFRESH_none || !device->refreshes)
        return 0;
    if (refresh == DRAM_REFRESH_all_bank)
        return 1;
    return dram_device_refreshes_same_bank(device) ? device->count[DRAM_BANK]
                                                   : device->banks_of_rank;
}

bool dram_device_init(struct dram_device *device, const struct dram_config *config,
                      struct ogv_error *error)
{
    const struct dram_organisation *organisation = NULL;
    const struct dram_preset *preset = NULL;
    *device = (struct dram_device){ .variant = config->variant };
    const struct dram_standard *standard = dram_standard_find(config->standard, &device->standard);
    if (!standard)
        return error_user(error, "no DRAM standard is called '%s'", config->standard);
    if (standard->unusable_variants & config->variant)
        return error_user(error, "%s exists in the correct variant only", standard->name);
    if (!organisation_find(standard, config->organisation, &organisation, error) ||
        !preset_find(standard, config->preset, &preset, error) ||
        !device_organise(device, config, standard, organisation, error))
        return false;
    device_preset(device, standard, preset);
    device_rate_tables(device, standard);
    device_density_tables(device, standard);
    device_corrections(device, standard, preset->name);
    device_scopes(device, standard);
    device_nodes(device);
    device_derive(device, standard);
    device->refresh_targets = refresh_targets(device, config->controller.refresh);
    return device_check(device, standard, error) && device_rules(device, error);
}

u64 dram_device_clock_hz(const struct dram_device *device)
{
    return device->rate * MHz / rate_divisor(dram_standard_at(device->standard), device->variant);
}

u64 dram_device_capacity(const struct dram_device *device)
{
    u64 transactions = device->count[DRAM_COLUMN] / device->prefetch;
    return (u64)device->count[DRAM_CHANNEL] * device->banks * device->count[DRAM_ROW] *
           transactions * device->transaction_bytes;
}

u32 dram_device_buses(const struct dram_device *device)
{
    const char *rank = dram_standard_at(device->standard)->rank_name;
    bool pseudochannels = rank && !strcmp(rank, "pseudochannel");
    return device->count[DRAM_CHANNEL] * (pseudochannels ? device->count[DRAM_RANK] : 1);
}
