/* config.c - the named configurations.
 *
 * The reference's buffers hold one request more than they are said to; its watermarks are shares of
 * the nominal size in single precision: more than 0.8 x 32 is 26 and up, less than 0.2 x 32 is 6
 * and down; 0.7 x 64 gives 45, 0.3 x 64 gives 19. Both are written out here. */
#include "dram/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define GENERIC                                                                     \
    .read_capacity = 33, .write_capacity = 33, .write_enter = 26, .write_leave = 6, \
    .return_capacity = 256, .refresh_blocks_all = true
#define ARCHES                                                                       \
    .read_capacity = 65, .write_capacity = 65, .write_enter = 45, .write_leave = 19, \
    .return_capacity = 256, .merge_writes = true, .refresh_blocks_all = true
/* The correct GDDR6 maps a 128-byte line to one bank and the next ones to the other channel and the
 * other bank groups: a stream within one bank can use only half of the bus (tCCDL is twice tCCDS).
 */

/* Hits first with a cap of 16: the "FR-FCFS+Cap" of Mutlu and Moscibroda, MICRO 2007. */
#define OURS                                                                            \
    .scheduler = DRAM_SCHEDULER_frfcfs_cap, .hit_cap = 16, .read_capacity = 64,         \
    .write_capacity = 64, .write_enter = 48, .write_leave = 16, .return_capacity = 128, \
    .merge_writes = true, .forward_active = true, .yield_to_reads = true

