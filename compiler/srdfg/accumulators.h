/// Attributes that give the width in which a machine accumulates the sums of a node, for graphs that are evaluated for
/// that machine.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "acg/base/accumulator.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// Width in bits at which sums wrap; 32 by default.
inline constexpr const char* kAccumulator = "accumulator";
/// For a matmul: the stored zero point of the operand that is multiplied as a signed number. The machine's sums contain
/// an extra part, z * sum (a - a_zp) of each row, which is a sum of its own and is subtracted in 32 bits. 0 by default.
inline constexpr const char* kZeroPointApart = "zero_point_apart";
/// For a matmul: 1 if its operands are exchanged, so that the extra part is z * sum (b - b_zp) of each column.
inline constexpr const char* kTurned = "turned";
inline constexpr std::array<std::string_view, 3> kAccumulatorAttributes{kAccumulator, kZeroPointApart, kTurned};

/// The integer attribute of a node, or `otherwise` if it has none. Precondition: the attribute is a number.
inline int64_t optional_integer(const Node& node, const char* name, int64_t otherwise) {
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? otherwise : std::get<int64_t>(found->second);
}

inline uint32_t accumulator_bits(const Node& node) {
  return static_cast<uint32_t>(optional_integer(node, kAccumulator, kWordBits));
}

}  // namespace covenant::compiler::srdfg
