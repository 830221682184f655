/* standard.h - a DRAM standard as data.
 *
 * A standard is one table file under standards/ and one line of standards.def. It says which levels
 * the device has, which organisations and speeds exist, which commands there are and which node of
 * the device each one addresses, and which cycles must lie between two commands. No standard has
 * code of its own. What the standards of a family share is in a header beside them.
 *
 * A device is seen as a tree: channel, rank (or pseudochannel), bank group, bank. A standard that
 * lacks a level has one node there. Rows and columns are addresses inside a bank, not nodes.
 *
 * Where the reference simulator is known to be wrong, a table row says which variants it belongs
 * to: the reference's own behaviour, the reference with its one costly defect repaired, or the
 * behaviour of the real part. Rows without a variant belong to all of them. */
#ifndef DRAM_STANDARD_H
#define DRAM_STANDARD_H

#include "base/text.h"
#include "ogive/types.h"

typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;

enum dram_variant {
    DRAM_REFERENCE = 1, /* command for command what the reference runs recorded */
    DRAM_BANKFIX = 2,   /* the same without channel-wide ACT-PRE and PRE-ACT distances */
    DRAM_CORRECT = 4,   /* what the standard's document asks for */
};

enum dram_level {
    DRAM_CHANNEL,
    DRAM_RANK,
    DRAM_BANKGROUP,
    DRAM_BANK,
    DRAM_ROW,
    DRAM_COLUMN,
    DRAM_LEVELS,
    DRAM_NODE_LEVELS = DRAM_ROW, /* levels that are nodes of the tree */
};

/* The commands of all standards; those that a controller issues all the time come first, so that
 * their timing state shares a cache line, and those that none issues last. */
#define DRAM_COMMAND_LIST(C) \
    C(ACT, "ACT")            \
    C(PRE, "PRE")            \
    C(RD, "RD")              \
    C(WR, "WR")              \
    C(PREA, "PREA")          \
    C(REFAB, "REFab")        \
    C(ACT2, "ACT-2")         \
    C(REFPB, "REFpb")        \
    C(REFSB, "REFsb")        \
    C(PRESB, "PREsb")        \
    C(CASRD, "CASRD")        \
    C(CASWR, "CASWR")        \
    C(RDA, "RDA")            \
    C(WRA, "WRA")            \
    C(REFP2B, "REFp2b")      \
    C(RFMAB, "RFMab")        \
    C(RFMSB, "RFMsb")        \
    C(DRFMAB, "DRFMab")      \
    C(DRFMSB, "DRFMsb")

enum dram_command {
#define DRAM_COMMAND_ENUM(id, text) DRAM_##id,
    DRAM_COMMAND_LIST(DRAM_COMMAND_ENUM)
#undef DRAM_COMMAND_ENUM
        DRAM_COMMANDS
};

/* Every timing parameter that some standard names, in cycles. */
/* clang-format off */
#define DRAM_TIMING_LIST(T)                                                                     \
    T(nBL) T(nBL16) T(nCL) T(nCWL) T(nRCD) T(nRCDRD) T(nRCDWR) T(nRCDWD) T(nRP) T(nRPab)        \
    T(nRPpb) T(nRAS) T(nRC) T(nWR) T(nRTP) T(nRTPS) T(nRTPL) T(nCCD) T(nCCDS) T(nCCDL)          \
    T(nCCDS_WR) T(nCCDL_WR) T(nCCDS_WTR) T(nCCDL_WTR) T(nRRD) T(nRRDS) T(nRRDL) T(nWTR)         \
    T(nWTRS) T(nWTRL) T(nRTW) T(nFAW) T(nPPD) T(nCS) T(nREFI) T(nREFISB) T(nRFC) T(nRFC1)       \
    T(nRFC2) T(nRFCab) T(nRFCpb) T(nRFCsb) T(nRFCSB) T(nREFSBRD) T(nRREFD) T(nPBR2PBR)          \
    T(nPBR2ACT) T(nRFM1) T(nRFM2) T(nRFMsb) T(nDRFMab) T(nDRFMsb)
/* clang-format on */

enum dram_timing {
    DRAM_NO_TIMING, /* so that a term of a formula can be negative, and zero ends it */
#define DRAM_TIMING_ENUM(name) name,
    DRAM_TIMING_LIST(DRAM_TIMING_ENUM)
#undef DRAM_TIMING_ENUM
        DRAM_TIMINGS
};

