/* describe.c - standards, presets and configurations in words, made from their tables alone. */
#include "dram/describe.h"

#include <string.h>

#include "dram/device.h"

#define LINE_CHARACTERS 96

static const char *variant_name(u32 variant)
{
    return variant == DRAM_REFERENCE ? "reference"
           : variant == DRAM_BANKFIX ? "bankfix"
                                     : "correct";
}

/* Adds a word to a paragraph with a hanging indent. */
static void word_add(struct text *text, size_t *column, const char *word)
{
    if (*column + strlen(word) + 1 > LINE_CHARACTERS) {
        text_add(text, "\n     ");
        *column = 5;
    }
    text_add(text, " %s", word);
    *column += strlen(word) + 1;
}

static void standard_describe(const struct dram_standard *standard, struct text *text)
{
    text_add(text, "\n%s: %s\n  from: %s\n", standard->name, standard->title, standard->source);
    text_add(text, "  organisations:");
    size_t column = 16;
    for (const struct dram_organisation *o = standard->organisations; o->name; o++)
        word_add(text, &column, o->name);
    text_add(text, "\n  presets:");
    column = 10;
    for (const struct dram_preset *p = standard->presets; p->name; p++)
        word_add(text, &column, p->name);
    text_add(text, "\n");
}

void dram_describe_all(struct text *text)
{
    const struct dram_config *config;
    const struct dram_standard *standard;
    text_add(text, "Configurations:\n");
    for (u32 i = 0; (config = dram_config_at(i)); i++)
        text_add(text, "  %-28s %-9s  %s\n", config->name, variant_name(config->variant),
                 config->help);
    text_add(text, "\nStandards:\n");
    for (u32 i = 0; (standard = dram_standard_at(i)); i++)
        standard_describe(standard, text);
}

static void levels_describe(const struct dram_device *device, struct text *text)
{
    const struct dram_standard *standard = dram_standard_at(device->standard);
    text_add(text, "levels:");
    for (u32 level = 0; level < DRAM_LEVELS; level++) {
        const char *name = dram_standard_level(standard, (enum dram_level)level);
        if (name)
            text_add(text, " %s=%u", name, device->count[level]);
    }
    text_add(text,
             "\ndensity_Mb=%u dq=%u channel_width=%u prefetch=%u tx_bytes=%u read_latency=%u\n",
             device->density_mb, device->dq, device->channel_width, device->prefetch,
             device->transaction_bytes, device->read_latency);
}

static void timings_describe(const struct dram_device *device, struct text *text)
{
    const struct dram_standard *standard = dram_standard_at(device->standard);
    text_add(text, "timings: rate=%u", device->rate);
    for (u32 i = 0; i < DRAM_COLUMNS && standard->timing_columns[i]; i++) {
        u32 timing = standard->timing_columns[i];
        text_add(text, " %s=%d", dram_timing_names[timing], device->timing[timing]);
    }
    text_add(text, " tCK_ps=%u\n", device->tck_ps);
}

static void constraints_describe(const struct dram_device *device, struct text *text)
{
    const struct dram_standard *standard = dram_standard_at(device->standard);
    struct dram_distance d;
    for (u64 cursor = 0; dram_device_distance(device, &cursor, &d);)
        text_add(text, "con %s %s %s %u %u %d\n", dram_standard_level(standard, d.level),
                 dram_command_names[d.earlier], dram_command_names[d.later], d.cycles, d.window,
                 d.sibling);
}

static void device_describe(const struct dram_device *device, struct text *text)
{
    levels_describe(device, text);
    timings_describe(device, text);
    constraints_describe(device, text);
}

static void controller_describe(const struct dram_config *config, struct text *text)
{
    static const char *const schedulers[] = { DRAM_SCHEDULERS(DRAM_CHOICE_NAME, ) };
    static const char *const rows[] = { DRAM_ROW_POLICIES(DRAM_CHOICE_NAME, ) };
    static const char *const refreshes[] = { DRAM_REFRESHES(DRAM_CHOICE_NAME, ) };
    const struct dram_controller *c = &config->controller;
    text_add(text, "controller: scheduler=%s", schedulers[c->scheduler]);
    if (c->scheduler == DRAM_SCHEDULER_frfcfs_cap)
        text_add(text, " hit_cap=%u", c->hit_cap);
    text_add(text, " row_policy=%s", rows[c->row_policy]);
    if (c->row_policy == DRAM_ROW_closed)
        text_add(text, " row_cap=%u", c->row_cap);
    if (c->row_policy == DRAM_ROW_timeout)
        text_add(text, " row_timeout=%u", c->row_timeout);
    text_add(text, " refresh=%s reads=%u writes=%u drain=%u..%u merge=%d mapper=%s\n",
             refreshes[c->refresh], c->read_capacity, c->write_capacity, c->write_enter,
             c->write_leave, c->merge_writes, config->mapper);
}

bool dram_describe_config(const struct dram_config *config, struct text *text,
                          struct ogv_error *error)
{
    struct dram_device device;
    if (!dram_device_init(&device, config, error))
        return false;
    text_add(text, "%s: %s\n%s %s %s, %s\n", config->name, config->help, config->standard,
             config->organisation, config->preset, variant_name(config->variant));
    controller_describe(config, text);
    device_describe(&device, text);
    return true;
}

/* Tries the given organisation or each in turn. */
static bool variant_describe(const struct dram_standard *standard, struct dram_config *config,
                             struct text *text, struct ogv_error *error)
{
    const struct dram_organisation *o = standard->organisations;
    struct dram_device device;
    bool given = config->organisation;
    bool good;
    do {
        if (!given)
            config->organisation = o->name;
        good = dram_device_init(&device, config, error);
    } while (!good && !given && (++o)->name);
    if (!good)
        return false;
    text_add(text, "%s %s %s, %s\n", standard->name, config->organisation, config->preset,
             variant_name(config->variant));
    device_describe(&device, text);
    return true;
}

static bool standard_unknown(const char *name, struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, name);
    for (u32 i = 0; i < dram_standard_count(); i++)
        nearest_offer(&nearest, dram_standard_at(i)->name);
    return error_user(error, "no DRAM standard is called '%s'%s (ogive dram list shows them)", name,
                      nearest_hint(&nearest, hint, sizeof hint));
}

bool dram_describe_preset(const char *standard, const char *preset, const char *organisation,
                          struct text *text, struct ogv_error *error)
{
    const struct dram_standard *found = dram_standard_find(standard, NULL);
    if (!found)
        return standard_unknown(standard, error);
    for (u32 variant = DRAM_REFERENCE; variant <= DRAM_CORRECT; variant *= 2) {
        struct dram_config config = {
            .standard = standard, .organisation = organisation, .preset = preset, .variant = variant
        };
        if (found->unusable_variants & variant || variant == DRAM_BANKFIX)
            continue;
        if (!variant_describe(found, &config, text, error))
            return false;
    }
    return true;
}
