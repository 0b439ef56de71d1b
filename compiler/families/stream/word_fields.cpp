#include "compiler/families/stream/word_fields.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "acg/graph/queries.h"
#include "acg/isa/word_limits.h"
#include "acg/operations/simd_operation.h"

namespace covenant::compiler {
namespace {

using acg::Field;
using acg::Machine;
using acg::Mnemonic;
using acg::Operation;

/// A value range that some mnemonic of an operation must be able to encode.
struct Need {
  Operation operation;
  std::string_view operand;
  int64_t highest;
};

std::vector<Need> needs(const Machine& machine) {
  constexpr int64_t kLastTile = acg::kTileLoops - 1;
  constexpr int64_t kLastLevel = acg::kLoopLevels - 1;
  constexpr int64_t kLastEntry = acg::kIteratorEntries - 1;
  std::vector<Need> all{{Operation::kBlockEnd, "last", 1},
                        {Operation::kLoop, "level", kLastTile},
                        {Operation::kLoop, "reduction", 1},
                        {Operation::kEnd, "level", kLastTile},
                        {Operation::kTrip, "level", kLastLevel},
                        {Operation::kTrip, "reduction", 1},
                        {Operation::kStride, "level", kLastLevel},
                        {Operation::kFill, "value", (int64_t{1} << 8 * acg::fill_bytes(machine)) - 1},
                        {Operation::kSimdTrip, "level", acg::kSimdLevels - 1},
                        {Operation::kSimdReduce, "first_level", acg::kSimdLevels},
                        {Operation::kImmediateLow, "slot", acg::kImmediateSlots - 1},
                        {Operation::kImmediateHigh, "slot", acg::kImmediateSlots - 1}};
  // Numbers of several bytes are set in as many parts.
  const uint32_t parts = acg::word_parts(machine).quantization.count;
  const int64_t most = (int64_t{1} << (8 * acg::fill_bytes(machine) + parts - 1) / parts) - 1;
  for (const Operation operation : {Operation::kQuantization, Operation::kQuantizationHigh}) {
    for (const std::string_view operand : {"zero_point", "lowest", "highest"})
      all.push_back({operation, operand, most});
  }
  for (const Operation operation :
       {Operation::kSimdBase, Operation::kSimdBaseHigh, Operation::kSimdStride, Operation::kSimdStrideHigh}) {
    all.push_back({operation, "index", kLastEntry});
  }
  for (const acg::OperationInfo& info : acg::operations()) {
    if (info.operation != Operation::kSimdIndex && !acg::is_simd_compute(info.operation)) continue;
    for (const std::string_view operand : {"dst", "src1", "src2"}) {
      all.push_back({info.operation, operand, kLastEntry});
    }
  }
  return all;
}

Diagnostic too_narrow(const Mnemonic& mnemonic, const std::string& field, std::string message, std::string offending,
                      std::string allowed, std::string fix) {
  return {"GEN0017",          mnemonic.where,       fmt::format("mnemonic {}, field {}", mnemonic.name, field),
          std::move(message), std::move(offending), {std::move(allowed)},
          std::move(fix)};
}

/// A machine without the operation passes: its programs cannot need it.
Status check_need(const Machine& machine, const Need& need) {
  const Mnemonic* widest = nullptr;
  const Field* found = nullptr;
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    if (mnemonic.does != need.operation) continue;
    for (const Field& field : mnemonic.fields) {
      if (field.operand != need.operand) continue;
      if (found != nullptr && highest_value(field) <= highest_value(*found)) continue;
      widest = &mnemonic;
      found = &field;
    }
  }
  if (found == nullptr || (highest_value(*found) >= need.highest && found->scale == 1)) return Done{};
  const std::string wanted = fmt::format("0..{}", need.highest);
  if (found->scale != 1) {
    return too_narrow(*widest, found->name, "programs need every number that its operand can be",
                      fmt::format("scale {}", found->scale), "scale 1", "leave out its scale");
  }
  return too_narrow(*widest, found->name, "the field is too narrow for what programs say",
                    fmt::format("0..{} in {} bits", highest_value(*found), found->width), wanted,
                    fmt::format("give it {} bits", std::bit_width(static_cast<uint64_t>(need.highest))));
}

/// A number that words set in parts.
struct Number {
  Operation low;
  Operation high;
  acg::ValueParts parts;
  uint32_t bits;  ///< bits that programs need
};

/// Bits of the addresses of SIMD arrays: the largest unit number of a scratchpad, all its buffers together.
uint32_t iterator_bits(const Machine& machine) {
  uint64_t most = 1;
  for (const acg::Memory& memory : machine.memories) {
    if (memory.kind == acg::MemoryKind::kScratchpad) most = std::max(most, memory.buffer_units() * memory.buffers);
  }
  return std::min<uint32_t>(32, static_cast<uint32_t>(std::bit_width(most)));
}

Status check_number(const Machine& machine, const Number& number) {
  const uint32_t sayable = number.parts.bits * number.parts.count;
  if (sayable >= number.bits) return Done{};
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    if (mnemonic.does != number.low && mnemonic.does != number.high) continue;
    for (const Field& field : mnemonic.fields) {
      if (field.operand != "value" || field.width != number.parts.bits) continue;
      const uint32_t wanted = (number.bits + number.parts.bits - 1) / number.parts.bits;
      const bool is_address = number.low == Operation::kBase || number.low == Operation::kStride;
      return too_narrow(
          mnemonic, field.name, "the field is too narrow for the number that words set in parts of its width",
          fmt::format("{} parts of {} bits", number.parts.count, number.parts.bits),
          fmt::format("{} bits together", number.bits),
          wanted > acg::kMostParts
              ? fmt::format("give it {} bits", (number.bits + number.parts.count - 1) / number.parts.count)
              : fmt::format("widen it, or let `{}` tell {} parts apart", is_address ? "half" : "part", wanted));
    }
  }
  return Done{};
}