#define DRAM_DENSITIES 8
#define DRAM_RATES     8
#define DRAM_COLUMNS   32
#define DRAM_TERMS     6

/* `to` after `from` within one node of `level`: at least the sum of the terms (negative: minus that
 * timing) plus `extra` cycles. Masks of commands, so that one row says it for all pairs. */
struct dram_constraint {
    u8 variants; /* 0: all */
    u8 level;
    bool sibling; /* binds the other nodes of this level under the same parent instead */
    u8 window;    /* counted from the window-th most recent `from`; 0 means 1 */
    u32 from, to;
    i16 extra;
    i8 terms[DRAM_TERMS];
};

struct dram_organisation {
    const char *name;
    u32 density_mb, dq;
    u32 count[DRAM_LEVELS];
};

/* Values in the order of the standard's timing_columns; -1 is filled in from the tables below. */
struct dram_preset {
    const char *name;
    u32 rate; /* Mb/s per pin, as the reference counts it */
    i32 values[DRAM_COLUMNS];
};

/* A timing given by data width and rate, one value per entry of the standard's `rates`. */
struct dram_by_rate {
    u8 variants;
    u8 timing;
    u16 dq; /* 0: any */
    u16 cycles[DRAM_RATES];
};

/* A timing given in nanoseconds by density, one value per entry of the standard's `densities`;
 * `times` multiplies the rounded cycles (0 means 1). */
struct dram_by_density {
    u8 variants;
    u8 timing;
    u8 times;
    u16 nanoseconds[DRAM_DENSITIES];
};

/* A timing that a variant sets to a fixed number of cycles, for one preset or (NULL) for all. */
struct dram_correction {
    u8 variants;
    const char *preset;
    u8 timing;
    i32 cycles;
};

struct dram_scope {
    u8 variants;
    u8 command;
    u8 level; /* the deepest level that the command addresses */
};

/* How nanoseconds become cycles: the two JEDEC rounding rules. */
enum dram_rounding { DRAM_ROUND_974, DRAM_ROUND_DDR5 };

/* Supply voltages in millivolts and currents in milliamperes of one device. */
struct dram_power {
    u32 vdd_mv, vpp_mv;
    u32 idd0, idd2n, idd3n, idd4r, idd4w, idd5b;
    u32 ipp0, ipp2n, ipp3n, ipp4r, ipp4w, ipp5b;
};

struct dram_standard {
    const char *name;
    const char *title;
    const char *source;
    const char *rank_name;      /* "rank", "pseudochannel", or NULL: no such level */
    bool has_bankgroups;        /* the level exists */
    bool activates_twice;       /* ACT-1 then ACT-2 */
    bool synchronises_clock;    /* CAS before column commands when the data clock has stopped */
    u8 refresh_variants;        /* variants in which the controller refreshes at all */
    u8 density_levels;          /* mask of levels whose counts multiply into the density */
    u8 unusable_variants;       /* variants in which no device of this standard can be built */
    u32 prefetch;               /* beats per transaction */
    u32 channel_width;          /* data pins of a channel */
    u32 rate_per_clock;         /* tCK = 1 / (rate / this) */
    u32 correct_rate_per_clock; /* the same in the correct variant; 0: no difference */
    u32 correct_prefetch;       /* likewise */
    enum dram_rounding rounding;
    u32 densities_mb[DRAM_DENSITIES];
    u32 rates[DRAM_RATES];
    u8 timing_columns[DRAM_COLUMNS];
    struct dram_power power; /* all zero: no published currents */

    /* Tables end with a row whose name, timing or command mask is zero, scopes with DRAM_LEVELS. */
    const struct dram_organisation *organisations;
    const struct dram_preset *presets;
    const struct dram_by_rate *by_rate; /* NULL, as the next two: no such rows */
    const struct dram_by_density *by_density;
    const struct dram_correction *corrections;
    const struct dram_scope *scopes;
    const struct dram_constraint *constraints;
};

extern const char *const dram_command_names[DRAM_COMMANDS];
extern const char *const dram_timing_names[DRAM_TIMINGS];

/* NULL when the index or name is not known. */
const struct dram_standard *dram_standard_at(u32 index);
const struct dram_standard *dram_standard_find(const char *name, u32 *index);
u32 dram_standard_count(void);

/* The name of a level as this standard calls it; NULL where it has none. */
const char *dram_standard_level(const struct dram_standard *standard, enum dram_level level);

static inline bool dram_variant_has(u8 variants, enum dram_variant variant)
{
    return !variants || (variants & (u8)variant);
}

#endif
