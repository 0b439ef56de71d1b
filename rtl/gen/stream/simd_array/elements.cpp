#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "acg/graph/numerics.h"
#include "acg/isa/word_limits.h"
#include "acg/operations/simd_operation.h"
#include "rtl/gen/stream/simd_array/package.h"

namespace covenant::rtl {
namespace {

using acg::Field;
using acg::Machine;
using acg::Mnemonic;
using acg::Operation;

/// Names of the element types that words of `types` can name.
std::vector<std::string> type_names(const Machine& machine) {
  std::vector<std::string> names;
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    if (mnemonic.does != Operation::kTypes) continue;
    for (const Field& field : mnemonic.fields) names.insert(names.end(), field.values.begin(), field.values.end());
  }
  return names;
}

}  // namespace

uint32_t type_bits(const Machine& machine) {
  const std::vector<std::string> names = type_names(machine);
  const std::span<const std::string_view> choices = acg::info(Operation::kTypes).operands[0].choices;
  size_t most = 0;
  for (const std::string& name : names) {
    most = std::max(most, static_cast<size_t>(std::ranges::find(choices, name) - choices.begin()));
  }
  return most < 4 ? 2 : 3;
}

std::string emit_elements(const Machine& machine) {
  const std::vector<std::string> names = type_names(machine);
  const auto has = [&](std::string_view width) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name.substr(1) == width; });
  };
  const acg::ValueParts parts = acg::word_parts(machine).quantization;
  const bool has_fixed_point = std::any_of(machine.mnemonics.begin(), machine.mnemonics.end(),
                                           [](const Mnemonic& one) { return acg::is_simd_fixed(one.does); });
  uint32_t entry_bytes = 1;
  for (const acg::Compute& compute : machine.computes) {
    for (const acg::Capability& one : compute.capabilities) {
      if (one.name == "LOOKUP" && one.output.dtype == DType::kF32) entry_bytes = 4;
    }
  }
  return fmt::format(R"(
  // Codes of element types, of acg::SimdType; which widths below 32 bits there are, and the widest one, 8 at the least.
  localparam int unsigned TypeBits       = {};
  localparam bit          HasBits4       = 1'b{};
  localparam bit          HasBits16      = 1'b{};
  localparam int unsigned ElementBits    = {};
  localparam int unsigned FillBytes      = {};
  localparam int unsigned TableEntries   = {};
  // A SIMD array scales in fixed point.
  localparam bit          HasFixedPoint  = 1'b{};
  // Shifts of fixed point round halves away from zero.
  localparam bit          RoundsHalfAway = 1'b{};
  // Parts of the numbers of a quantisation.
  localparam bit          HasQuantizationHigh = 1'b{};
  localparam int unsigned QuantizationPart    = {};
)",
                     type_bits(machine), has("4") ? 1 : 0, has("16") ? 1 : 0, 8 * acg::fill_bytes(machine),
                     acg::fill_bytes(machine), acg::table_bytes(machine) / entry_bytes, has_fixed_point ? 1 : 0,
                     acg::rounds_half_away(machine) ? 1 : 0, parts.count > 1 ? 1 : 0, parts.bits);
}

}  // namespace covenant::rtl