static const struct dram_config configs[] = {
    {
        .name = "arches_gddr6_14000",
        .help = "one memory partition of the Arches RTX 2080",
        .standard = "gddr6a",
        .organisation = "GDDR6_16Gb_x16",
        .preset = "GDDR6_14000_1250mV_quad",
        .variant = DRAM_REFERENCE,
        .mapper = "RoBgBaRaChCo",
        .controller = { ARCHES },
    },
    {
        .name = "arches_gddr6_14000_bankfix",
        .help = "the same without channel-wide ACT-PRE and PRE-ACT distances",
        .standard = "gddr6a",
        .organisation = "GDDR6_16Gb_x16",
        .preset = "GDDR6_14000_1250mV_quad",
        .variant = DRAM_BANKFIX,
        .mapper = "RoBgBaRaChCo",
        .controller = { ARCHES },
    },
    {
        .name = "arches_gddr6_pch_16000",
        .help = "the Arches TRaX memory: one 32-bit channel",
        .standard = "gddr6a",
        .organisation = "GDDR6_16Gb_x16_pch",
        .preset = "GDDR6_16000_1350mV_quad",
        .variant = DRAM_REFERENCE,
        .channel_width = 32,
        .mapper = "RoBgBaRaChCo",
        .controller = { ARCHES },
    },
    {
        .name = "ddr3_1600k",
        .help = "DDR3-1600, 4 Gb x8",
        .standard = "ddr3",
        .organisation = "DDR3_4Gb_x8",
        .preset = "DDR3_1600K",
        .variant = DRAM_REFERENCE,
        .mapper = "ChRaBaRoCo",
        .controller = { GENERIC },
    },
    {
        .name = "ddr4_2400r_2rank",
        .help = "DDR4-2400, 8 Gb x8, two ranks",
        .standard = "ddr4",
        .organisation = "DDR4_8Gb_x8",
        .preset = "DDR4_2400R",
        .variant = DRAM_REFERENCE,
        .ranks = 2,
        .mapper = "RoBaRaCoCh",
        .controller = { GENERIC },
    },
    {
        .name = "ddr4_2400r_closed_mop",
        .help = "DDR4-2400, rows closed after 4 column commands, XOR mapping",
        .standard = "ddr4",
        .organisation = "DDR4_8Gb_x8",
        .preset = "DDR4_2400R",
        .variant = DRAM_REFERENCE,
        .mapper = "MOP4CLXOR",
        .controller = { GENERIC, .row_policy = DRAM_ROW_closed, .row_cap = 4 },
    },
    {
        .name = "ddr4_3200aa",
        .help = "DDR4-3200, 8 Gb x8",
        .standard = "ddr4",
        .organisation = "DDR4_8Gb_x8",
        .preset = "DDR4_3200AA",
        .variant = DRAM_REFERENCE,
        .mapper = "RoBaRaCoCh",
        .controller = { GENERIC },
    },
    {
        .name = "ddr5_3200an",
        .help = "DDR5-3200, 16 Gb x8",
        .standard = "ddr5",
        .organisation = "DDR5_16Gb_x8",
        .preset = "DDR5_3200AN",
        .variant = DRAM_REFERENCE,
        .mapper = "RoBaRaCoCh",
        .controller = { GENERIC },
    },
    {
        .name = "gddr6_stock_2000",
        .help = "the reference's own GDDR6, never refreshed",
        .standard = "gddr6",
        .organisation = "GDDR6_8Gb_x16",
        .preset = "GDDR6_2000_1350mV_quad",
        .variant = DRAM_REFERENCE,
        .mapper = "RoBaRaCoCh",
        .controller = { GENERIC },
    },
    {
        .name = "hbm1_2gbps",
        .help = "HBM, 4 Gb, never refreshed",
        .standard = "hbm",
        .organisation = "HBM_4Gb",
        .preset = "HBM_2Gbps",
        .variant = DRAM_REFERENCE,
        .mapper = "RoBaRaCoCh",
        .controller = { GENERIC },
    },
    {
        .name = "hbm2_2gbps",
        .help = "HBM2, 4 Gb, two pseudochannels, never refreshed",
        .standard = "hbm2",
        .organisation = "HBM2_4Gb",
        .preset = "HBM2_2Gbps",
        .variant = DRAM_REFERENCE,
        .mapper = "RoBaRaCoCh",
        .controller = { GENERIC },
    },
    {
        .name = "gddr6_14000",
        .help = "GDDR6 at 14 Gb/s, 16 Gb, two 16-bit channels, correct",
        .standard = "gddr6a",
        .organisation = "GDDR6_16Gb_x16",
        .preset = "GDDR6_14000_1250mV_quad",
        .variant = DRAM_CORRECT,
        .mapper = "RoBaRaCoBgChCo2",
        .controller = { OURS, .refresh = DRAM_REFRESH_per_bank },
    },
    {
        .name = "gddr6_16000",
        .help = "GDDR6 at 16 Gb/s, 16 Gb, two 16-bit channels, correct",
        .standard = "gddr6a",
        .organisation = "GDDR6_16Gb_x16",
        .preset = "GDDR6_16000_1250mV_quad",
        .variant = DRAM_CORRECT,
        .mapper = "RoBaRaCoBgChCo2",
        .controller = { OURS, .refresh = DRAM_REFRESH_per_bank },
    },
    {
        .name = "gddr6x_21000",
        .help = "GDDR6X at 21 Gb/s, 16 Gb, two 16-bit channels, correct",
        .standard = "gddr6a",
        .organisation = "GDDR6_16Gb_x16",
        .preset = "GDDR6x_21000_1350mV_quad",
        .variant = DRAM_CORRECT,
        .mapper = "RoBaRaCoBgChCo2",
        .controller = { OURS, .refresh = DRAM_REFRESH_per_bank },
    },
    {
        .name = "gddr5_8000",
        .help = "GDDR5 at 8 Gb/s, 8 Gb, one 32-bit channel, correct",
        .standard = "gddr5",
        .organisation = "GDDR5_8Gb_x32",
        .preset = "GDDR5_8000",
        .variant = DRAM_CORRECT,
        .mapper = "RoBaCoBgChCo2",
        .controller = { OURS, .refresh = DRAM_REFRESH_per_bank },
    },
    {
        .name = "gddr5x_12000",
        .help = "GDDR5X at 12 Gb/s, 8 Gb, one 32-bit channel, correct",
        .standard = "gddr5x",
        .organisation = "GDDR5X_8Gb_x32",
        .preset = "GDDR5X_12000",
        .variant = DRAM_CORRECT,
        .mapper = "RoBaCoBgChCo1",
        .controller = { OURS, .refresh = DRAM_REFRESH_per_bank },
    },
    {
        /* Queues of 80, drain from 41 down to 20, address map 1: SimTRaX's USIMM. */
        .name = "simtrax_gddr5",
        .help = "the memory of SimTRaX: GDDR5, 16 channels of 32 GB/s",
        .standard = "gddr5",
        .organisation = "SimTRaX_2Gb_x16",
        .preset = "SimTRaX_2000",
        .variant = DRAM_CORRECT,
        .channels = 16,
        .channel_width = 64,
        .mapper = "RoBaBgChCo",
        .controller = { .scheduler = DRAM_SCHEDULER_frfcfs_cap,
                        .hit_cap = UINT32_MAX,
                        .read_capacity = 80,
                        .write_capacity = 80,
                        .write_enter = 41,
                        .write_leave = 20,
                        .return_capacity = 256,
                        .merge_writes = true },
    },
    {
        .name = "ddr4_3200",
        .help = "DDR4-3200, 8 Gb x8, correct",
        .standard = "ddr4",
        .organisation = "DDR4_8Gb_x8",
        .preset = "DDR4_3200AA",
        .variant = DRAM_CORRECT,
        .mapper = "RoBaBgRaCoCh",
        .controller = { OURS },
    },
    {
        .name = "ddr5_3200",
        .help = "DDR5-3200, 16 Gb x8, same-bank refresh, correct",
        .standard = "ddr5",
        .organisation = "DDR5_16Gb_x8",
        .preset = "DDR5_3200AN",
        .variant = DRAM_CORRECT,
        .mapper = "RoBaBgRaCoCh",
        .controller = { OURS, .refresh = DRAM_REFRESH_per_bank },
    },
    {
        .name = "lpddr5_6400",
        .help = "LPDDR5-6400, 8 Gb, one 16-bit channel, correct",
        .standard = "lpddr5",
        .organisation = "LPDDR5_8Gb_x16",
        .preset = "LPDDR5_6400",
        .variant = DRAM_CORRECT,
        .channel_width = 16,
        .mapper = "RoBaRaCoBgCh",
        .controller = { OURS },
    },
    {
        .name = "hbm2_2000",
        .help = "HBM2 at 2 Gb/s, 4 Gb, two pseudochannels, correct",
        .standard = "hbm2",
        .organisation = "HBM2_4Gb",
        .preset = "HBM2_2Gbps",
        .variant = DRAM_CORRECT,
        .mapper = "RoBaCoBgRaCh",
        .controller = { OURS },
    },
    {
        .name = "hbm3_2000",
        .help = "HBM3 at 2 Gb/s, 4 Gb, two pseudochannels, correct",
        .standard = "hbm3",
        .organisation = "HBM3_4Gb",
        .preset = "HBM3_2Gbps",
        .variant = DRAM_CORRECT,
        .mapper = "RoBaCoBgRaCh",
        .controller = { OURS },
    },
    {
        .name = "hbm3_6400",
        .help = "HBM3 at 6.4 Gb/s, 8 Gb, two pseudochannels, correct",
        .standard = "hbm3",
        .organisation = "HBM3_8Gb",
        .preset = "HBM3_6.4Gbps",
        .variant = DRAM_CORRECT,
        .mapper = "RoBaCoBgRaCh",
        .controller = { OURS },
    },
};

