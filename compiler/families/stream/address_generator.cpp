#include "compiler/families/stream/address_generator.h"

#include <algorithm>

#include "compiler/families/stream/operand_values.h"

namespace covenant::compiler::stream {
namespace {

using acg::Operation;

Diagnostic too_many_loops(uint64_t needed, uint64_t available) {
  return Diagnostic{"GEN0004",
                    {},
                    "",
                    "a command needs more loops than the machine has levels for",
                    std::to_string(needed),
                    {"at most " + std::to_string(available)},
                    "tile so that fewer dimensions have more than one iteration"};
}

SettingValue value_of(int64_t first, int64_t second = 0) {
  SettingValue value{};
  value[0] = static_cast<int32_t>(static_cast<uint32_t>(first));
  value[1] = static_cast<int32_t>(second);
  return value;
}

}  // namespace

Result<int64_t> in_units(int64_t value, int64_t unit_bits) {
  if (value % unit_bits == 0) return value / unit_bits;
  const bool is_whole = value % 8 == 0;
  return Diagnostic{"GEN0005",
                    {},
                    "",
                    "an address or a stride is not a whole number of the memory's units",
                    std::to_string(is_whole ? value / 8 : value) + (is_whole ? " bytes" : " bits"),
                    {"multiples of " + std::to_string(is_whole ? unit_bits / 8 : unit_bits)},
                    is_whole ? "tile channels in multiples of what the memory addresses"
                             : "elements within a byte are not moved alone: keep the layer from moving channels, or "
                               "compile for a machine with elements of 8 bits"};
}

Result<Affine> in_units(const Affine& value, int64_t unit_bits) {
  Affine result;
  Result<int64_t> base = in_units(value.base, unit_bits);
  if (!base) return base.error();
  result.base = *base;
  for (int64_t stride : value.strides) {
    Result<int64_t> units = in_units(stride, unit_bits);
    if (!units) return units.error();
    result.strides.push_back(*units);
  }
  return result;
}

Result<std::vector<Step>> walk(const WalkedCommand& walked, const std::vector<OpenLoop>& open, uint32_t first_level,
                               uint32_t levels, int64_t most_trips) {
  const size_t outside = walked.nest.size() > levels ? walked.nest.size() - levels : 0;
  const uint32_t first_extra = next_level(open);
  if (first_extra + outside > acg::kTileLoops) return too_many_loops(first_extra + outside, acg::kTileLoops);
  for (const NestLoop& loop : walked.nest) {
    const auto most = static_cast<uint64_t>(most_trips);
    if (loop.trips > most) return too_many_loops(loop.trips, most);
  }

  Command command = walked.command;
  for (size_t w = 0; w < walked.walks.size(); ++w) {
    const Walk& walk = walked.walks[w];
    const int32_t operand = static_cast<int32_t>(walk.operand);
    command.needs[{Operation::kBase, operand, 0}] = value_of(walk.tile.base, walk.slot);
    for (size_t i = 0; i < open.size(); ++i) {
      if (open[i].range.trips == 1) continue;
      command.needs[{Operation::kStride, operand, static_cast<int32_t>(open[i].level)}] =
          value_of(walk.tile.strides[i]);
    }
    for (size_t i = 0; i < walked.nest.size(); ++i) {
      const size_t level = i < outside ? first_extra + i : first_level + i - outside;
      const bool is_axis = walk.operand == acg::AddressOperand::kRow || walk.operand == acg::AddressOperand::kColumn;
      if (is_axis && i >= outside) continue;  // rows and columns depend on tile loops only
      if (walked.nest[i].trips == 1) continue;
      command.needs[{Operation::kStride, operand, static_cast<int32_t>(level)}] = value_of(walked.nest[i].strides[w]);
    }
  }
  for (uint32_t level = 0; level < levels; ++level) {
    const size_t i = outside + level;
    const bool runs = i < walked.nest.size();
    command.needs[{Operation::kTrip, static_cast<int32_t>(first_level + level), 0}] =
        runs ? value_of(static_cast<int64_t>(walked.nest[i].trips) - 1, walked.nest[i].is_reduction ? 1 : 0)
             : value_of(0);
  }
  for (size_t i = 0; i < outside; ++i) {
    if (walked.nest[i].is_reduction) command.reductions.insert(first_extra + static_cast<uint32_t>(i));
  }
  std::vector<Step> steps{Step{command}};
  for (size_t i = outside; i-- > 0;) {
    steps = {Step{StepLoop{first_extra + static_cast<uint32_t>(i), walked.nest[i].trips, std::move(steps)}}};
  }
  return steps;
}

}  // namespace covenant::compiler::stream
