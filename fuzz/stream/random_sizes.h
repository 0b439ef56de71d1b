/// Rows, columns and lanes of random machines.
#pragma once

#include <cstdint>
#include <vector>

namespace covenant::runtime {

struct Sizes {
  int64_t rows, columns, lanes;
};

/// All triples whose chunks of channels of array and lanes divide one another; where the lanes are fewer, a half or a
/// quarter.
std::vector<Sizes> all_sizes();

/// Numbers of lanes for these rows and columns, whether they divide or not.
std::vector<int64_t> other_lanes(const Sizes& sizes);

}  // namespace covenant::runtime
