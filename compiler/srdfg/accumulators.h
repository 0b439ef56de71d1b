/// In how many bits a machine makes the sums of a node: attributes of the nodes of a graph that is evaluated for it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "acg/base/accumulator.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// Bits of the sums: they wrap there, 32 without it.
inline constexpr const char* kAccumulator = "accumulator";
/// Of a matmul: the zero point of the operand that is multiplied with a sign, as it is stored there. What it makes too
/// much is a sum of its own, which is taken off in words of 32 bits: z * sum (a - a_zp) of each row. 0 without it.
inline constexpr const char* kZeroPointApart = "zero_point_apart";
/// Of a matmul: 1 if its operands are exchanged, so that the sum of its own is z * sum (b - b_zp) of each column.
inline constexpr const char* kTurned = "turned";
inline constexpr std::array<std::string_view, 3> kAccumulatorAttributes{kAccumulator, kZeroPointApart, kTurned};

/// Of a node without the attribute: `otherwise`. Precondition: it is a number.
inline int64_t optional_integer(const Node& node, const char* name, int64_t otherwise) {
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? otherwise : std::get<int64_t>(found->second);
}

inline uint32_t accumulator_bits(const Node& node) {
  return static_cast<uint32_t>(optional_integer(node, kAccumulator, kWordBits));
}

}  // namespace covenant::compiler::srdfg
