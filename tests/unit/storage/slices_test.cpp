/// Slices are recognised where they lie, and moved with the tensor that they are of.
#include "compiler/storage/slices.h"

#include <gtest/gtest.h>
#include <random>

#include "tests/support/seed.h"

namespace covenant::compiler {
namespace {

using Shape = std::vector<uint64_t>;

/// Steps of dimensions with one index say nothing.
Slice with_known_steps(Slice slice) {
  for (size_t d = 0; d < slice.shape.size(); ++d) {
    if (slice.shape[d] == 1) slice.steps[d] = 1;
  }
  return slice;
}

TEST(Slices, DrawnOnesAreFoundInImagesWithPadding) {
  std::mt19937_64 random(test::seed());
  const auto drawn = [&](uint64_t from, uint64_t to) { return from + random() % (to - from + 1); };
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << test::seed() << ", slice " << i);
    Shape shape;
    for (int d = 0; d < 4; ++d) shape.push_back(drawn(1, 6));
    const Storage whole = channels_last(
        "DRAM", shape,
        {.channels = shape[1] + drawn(0, 3), .left_pixels = drawn(0, 2), .row_pixels = shape[3] + drawn(2, 4)});
    Slice slice;
    for (const uint64_t size : shape) {
      slice.starts.push_back(drawn(0, size - 1));
      slice.steps.push_back(drawn(1, 3));
      slice.shape.push_back(drawn(1, (size - slice.starts.back() - 1) / slice.steps.back() + 1));
    }
    const Storage part = *sliced(whole, slice.starts, slice.steps, slice.shape);
    EXPECT_EQ(slice_of(whole, part), with_known_steps(slice)) << print(whole) << '\n' << print(part);
  }
}

TEST(Slices, OtherViewsAreNone) {
  const Storage whole = channels_last("DRAM", {1, 4, 6, 6}, {.channels = 8});
  const Storage row = channels_last("DRAM", {1, 4, 1, 6}, {.channels = 8});
  EXPECT_FALSE(slice_of(whole, *reshaped(whole, {1, 4, 36}))) << "another rank";
  EXPECT_FALSE(slice_of(whole, permuted(whole, {0, 1, 3, 2}))) << "rows that were columns";
  EXPECT_FALSE(slice_of(whole, repeated(whole, {1, 1, 2, 1}))) << "each row twice";
  EXPECT_FALSE(slice_of(repeated(row, {1, 1, 2, 1}), row)) << "one row is all rows";
  const Storage part = *sliced(whole, {0, 0, 2, 0}, {1, 1, 1, 1}, {1, 4, 4, 6});
  EXPECT_TRUE(slice_of(whole, part));
  EXPECT_FALSE(slice_of(part, whole)) << "the whole is no slice of its part";
  Storage past = part;
  past.offset += 8;
  EXPECT_FALSE(slice_of(whole, past)) << "its last column is the first of the next row";
  Storage askew = part;
  askew.dimensions[3].strides[0].stride = 12;
  EXPECT_FALSE(slice_of(whole, askew)) << "every second column lies between two of the whole";
  const Storage gray = channels_last("DRAM", {1, 1, 6, 6}, {.channels = 8});
  Storage beside = gray;
  beside.dimensions[2].size = 5;
  beside.offset += 5;
  EXPECT_FALSE(slice_of(gray, beside)) << "it begins in the padding of a pixel";
  Storage between = part;
  between.offset += 5;
  EXPECT_FALSE(slice_of(whole, between)) << "it begins in the padding of channels";
}

}  // namespace
}  // namespace covenant::compiler
