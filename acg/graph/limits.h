/// Limits of the numbers in a machine. The checks of a machine, the readers of its text and JSON forms, and the lists
/// of allowed values in their messages all use them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// A range of numbers; both ends are included.
struct Limits {
  uint64_t lowest = 0;
  uint64_t highest = 0;
  constexpr bool contains(uint64_t value) const { return value >= lowest && value <= highest; }
};

/// The range as messages show it: "1..16", or "2" if it holds one number.
std::string text_of(const Limits& limits);

/// Most words of one buffer of an instruction memory: a group counts its words in 16 bits
/// (docs/reference/units/control.md).
inline constexpr uint64_t kMaxInstructionDepth = uint64_t{1} << 16;
inline constexpr uint32_t kMaxBandwidth = 1U << 16;  // bits per cycle
inline constexpr uint32_t kMaxOperandBits = 31;      // operands are int32

inline constexpr Limits kElementBits{1, 1024}, kPortWidth{0, kMaxBandwidth}, kEdgeLatency{0, 100'000},
    kBurst{1, 1U << 16}, kCapabilityCycles{1, 1000}, kAccesses{1, 1024}, kPacketSlots{1, 8}, kPacketWords{1, 16},
    kPacketInterval{1, 64}, kStages{1, 255}, kLatency{0, 255}, kFixedBits{1, 64}, kShapeElements{1, uint64_t{1} << 32};

/// The range of an attribute of a memory of this kind: "data_width", "banks", "depth", "buffers", "latency", "accesses"
/// or "channels". data_width and channels do not take every number in their range (see below). Precondition:
/// `attribute` is one of these.
Limits limits_of(MemoryKind kind, std::string_view attribute);
/// The allowed numbers of attributes that do not take a whole range.
std::vector<std::string> data_widths(MemoryKind kind);
std::vector<std::string> channel_counts();
std::vector<std::string> granularities(uint32_t data_width);
std::vector<std::string> word_widths();
/// Allowed bandwidths of an edge of off-chip memory, which moves whole bytes.
std::vector<std::string> bandwidths();

/// Ranges of: bits of an opcode, opcodes, bits of a field, constants of a field, scales of a field.
Limits opcode_bits_limits(uint32_t word_bits);
Limits opcode_limits(uint32_t opcode_bits);
Limits width_limits(FieldKind kind);
inline constexpr Limits kFixedNumber{0, (uint64_t{1} << kMaxOperandBits) - 1};
Limits constant_limits(uint32_t width);
Limits scale_limits(uint32_t width);

}  // namespace covenant::acg