const struct dram_config *dram_config_at(u32 index)
{
    return index < sizeof configs / sizeof configs[0] ? &configs[index] : NULL;
}

const struct dram_config *dram_config_find(const char *name, struct ogv_error *error)
{
    struct nearest nearest;
    nearest_init(&nearest, name);
    const struct dram_config *config;
    for (u32 i = 0; (config = dram_config_at(i)); i++) {
        if (!strcmp(config->name, name))
            return config;
        nearest_offer(&nearest, config->name);
    }
    char hint[128];
    error_user(error, "no DRAM configuration is called '%s'%s (ogive dram list shows them)", name,
               nearest_hint(&nearest, hint, sizeof hint));
    return NULL;
}

/* The first correct configuration of a standard; NULL: there is none. */
static const struct dram_config *config_of_standard(const char *standard)
{
    const struct dram_config *config;
    for (u32 i = 0; (config = dram_config_at(i)); i++)
        if (config->variant == DRAM_CORRECT && !strcmp(config->standard, standard))
            return config;
    return NULL;
}

static const struct dram_preset *preset_of_standard(const char *standard, const char *preset)
{
    const struct dram_preset *p = dram_standard_find(standard, NULL)->presets;
    while (p->name && strcmp(p->name, preset))
        p++;
    return p->name ? p : NULL;
}

bool dram_config_choose(struct dram_config *config, const char *standard, const char *preset,
                        struct ogv_error *error)
{
    const struct dram_config *base = config_of_standard(standard);
    const struct dram_preset *timings = base ? preset_of_standard(standard, preset) : NULL;
    if (timings) {
        *config = *base;
        config->name = config->help = "";
        config->preset = timings->name;
        return true;
    }
    char *name = text_format("%s_%s", standard, preset);
    base = dram_config_find(name, error);
    free(name);
    if (base)
        *config = *base;
    return base;
}