/// A run that fills a unit in part leaves its rest unused: the next one begins at the next unit.
Status check_runs(const Machine& machine) {
  const auto run_bytes = static_cast<uint64_t>(acg::word_limits(machine).run_bytes);
  for (const acg::Edge& edge : machine.edges) {
    const std::optional<acg::TransferEnds> ends = acg::transfer_ends(machine, edge);
    if (!ends) continue;
    const acg::Memory& memory = acg::get(machine, ends->near);
    if (memory.unit_bytes() <= run_bytes) continue;
    for (const Mnemonic& mnemonic : machine.mnemonics) {
      for (const Field& field : mnemonic.fields) {
        if (field.operand != "run_last" || static_cast<uint64_t>(highest_value(field)) + 1 != run_bytes) continue;
        return too_narrow(mnemonic, field.name,
                          fmt::format("one address of memory {} selects more bytes than a run has", memory.name),
                          fmt::format("runs of up to {} bytes", run_bytes),
                          fmt::format("{} bytes or more", memory.unit_bytes()),
                          fmt::format("give it {} bits", std::bit_width(memory.unit_bytes() - 1)));
      }
    }
  }
  return Done{};
}

/// Words of `operation` name each of `needed` in `operand`.
Status check_names(const Machine& machine, Operation operation, std::string_view operand,
                   const std::vector<std::string>& needed) {
  std::vector<std::string> said;
  const Mnemonic* last = nullptr;
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    if (mnemonic.does != operation) continue;
    for (const Field& field : mnemonic.fields) {
      if (field.operand != operand) continue;
      last = &mnemonic;
      said.insert(said.end(), field.values.begin(), field.values.end());
    }
  }
  if (last == nullptr) return Done{};  // encoding says that the operation has no word
  for (const std::string& name : needed) {
    if (std::ranges::find(said, name) != said.end()) continue;
    return Diagnostic{"GEN0018",
                      last->where,
                      "mnemonic " + last->name,
                      fmt::format("no word of {} names {}", acg::qualified_name(operation), name),
                      name,
                      std::move(said),
                      fmt::format("add \"{}\" to the names of its {}", name, operand)};
  }
  return Done{};
}

Status check_all_names(const Machine& machine) {
  std::vector<std::string> engines, scratchpads;
  for (const acg::Engine& engine : acg::engines(machine)) engines.push_back(engine.name);
  for (const acg::Memory& memory : machine.memories) {
    if (memory.kind == acg::MemoryKind::kScratchpad) scratchpads.push_back(memory.name);
  }
  if (Status status = check_names(machine, Operation::kGroup, "engine", engines); !status) return status;
  if (Status status = check_names(machine, Operation::kWait, "memory", scratchpads); !status) return status;
  return check_names(machine, Operation::kPost, "memory", scratchpads);
}

}  // namespace

Status check_word_fields(const Machine& machine) {
  if (Status status = check_all_names(machine); !status) return status;
  if (Status status = check_runs(machine); !status) return status;
  const acg::WordParts parts = acg::word_parts(machine);
  std::vector<Need> all = needs(machine);
  all.push_back({Operation::kTable, "index", int64_t{parts.table.count} - 1});
  for (const Need& need : all) {
    if (Status status = check_need(machine, need); !status) return status;
  }
  const uint32_t units = iterator_bits(machine);
  for (const Number& number :
       {Number{Operation::kBase, Operation::kBase, parts.base, 32},
        Number{Operation::kStride, Operation::kStride, parts.stride, 32},
        Number{Operation::kSimdBase, Operation::kSimdBaseHigh, parts.simd_base, units},
        Number{Operation::kSimdStride, Operation::kSimdStrideHigh, parts.simd_stride, std::min(32U, units + 1)},
        Number{Operation::kImmediateLow, Operation::kImmediateHigh, parts.immediate, 32}}) {
    if (Status status = check_number(machine, number); !status) return status;
  }
  return Done{};
}

}  // namespace covenant::compiler
