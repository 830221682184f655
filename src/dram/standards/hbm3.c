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

/* HBM3_6.4Gbps: JEDEC JESD238, command clock 1.6 GHz. A pseudochannel there has 32 bits and moves 32
 * bytes in 8 beats of 6.4 Gb/s, which are two command clocks, as 64 bits of 3.2 Gb/s do here. Times
 * are those of the correct variant at 2 Gb/s in nanoseconds, for the standard leaves them to the
 * vendors and DRAM cells have not become faster.
 * HBM3_6400Mbps: Ramulator 2.1 (CMU SAFARI), python/ramulator/dram/hbm3.py, the preset of that name; four
 * rows in 15 ns, where the one above has 30. HBM2 had 16 (Rambus) or 14 (O'Connor et al. 2017). */
static const struct dram_preset presets[] = {
    HBM_PRESET("HBM3_2Gbps", 4),
    { "HBM3_6.4Gbps", 3200, { 2, 22, 22, 22, 22, 54, 77, 26, 6, 10, 6, 2, 4, 6, 10, 10, 13, 3, 48, -1, 160, 6240, -1, 8 } },
    { "HBM3_6400Mbps", 3200, { 2, 20, 31, 15, 26, 45, 72, 33, 9, 9, 10, 2, 4, 4, 5, 7, 10, 20, 24, -1, 320, 6240, -1, 8 } },
    { .name = NULL },
};

#define FAST(timing, cycles)   { CORRECT, "HBM3_6.4Gbps", timing, cycles }
#define SAFARI(timing, cycles) { CORRECT, "HBM3_6400Mbps", timing, cycles }

static const struct dram_correction corrections[] = {
    HBM_PSEUDOCHANNEL_CORRECTIONS,
    FAST(nCL, 22),
    FAST(nRCDRD, 22),
    FAST(nRCDWR, 22),
    FAST(nRP, 22),
    FAST(nRAS, 54),
    FAST(nRC, 77),
    FAST(nWR, 26),
    FAST(nRTPS, 6),
    FAST(nRTPL, 10),
    FAST(nCWL, 6),
    FAST(nRRDS, 6),
    FAST(nRRDL, 10),
    FAST(nWTRS, 10),
    FAST(nWTRL, 13),
    FAST(nFAW, 48),
    SAFARI(nCL, 20),
    SAFARI(nRCDRD, 31),
    SAFARI(nRCDWR, 15),
    SAFARI(nRP, 26),
    SAFARI(nRAS, 45),
    SAFARI(nRC, 72),
    SAFARI(nWR, 33),
    SAFARI(nRTPS, 9),
    SAFARI(nRTPL, 9),
    SAFARI(nCWL, 10),
    SAFARI(nRRDS, 4),
    SAFARI(nRRDL, 5),
    SAFARI(nWTRS, 7),
    SAFARI(nWTRL, 10),
    SAFARI(nFAW, 24),
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
