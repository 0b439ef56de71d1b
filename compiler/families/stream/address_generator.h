/// Macro-mnemonics of address generators, which locate the operands of dma and systolic_array
/// (docs/reference/units/address_generator.md).
#pragma once

#include <cstdint>
#include <vector>

#include "acg/base/result.h"
#include "compiler/families/stream/nest.h"
#include "compiler/families/stream/step.h"

namespace covenant::compiler::stream {

/// The addresses of one operand of a command, in units of its address generator; `tile.strides` has one entry per open
/// tile loop.
struct Walk {
  acg::AddressOperand operand = acg::AddressOperand::kInput;
  uint32_t slot = 0;
  Affine tile;
};

/// A command whose addresses come from an address generator. `nest`: its inner loops, with strides in the order of
/// `walks`. If there are more than the unit has levels for, the outermost become tile loops around the command.
struct WalkedCommand {
  Command command;  ///< word, other settings, reductions over open loops
  std::vector<Walk> walks;
  std::vector<NestLoop> nest;
};

/// The steps of `walked` inside of the tile loops `open`, with its nest in the inner levels first_level .. first_level
/// + levels - 1. Error: GEN0004 (more loops than the machine has levels for, or one with more than `most_trips`
/// iterations).
Result<std::vector<Step>> walk(const WalkedCommand& walked, const std::vector<OpenLoop>& open, uint32_t first_level,
                               uint32_t levels, int64_t most_trips);

/// `value` bits in units of `unit_bits`. Error: GEN0005 (not a whole number of units).
Result<int64_t> in_units(int64_t value, int64_t unit_bits);
/// The same for base and strides.
Result<Affine> in_units(const Affine& value, int64_t unit_bits);

}  // namespace covenant::compiler::stream
