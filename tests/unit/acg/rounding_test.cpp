#include "acg/base/rounding.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

#include "acg/isa/program.h"

namespace covenant::acg {
namespace {

TEST(Rounding, UpToTheNextMultiple) {
  for (int value = -20; value <= 40; ++value) {
    for (int divisor = 1; divisor <= 9; ++divisor) {
      int64_t least = -100;  // counted up to
      while (least * divisor < value) ++least;
      EXPECT_EQ(ceil_divide<int64_t>(value, divisor), least) << value << " / " << divisor;
      EXPECT_EQ(round_up<int64_t>(value, divisor), least * divisor);
    }
  }
}

TEST(Rounding, NothingOverflows) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(ceil_divide(kMost, uint64_t{2}), kMost / 2 + 1);
  EXPECT_EQ(ceil_divide(kMost, kMost), 1U);
  EXPECT_EQ(ceil_divide(uint64_t{0}, kMost), 0U);
}

TEST(Rounding, TensorsLieInWholeGroupsOfRows) {
  TensorBinding binding;
  binding.shape = {2, 3, 7, 5};
  binding.padded_channels = 4;
  EXPECT_EQ(size_in_memory(binding), 2U * 4 * 7 * 5);
  binding.row_pixels = 6;
  binding.row_group = 3;
  EXPECT_EQ(size_in_memory(binding), 2U * 4 * 9 * 6);
  binding.row_group = uint64_t{1} << 62;
  EXPECT_EQ(size_in_memory(binding), std::nullopt);
  binding.shape = {2, 3};
  EXPECT_EQ(size_in_memory(binding), 2U * 4);
  binding.shape = {2, 3, 7};
  EXPECT_EQ(size_in_memory(binding), 2U * 3 * 7);
}

}  // namespace
}  // namespace covenant::acg
