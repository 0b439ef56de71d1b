#include "offchip/slices.h"

#include <fmt/format.h>

#include "acg/base/check.h"

namespace covenant::offchip {
namespace {

/// Slices of one bank, or of all banks if `all`.
std::vector<Slice> of_banks(const Command& command, const Parameters& parameters, bool all, uint64_t clocks,
                            const char* name) {
  const uint64_t banks = parameters.organization.banks_of_channel();
  std::vector<Slice> slices;
  for (uint64_t bank = all ? 0 : command.bank; bank < (all ? banks : command.bank + uint64_t{1}); ++bank) {
    slices.push_back({static_cast<uint32_t>(command.channel * banks + bank), command.clock * parameters.clock_ps,
                      clocks * parameters.clock_ps, name});
  }
  return slices;
}

/// A bank is free for its next column command after BL/2 clocks; the data comes later.
std::vector<Slice> of_data(const Command& command, const Parameters& parameters, uint64_t latency, const char* name) {
  std::vector<Slice> slices = of_banks(command, parameters, false, parameters.timing.burst, name);
  const uint64_t buses = parameters.organization.channels * parameters.organization.banks_of_channel();
  slices.push_back({static_cast<uint32_t>(buses + command.channel), (command.clock + latency) * parameters.clock_ps,
                    parameters.timing.burst * parameters.clock_ps, name});
  return slices;
}

}  // namespace

std::vector<Slice> slices_of(const Command& command, const Parameters& parameters) {
  const Timing& time = parameters.timing;
  switch (command.kind) {
    case CommandKind::kActivate:
      return of_banks(command, parameters, false, time.rcd_read, "activate");
    case CommandKind::kPrecharge:
      return of_banks(command, parameters, false, time.rp, "precharge");
    case CommandKind::kPrechargeAll:
      return of_banks(command, parameters, true, time.rp_all, "precharge");
    case CommandKind::kRead:
      return of_data(command, parameters, time.cl, "read");
    case CommandKind::kWrite:
      return of_data(command, parameters, time.cwl, "write");
    case CommandKind::kRefresh:
      return of_banks(command, parameters, true, time.rfc, "refresh");
  }
  fail("slices_of: unknown command");
}

std::vector<std::string> track_names(const Organization& organization) {
  std::vector<std::string> names;
  for (uint64_t channel = 0; channel < organization.channels; ++channel) {
    for (uint64_t bank = 0; bank < organization.banks_of_channel(); ++bank)
      names.push_back(fmt::format("channel {} bank {}", channel, bank));
  }
  for (uint64_t channel = 0; channel < organization.channels; ++channel)
    names.push_back(fmt::format("channel {} bus", channel));
  return names;
}

}  // namespace covenant::offchip
