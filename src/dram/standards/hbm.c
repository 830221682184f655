/* hbm.c - High Bandwidth Memory, first generation (JEDEC JESD235). Numbers: the reference's tables;
 * hbm.h says what the correct variant changes. A burst of 2 on 128 pins lasts one clock, not 2. */
#include "dram/standards/hbm.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "HBM_1Gb",               1024, 128, { 1, 1, 4, 2, 8192, 128 } },
    { "HBM_2Gb",               2048, 128, { 1, 1, 4, 2, 16384, 128 } },
    { "HBM_4Gb",               4096, 128, { 1, 1, 4, 4, 16384, 128 } },
    { .name = NULL },
};

static const struct dram_preset presets[] = {
    HBM_PRESET("HBM_2Gbps", 2),
    { .name = NULL },
};

const struct dram_by_density dram_hbm_by_density[] = {
    { 0, nRFC, 0, { 160, 260, 350, 450 } },
    { RECORDED, nREFISB, 0, { 160, 260, 350, 450 } },
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_correction corrections[] = {
    { CORRECT, NULL, nBL, 1 },
    HBM_CORRECTIONS,
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_scope scopes[] = {
    HBM_SCOPES,
    END_OF_SCOPES,
};

static const struct dram_constraint constraints[] = {
    HBM_CONSTRAINTS(CHANNEL, REFAB, REFSB),
    END_OF_CONSTRAINTS,
};

const struct dram_standard dram_hbm = {
    .name = "hbm",
    .title = "High Bandwidth Memory",
    .source = REFERENCE_SOURCE ", HBM",
    .rank_name = NULL,
    .density_levels = LEVEL(BANKGROUP) | LEVEL(BANK) | LEVEL(ROW) | LEVEL(COLUMN),
    .channel_width = 128,
    .organisations = organisations,
    .presets = presets,
    .corrections = corrections,
    .scopes = scopes,
    .constraints = constraints,
    HBM_FAMILY,
};
/* clang-format on */
