/* hbm3.c - High Bandwidth Memory 3, with the numbers of HBM2 plus refresh management, as the
 * reference has it. No reference run exists; hbm.h says what the correct variant changes. */
#include "dram/standards/hbm.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "HBM3_2Gb",              2048, 128, { 1, 2, 4, 4, 8192, 64 } },
    { "HBM3_4Gb",              4096, 128, { 1, 2, 4, 4, 16384, 64 } },
    { "HBM3_8Gb",              6144, 128, { 1, 2, 4, 4, 32768, 64 } },
    { .name = NULL },
};

static const struct dram_preset presets[] = {
    HBM_PRESET("HBM3_2Gbps", 4),
    { .name = NULL },
};

static const struct dram_correction corrections[] = {
    HBM_PSEUDOCHANNEL_CORRECTIONS,
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_scope scopes[] = {
    HBM_SCOPES,
    SCOPE(RFMAB, CHANNEL),
    SCOPE(RFMSB, BANK),
    HBM_PSEUDOCHANNEL_SCOPES,
    END_OF_SCOPES,
};

static const struct dram_constraint constraints[] = {
    HBM_CONSTRAINTS(RANK, REFAB | RFMAB, REFSB | RFMSB),
    END_OF_CONSTRAINTS,
};

const struct dram_standard dram_hbm3 = {
    .name = "hbm3",
    .title = "High Bandwidth Memory 3",
    .source = REFERENCE_SOURCE ", HBM3",
    .organisations = organisations,
    .presets = presets,
    .corrections = corrections,
    .scopes = scopes,
    .constraints = constraints,
    HBM_PSEUDOCHANNEL_FAMILY,
};
/* clang-format on */
