/* energy.h - what a channel's commands cost, from the supply currents of its devices.
 *
 * The method of Micron TN-41-01 and DRAMPower: each command is charged with the current above what
 * the device draws anyway, for as long as it lasts; the rest is background, at IDD3N while a row is
 * open and IDD2N while none is. A refresh of one bank costs its share of one of all banks. Input,
 * output and termination are not included. */
#ifndef DRAM_ENERGY_H
#define DRAM_ENERGY_H

#include "dram/channel.h"

/* Picojoules. */
struct dram_energy {
    double activate, precharge, read, write, refresh, background;
};

/* For counters of one channel over `elapsed` cycles (settled, see dram_channel_settle), all devices
 * of the channel together. False: the standard has no published currents. */
bool dram_energy(const struct dram_device *device, const struct dram_stats *stats, cycle elapsed,
                 struct dram_energy *energy);

#endif
