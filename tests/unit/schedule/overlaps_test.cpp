/// Rows that are written further than to their ends, in every order of loops that is allowed.
#include "compiler/schedule/overlaps.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace covenant::compiler {
namespace {

using Sizes = std::vector<int64_t>;

/// Rows of `row` elements, written as `shape.back()`.
struct Tensor {
  Sizes shape, strides;
  int64_t row = 1;
};

Tensor random_tensor(std::mt19937& random) {
  const auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  Tensor tensor{{0}, {1}, draw(1, 5)};
  tensor.shape[0] = tensor.row + draw(0, 12);
  int64_t reach = tensor.row;
  for (int d = 0; d < 3; ++d) {
    tensor.strides.insert(tensor.strides.begin(), reach + draw(0, 1) * draw(0, 20));
    tensor.shape.insert(tensor.shape.begin(), draw(1, 4));
    reach = tensor.strides[0] * tensor.shape[0];
  }
  return tensor;
}

/// The contents of memory once all rows are written, with loops in this order, outermost first: each element is its
/// address, elements past the end of a row are -1.
Sizes written(const Tensor& tensor, const std::vector<size_t>& order) {
  Sizes memory(static_cast<size_t>(tensor.strides[0] * tensor.shape[0] + tensor.shape.back()), -1);
  Sizes index(order.size(), 0);
  for (bool is_done = false; !is_done;) {
    int64_t first = 0;
    for (size_t d = 0; d < index.size(); ++d) first += index[d] * tensor.strides[d];
    for (int64_t i = 0; i < tensor.shape.back(); ++i) {
      memory[static_cast<size_t>(first + i)] = i < tensor.row ? first + i : -1;
    }
    is_done = true;
    for (size_t at = order.size(); at-- > 0 && is_done;) {
      const size_t d = order[at];
      is_done = ++index[d] == tensor.shape[d];
      if (is_done) index[d] = 0;
    }
  }
  return memory;
}

bool keeps(const std::vector<size_t>& order, const std::vector<size_t>& in_order) {
  size_t next = 0;
  for (const size_t d : order) {
    const auto place = std::ranges::find(in_order, d) - in_order.begin();
    if (static_cast<size_t>(place) == in_order.size()) continue;
    if (static_cast<size_t>(place) != next++) return false;
  }
  return true;
}

TEST(WrittenInOrder, LeavesWhatRowsHaveInEveryOrderThatKeepsIt) {
  std::mt19937 random(5);
  size_t overlapping = 0, free = 0;
  for (int i = 0; i < 300; ++i) {
    const Tensor tensor = random_tensor(random);
    const std::vector<size_t> in_order = written_in_order(tensor.shape, tensor.strides);
    ++(in_order.empty() ? free : overlapping);
    std::vector<size_t> order{0, 1, 2};
    const Sizes expected = written({tensor.shape, tensor.strides, tensor.row}, order);
    do {
      if (!keeps(order, in_order)) continue;
      const Sizes made = written(tensor, order);
      for (size_t at = 0; at < made.size(); ++at) {
        if (expected[at] < 0) continue;
        ASSERT_EQ(made[at], expected[at]) << "seed 5, tensor " << i << ", element " << at;
      }
    } while (std::ranges::next_permutation(order).found);
  }
  EXPECT_GT(overlapping, 50U);
  EXPECT_GT(free, 50U);
}

TEST(WrittenInOrder, NamesTheDimensionsWithTheOutermostStepFirst) {
  EXPECT_EQ(written_in_order({4, 8, 128}, {1024, 128, 1}), (std::vector<size_t>{}));
  EXPECT_EQ(written_in_order({4, 8, 128}, {1024, 100, 1}), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(written_in_order({4, 8, 128}, {800, 100, 1}), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(written_in_order({8, 4, 128}, {100, 800, 1}), (std::vector<size_t>{1, 0, 2}));
  EXPECT_EQ(written_in_order({4, 1, 128}, {128, 5, 1}), (std::vector<size_t>{})) << "one index takes no step";
}

}  // namespace
}  // namespace covenant::compiler
