#include "sim/stream/common/command.h"

#include <fmt/format.h>

#include "sim/common/fault.h"

namespace covenant::sim {

void require_cycles(uint64_t cycles, const CommandContext& context) {
  if (cycles <= context.cycle_budget) return;
  raise("SIM0060", "the run would be longer than max_cycles",
        cycles == UINT64_MAX ? std::string("a command of more than 2^64 cycles")
                             : fmt::format("a command of {} cycles", cycles),
        {fmt::format("at most {} more cycles", context.cycle_budget)},
        "check the trip counts, or raise max_cycles if the program is meant to run that long");
}

Region place_in_buffer(const CommandContext& context, uint32_t memory, uint32_t slot, uint32_t start,
                       std::span<const NestLevel> nest, uint64_t bytes, std::string_view operand) {
  const acg::Memory& m = context.machine.memories[memory];
  const uint64_t unit = m.unit_bytes();
  int64_t lowest = start;
  int64_t highest = start;
  for (const NestLevel& level : nest) {
    const int64_t extent = static_cast<int64_t>(level.count - 1) * level.stride;
    (extent > 0 ? highest : lowest) += extent;
  }
  const uint64_t buffer_bytes = m.buffer_bytes();
  const uint64_t addresses = buffer_bytes < bytes ? 0 : (buffer_bytes - bytes) / unit + 1;
  if (lowest < 0 || static_cast<uint64_t>(highest) >= addresses) {
    raise("SIM0030", fmt::format("{} lies past the end of a buffer of {}", operand, m.name),
          fmt::format("units {}..{} of {} bytes, {} bytes each time", lowest, highest, unit, bytes),
          {addresses == 0 ? std::string("none: the access is larger than a buffer")
                          : fmt::format("units 0..{}", addresses - 1)},
          "keep the tile within one buffer of the memory");
  }
  Region region(memory, context.buffer_start(memory, slot) + start * unit, bytes);
  for (const NestLevel& level : nest) region.add_level(level.count, level.stride * static_cast<int64_t>(unit));
  return region;
}

}  // namespace covenant::sim
