/// What commands keep banks and buses busy with, as slices for a picture.
#pragma once

#include <vector>

#include "offchip/command.h"
#include "offchip/parameters.h"
#include "offchip/statistics.h"

namespace covenant::offchip {

/// Of one command: an activation takes tRCD of its bank, a read or write BL/2 of its bank and, when its data moves, of
/// the channel's bus, a precharge tRP, a refresh tRFC of all banks of the channel.
std::vector<Slice> slices_of(const Command& command, const Parameters& parameters);

/// The name of each track: "channel 0 bank 3", and after all banks "channel 0 bus".
std::vector<std::string> track_names(const Organization& organization);

}  // namespace covenant::offchip
