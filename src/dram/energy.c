/* energy.c - see energy.h. Powers are kept in mV x mA = microwatts; a microwatt for a picosecond is
 * 1e-6 picojoules. */
#include "dram/energy.h"

#define PICOJOULES 1e-6

/* Chips that share the channel's data pins. */
static double device_chips(const struct dram_device *device)
{
    return device->channel_width > device->dq ? (double)device->channel_width / device->dq : 1;
}

static double cycles_of(const struct dram_device *device, enum dram_timing first,
                        enum dram_timing second)
{
    i32 cycles = device->timing[first] > 0 ? device->timing[first] : device->timing[second];
    return cycles > 0 ? cycles : 0;
}

/* One command's energy: current above the standby one, on both supplies. */
static double charge(const struct dram_power *p, u32 idd, u32 standby, u32 ipp, u32 ipp_standby)
{
    return (double)p->vdd_mv * ((double)idd - standby) +
           (double)p->vpp_mv * ((double)ipp - ipp_standby);
}

static double refresh_cycles(const struct dram_device *device, const struct dram_stats *stats)
{
    double all = cycles_of(device, nRFC, nRFC1) * (double)stats->issued[DRAM_REFAB];
    bool same_bank = device->scope[DRAM_PRESB] != DRAM_NO_SCOPE;
    double share = same_bank ? device->count[DRAM_BANK] : device->banks_of_rank;
    u64 single = stats->issued[DRAM_REFPB] + stats->issued[DRAM_REFSB];
    return all + cycles_of(device, nRFC, nRFC1) * (double)single / share;
}

bool dram_energy(const struct dram_device *device, const struct dram_stats *stats, cycle elapsed,
                 struct dram_energy *energy)
{
    const struct dram_power *p = &dram_standard_at(device->standard)->power;
    if (!p->vdd_mv)
        return false;
    double scale = PICOJOULES * device->tck_ps * device_chips(device);
    double open = (double)stats->open_cycles, idle = (double)(elapsed - stats->open_cycles);
    double closes = (double)(stats->issued[DRAM_ACT]); /* every row opened is closed once */
    energy->activate = scale * charge(p, p->idd0, p->idd3n, p->ipp0, p->ipp3n) *
                       cycles_of(device, nRAS, nRAS) * (double)stats->issued[DRAM_ACT];
    energy->precharge = scale * charge(p, p->idd0, p->idd2n, p->ipp0, p->ipp2n) *
                        cycles_of(device, nRP, nRPpb) * closes;
    energy->read = scale * charge(p, p->idd4r, p->idd3n, p->ipp4r, p->ipp3n) * device->burst *
                   (double)stats->issued[DRAM_RD];
    energy->write = scale * charge(p, p->idd4w, p->idd3n, p->ipp4w, p->ipp3n) * device->burst *
                    (double)stats->issued[DRAM_WR];
    energy->refresh =
        scale * charge(p, p->idd5b, p->idd3n, p->ipp5b, p->ipp3n) * refresh_cycles(device, stats);
    energy->background =
        scale *
        (charge(p, p->idd3n, 0, p->ipp3n, 0) * open + charge(p, p->idd2n, 0, p->ipp2n, 0) * idle) *
        device->count[DRAM_RANK];
    return true;
}
