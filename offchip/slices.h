/// Intervals in which commands occupy banks and buses, as slices for a picture.
#pragma once

#include <vector>

#include "offchip/command.h"
#include "offchip/parameters.h"
#include "offchip/statistics.h"

namespace covenant::offchip {

/// Slices of one command: an activation occupies its bank for tRCD, a read or write its bank for BL/2 and, when its
/// data moves, the channel's bus, a precharge tRP, a refresh all banks of the channel for tRFC.
std::vector<Slice> slices_of(const Command& command, const Parameters& parameters);

/// The name of each track: "channel 0 bank 3", and after all banks "channel 0 bus".
std::vector<std::string> track_names(const Organization& organization);

}  // namespace covenant::offchip
