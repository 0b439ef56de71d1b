#include "compiler/codelet/vector_sizes.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"

namespace covenant::compiler::codelet {
namespace {

/// 16 columns; lanes as said.
acg::Machine with_lanes(int64_t lanes) {
  acg::Machine machine = *acg::load_machine("genesys:16x16");
  for (acg::Compute& compute : machine.computes) {
    if (compute.name != "SIMD") continue;
    for (acg::Capability& capability : compute.capabilities) capability.output.shape = {static_cast<uint64_t>(lanes)};
  }
  return machine;
}

TEST(VectorSizes, TensorsArePaddedForAllThatWriteThem) {
  const acg::Machine equal = with_lanes(16);
  for (const auto& [size, padded] : {std::pair{1, 16}, {16, 16}, {17, 32}, {40, 48}}) {
    EXPECT_EQ(padded_size(equal, DType::kI8, static_cast<uint64_t>(size)), static_cast<uint64_t>(padded)) << size;
  }
  // Lanes alone write bytes; the array's columns count once both go round more than once.
  const acg::Machine fewer = with_lanes(12);
  for (const auto& [size, padded] : {std::pair{1, 12}, {16, 24}, {48, 48}, {49, 96}, {97, 144}}) {
    EXPECT_EQ(padded_size(fewer, DType::kI8, static_cast<uint64_t>(size)), static_cast<uint64_t>(padded)) << size;
  }
  EXPECT_EQ(padded_size(fewer, DType::kI32, 13), 24U) << "sums: 16 by the array, 24 by the lanes";
  EXPECT_EQ(padded_size(fewer, DType::kI16, 13), 13U) << "it is not written";
  EXPECT_EQ(written_at_once(fewer, DType::kI32), 16U);
  EXPECT_TRUE(is_written(fewer, DType::kI8));
  EXPECT_FALSE(is_written(fewer, DType::kI16));
  EXPECT_EQ(written_at_once(fewer, DType::kI16), 1U);
}

TEST(VectorSizes, RowsAreAlignedForVectorsThatDoNotDivide) {
  EXPECT_EQ(row_alignment({}), 1U);
  EXPECT_EQ(row_alignment({64, 16, 64}), 1U);
  EXPECT_EQ(row_alignment({64, 48}), 192U);
  EXPECT_EQ(row_alignment({16, 12, 20}), 240U);
}

}  // namespace
}  // namespace covenant::compiler::codelet
