/// Loop nests of one command as trips and strides, the form that address generators and iterators take.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/families/stream/addresses.h"

namespace covenant::compiler::stream {

/// One loop of a command; `strides` per operand, in the operand's own units.
struct NestLoop {
  uint64_t trips = 1;
  bool is_reduction = false;
  std::vector<int64_t> strides;
  bool operator==(const NestLoop&) const = default;
};

/// Drops loops of one iteration and joins adjacent loops that are one loop for every operand (outer stride = inner
/// stride * inner trips, both or none a reduction, at most `most_trips`). Keeps the order.
std::vector<NestLoop> collapse(const std::vector<NestLoop>& nest, int64_t most_trips);

/// A tile loop that is open around a command, with its level if it has more than one iteration.
struct OpenLoop {
  LoopRange range;
  uint32_t level = 0;
};

/// The ranges alone.
std::vector<LoopRange> ranges(const std::vector<OpenLoop>& open);
/// The next free level: loops of one iteration take none.
uint32_t next_level(const std::vector<OpenLoop>& open);

/// Levels of the loops over which a reduction into `destination` resumes: they have several iterations, are inside of
/// the `depth` loops around the destination's declaration, and do not index it.
std::set<uint32_t> resumed_over(const std::vector<OpenLoop>& open, size_t depth, const codelet::Reference& destination);

}  // namespace covenant::compiler::stream
