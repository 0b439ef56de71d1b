#include "acg/base/rounding.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

#include "acg/program/program.h"

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

TEST(Rounding, TensorsTakeTheirPaddingAlong) {
  TensorBinding binding;
  binding.dtype = DType::kI32;
  binding.shape = {2, 3};
  binding.elements = 2 * 4;
  EXPECT_EQ(size_in_memory(binding), 2U * 4 * 4);
  binding.elements = uint64_t{1} << 62;
  EXPECT_EQ(size_in_memory(binding), std::nullopt);
}

TEST(Rounding, StridesCountInTiles) {
  EXPECT_EQ(steps_to({{7, 5}}, 6), 30U);
  EXPECT_EQ(steps_to({{3, 100}, {2, 7}}, 5), 207U);
  EXPECT_EQ(steps_to({{2, 100}, {2, 10}, {3, 1}}, 11), 112U);
}

}  // namespace
}  // namespace covenant::acg
