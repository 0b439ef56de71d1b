#include "acg/isa/word_limits.h"

#include <algorithm>
#include <span>

#include "acg/graph/unit_info.h"

namespace covenant::acg {
namespace {

/// The highest value of `operand` that every mnemonic for `operation` can encode.
int64_t highest(const Machine& machine, Operation operation, std::string_view operand) {
  int64_t most = kMostCount;
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    if (mnemonic.does != operation) continue;
    for (const Field& field : mnemonic.fields) {
      if (field.operand == operand) most = std::min(most, highest_value(field));
    }
  }
  return most;
}

/// Number of parts that a word of `mnemonic` can set besides the first one of its operation.
uint32_t further_parts(const Mnemonic& mnemonic) {
  uint32_t parts = 0;
  for (const Field& field : mnemonic.fields) {
    if (field.operand == "part") parts = field.width >= 3 ? uint32_t{kMostParts - 2} : (1U << field.width) - 1;
    if (field.operand != "half") continue;
    const std::span<const OperandInfo> operands = info(mnemonic.does).operands;
    const std::span<const std::string_view> names = operands[operand_index(mnemonic.does, "half")].choices;
    const auto is_said = [&](std::string_view name) {
      return std::find(field.values.begin(), field.values.end(), name) != field.values.end();
    };
    while (parts + 1 < names.size() && is_said(names[parts + 1])) ++parts;
  }
  return parts;
}

/// Parts of the number whose low part is set by `low` and whose higher parts by `high`.
ValueParts parts_of(const Machine& machine, Operation low, Operation high) {
  ValueParts parts{.bits = 32, .count = 0};
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    if (mnemonic.does != low && mnemonic.does != high) continue;
    for (const Field& field : mnemonic.fields) {
      if (field.operand == "value") parts.bits = std::min(parts.bits, field.width);
    }
    const uint32_t first = low != high && mnemonic.does == high ? 2 : 1;
    parts.count = std::max(parts.count, first + further_parts(mnemonic));
  }
  return parts.count == 0 ? ValueParts{} : parts;
}

/// Parts of the numbers of a quantisation. If words set a high part, each part is as wide as the narrowest field for
/// one of these numbers.
ValueParts quantization_parts(const Machine& machine) {
  ValueParts parts{.bits = 32, .count = 0};
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    const bool is_high = mnemonic.does == Operation::kQuantizationHigh;
    if (mnemonic.does != Operation::kQuantization && !is_high) continue;
    for (const Field& field : mnemonic.fields) {
      if (!field.operand.empty()) parts.bits = std::min(parts.bits, field.width);
    }
    parts.count = std::max(parts.count, is_high ? 2U : 1U);
  }
  return parts.count < 2 ? ValueParts{.bits = 32, .count = 1} : parts;
}

}  // namespace

WordParts word_parts(const Machine& machine) {
  ValueParts table = parts_of(machine, Operation::kTable, Operation::kTable);
  table.count = (table_bytes(machine) * 8 + table.bits - 1) / table.bits;
  return {.base = parts_of(machine, Operation::kBase, Operation::kBase),
          .stride = parts_of(machine, Operation::kStride, Operation::kStride),
          .simd_base = parts_of(machine, Operation::kSimdBase, Operation::kSimdBaseHigh),
          .simd_stride = parts_of(machine, Operation::kSimdStride, Operation::kSimdStrideHigh),
          .immediate = parts_of(machine, Operation::kImmediateLow, Operation::kImmediateHigh),
          .table = table,
          .quantization = quantization_parts(machine)};
}

uint32_t table_bytes(const Machine& machine) {
  uint32_t entries = 0;
  uint32_t entry_bytes = 1;
  for (const Compute& compute : machine.computes) {
    for (const Capability& capability : compute.capabilities) {
      const bool has_table = takes_part(info(compute.unit), capability.name, Operation::kLookup);
      if (!has_table || capability.inputs.empty()) continue;
      const uint32_t source = bits(capability.inputs[0].dtype);
      if (source <= 8) entries = std::max(entries, 1U << source);
      if (capability.output.dtype == DType::kF32) entry_bytes = 4;
    }
  }
  return entries == 0 ? kMostTableEntries : entries * entry_bytes;
}

uint32_t fill_bytes(const Machine& machine) {
  uint32_t widest = 1;
  const auto count = [&](const CapabilityOperand& operand) {
    if (is_narrow(operand.dtype)) widest = std::max(widest, bytes(operand.dtype));
  };
  for (const Compute& compute : machine.computes) {
    for (const Capability& capability : compute.capabilities) {
      count(capability.output);
      for (const CapabilityOperand& input : capability.inputs) count(input);
    }
  }
  return widest;
}

WordLimits word_limits(const Machine& machine) {
  const int64_t run =
      std::min(highest(machine, Operation::kLoad, "run_last"), highest(machine, Operation::kStore, "run_last"));
  return {.tile_trips = highest(machine, Operation::kLoop, "last") + 1,
          .walk_trips = highest(machine, Operation::kTrip, "last") + 1,
          .nest_trips = highest(machine, Operation::kSimdTrip, "last") + 1,
          .run_bytes = run + 1,
          .axis_length = highest(machine, Operation::kLimit, "value"),
          .slots = 1 + std::min({highest(machine, Operation::kBase, "slot"), highest(machine, Operation::kWait, "slot"),
                                 highest(machine, Operation::kPost, "slot")}),
          .group_words = highest(machine, Operation::kGroup, "count")};
}

}  // namespace covenant::acg
