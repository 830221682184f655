/* hbm2.c - High Bandwidth Memory 2 in pseudochannel mode (JEDEC JESD235A). Numbers: the reference's
 * tables; hbm.h says what the correct variant changes. */
#include "dram/standards/hbm.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "HBM2_2Gb",              2048, 128, { 1, 2, 4, 2, 16384, 64 } },
    { "HBM2_4Gb",              4096, 128, { 1, 2, 4, 4, 16384, 64 } },
    { "HBM2_8Gb",              6144, 128, { 1, 2, 4, 4, 32768, 64 } },
    { .name = NULL },
};

static const struct dram_preset presets[] = {
    HBM_PRESET("HBM2_2Gbps", 4),
    { .name = NULL },
};

static const struct dram_correction corrections[] = {
    HBM_PSEUDOCHANNEL_CORRECTIONS,
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_scope scopes[] = {
    HBM_SCOPES,
    HBM_PSEUDOCHANNEL_SCOPES,
    END_OF_SCOPES,
};

static const struct dram_constraint constraints[] = {
    HBM_CONSTRAINTS(RANK, REFAB, REFSB),
    END_OF_CONSTRAINTS,
};

const struct dram_standard dram_hbm2 = {
    .name = "hbm2",
    .title = "High Bandwidth Memory 2",
    .source = REFERENCE_SOURCE ", HBM2",
    .organisations = organisations,
    .presets = presets,
    .corrections = corrections,
    .scopes = scopes,
    .constraints = constraints,
    HBM_PSEUDOCHANNEL_FAMILY,
};
/* clang-format on */
