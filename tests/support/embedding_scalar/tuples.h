/// Sets of tuples that tests list one by one, to compare with what boxes, domains and relations say of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "acg/base/check.h"
#include "compiler/embedding/scalar/domain.h"

namespace covenant::test {

namespace scalar = compiler::embedding::scalar;
using scalar::Tuple;

/// All tuples in [0, extents), in lexicographic order.
inline std::vector<Tuple> grid(const std::vector<int64_t>& extents) {
  std::vector<Tuple> tuples{{}};
  for (const int64_t extent : extents) {
    std::vector<Tuple> longer;
    for (const Tuple& tuple : tuples) {
      for (int64_t value = 0; value < extent; ++value) {
        longer.push_back(tuple);
        longer.back().push_back(value);
      }
    }
    tuples = longer;
  }
  return tuples;
}

/// All tuples of a domain; fails if two of its boxes share one.
inline std::set<Tuple> values_of(const scalar::Domain& domain) {
  std::set<Tuple> values;
  uint64_t count = 0;
  for (const scalar::Box& box : domain.boxes()) {
    std::vector<int64_t> counts;
    for (const scalar::Range& range : box.ranges) counts.push_back(range.count);
    for (Tuple tuple : grid(counts)) {
      for (size_t i = 0; i < tuple.size(); ++i) tuple[i] = box.ranges[i].first + tuple[i] * box.ranges[i].stride;
      values.insert(tuple);
      ++count;
    }
  }
  check(count == values.size() && count == domain.size(), "boxes of a domain overlap");
  return values;
}

inline int64_t draw(std::mt19937_64& random, int64_t lowest, int64_t highest) {
  return lowest + static_cast<int64_t>(random() % static_cast<uint64_t>(highest - lowest + 1));
}

/// A range within [0, extent).
inline scalar::Range draw_range(std::mt19937_64& random, int64_t extent) {
  scalar::Range range{draw(random, 0, extent - 1), 1, 1};
  range.stride = draw(random, 1, 4);
  range.count = draw(random, 1, (extent - 1 - range.first) / range.stride + 1);
  if (range.count == 1) range.stride = 1;
  return range;
}

inline scalar::Box draw_box(std::mt19937_64& random, const std::vector<int64_t>& extents) {
  scalar::Box box;
  for (const int64_t extent : extents) box.ranges.push_back(draw_range(random, extent));
  return box;
}

}  // namespace covenant::test
