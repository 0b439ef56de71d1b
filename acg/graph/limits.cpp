#include "acg/graph/limits.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/encoding/instruction_word.h"
#include "acg/graph/queries.h"
#include "acg/operations/operation.h"

namespace covenant::acg {
namespace {

constexpr Limits kOnly1{1, 1};

bool is_plain(MemoryKind kind) {
  return kind == MemoryKind::kScratchpad || kind == MemoryKind::kRegisterFile || kind == MemoryKind::kCache;
}

Limits depths(MemoryKind kind) {
  if (kind == MemoryKind::kImmediate) return {kImmediateSlots, kImmediateSlots};
  return {1, kind == MemoryKind::kInstruction ? kMaxInstructionDepth : uint64_t{1} << 32};  // addresses have 32 bits
}

Limits buffers(MemoryKind kind) {
  if (kind == MemoryKind::kScratchpad) return {1, 16};
  return kind == MemoryKind::kInstruction ? Limits{2, 2} : kOnly1;
}

}  // namespace

std::string text_of(const Limits& limits) {
  return limits.lowest == limits.highest ? fmt::format("{}", limits.lowest)
                                         : fmt::format("{}..{}", limits.lowest, limits.highest);
}

Limits limits_of(MemoryKind kind, std::string_view attribute) {
  if (attribute == "data_width") {
    if (is_plain(kind)) return {1, 4096};
    if (kind == MemoryKind::kInstruction) return {8, kMostWordBits};
    return kind == MemoryKind::kOffchip ? Limits{8, 8} : Limits{32, 32};
  }
  if (attribute == "banks") return is_plain(kind) ? Limits{1, uint64_t{1} << 20} : kOnly1;
  if (attribute == "depth") return depths(kind);
  if (attribute == "buffers") return buffers(kind);
  if (attribute == "latency") {
    return kind == MemoryKind::kOffchip || kind == MemoryKind::kCache ? Limits{1, 100'000} : kOnly1;
  }
  if (attribute == "accesses") return kAccesses;
  check(attribute == "channels", "a number that no memory has");
  return {1, kMaxChannels};
}

std::vector<std::string> data_widths(MemoryKind kind) {
  const Limits limits = limits_of(kind, "data_width");
  if (kind == MemoryKind::kInstruction) return word_widths();
  if (!is_plain(kind)) return {text_of(limits)};
  return {"1", "2", "4", fmt::format("multiples of 8 up to {}", limits.highest)};
}

std::vector<std::string> channel_counts() {
  std::vector<std::string> counts;
  for (uint32_t count = 1; count <= kMaxChannels; count *= 2) counts.push_back(fmt::format("{}", count));
  return counts;
}

std::vector<std::string> granularities(uint32_t data_width) {
  std::vector<std::string> all;
  const uint64_t widest = limits_of(MemoryKind::kScratchpad, "data_width").highest;
  for (uint32_t grain = 8; grain < std::min<uint64_t>(data_width, widest); grain += 8) {
    if (data_width % grain == 0) all.push_back(fmt::format("{}", grain));
  }
  all.push_back(fmt::format("{}", data_width));
  return all;
}

std::vector<std::string> word_widths() { return {fmt::format("multiples of 8 up to {}", kMostWordBits)}; }

std::vector<std::string> bandwidths() { return {fmt::format("multiples of 8 up to {}", kMaxBandwidth)}; }

Limits opcode_bits_limits(uint32_t word_bits) { return {1, std::min(word_bits, 16U)}; }

Limits opcode_limits(uint32_t opcode_bits) { return {0, (uint64_t{1} << std::min(opcode_bits, 32U)) - 1}; }

Limits width_limits(FieldKind kind) {
  if (kind == FieldKind::kFixed) return {0, 0};
  return {1, kind == FieldKind::kConstant ? 32 : kMaxOperandBits};
}

Limits constant_limits(uint32_t width) { return {0, (uint64_t{1} << std::min(width, 32U)) - 1}; }

Limits scale_limits(uint32_t width) { return {1, uint64_t{1} << (32 - std::min(width, 32U))}; }

}  // namespace covenant::acg
