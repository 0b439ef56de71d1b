/// Boxes: products of ranges, of which domains of scalar variables consist (domain.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/embedding/scalar/range.h"

namespace covenant::compiler::embedding::scalar {

/// One scalar of a workload: an instance (a value for each axis) or an element (an index for each dimension).
using Tuple = std::vector<int64_t>;

/// All tuples with an integer of each range, outermost dimension first. A box without dimensions has one tuple.
struct Box {
  std::vector<Range> ranges;
  bool operator==(const Box&) const = default;
};

/// [0, extent) in each dimension. Precondition: extents are positive.
Box box_of(const std::vector<int64_t>& extents);

/// The box of one tuple.
Box point(const Tuple& tuple);

/// The number of tuples; 2^64 - 1 stands for all larger numbers.
uint64_t size(const Box& box);

bool contains(const Box& box, const Tuple& tuple);

/// True if a tuple is in both. Precondition here and below: equal numbers of dimensions.
bool overlap(const Box& a, const Box& b);

/// The tuples in both; nothing if there are none.
std::optional<Box> intersection(const Box& a, const Box& b);

/// Appends disjoint boxes of the tuples of `from` that are not in `removed`.
void append_difference(const Box& from, const Box& removed, std::vector<Box>& parts);

}  // namespace covenant::compiler::embedding::scalar
