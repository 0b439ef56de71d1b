#include "compiler/codelet/capability.h"

#include <gtest/gtest.h>

namespace covenant::compiler::codelet {
namespace {

acg::Compute simd() {
  acg::Compute node;
  node.name = "SIMD";
  node.capabilities = {{"REQUANT", {DType::kI8, {8}}, {{DType::kI32, {8}}, {DType::kF32, {1}}}, 1},
                       {"REQUANT", {DType::kI8, {8}}, {{DType::kI32, {8}}, {DType::kF32, {8}}}, 1},
                       {"ADD", {DType::kI32, {4}}, {{DType::kI32, {4}}, {DType::kI32, {4}}}, 1},
                       {"ADD", {DType::kI32, {8}}, {{DType::kI32, {8}}, {DType::kI32, {8}}}, 1}};
  return node;
}

TEST(Capability, ATensorIsReadAsAVectorAConstantAsAScalar) {
  const acg::Compute node = simd();
  EXPECT_EQ(find_capability(node, "REQUANT", DType::kI8, {{DType::kI32, false}, {DType::kF32, false}}),
            &node.capabilities[1]);
  EXPECT_EQ(find_capability(node, "REQUANT", DType::kI8, {{DType::kI32, false}, {DType::kF32, true}}),
            &node.capabilities[0]);
}

TEST(Capability, TheLargestIsChosen) {
  const acg::Compute node = simd();
  EXPECT_EQ(find_capability(node, "ADD", DType::kI32, {{DType::kI32, false}, {DType::kI32, false}}),
            &node.capabilities[3]);
}

TEST(Capability, NothingFitsOtherDtypes) {
  const acg::Compute node = simd();
  EXPECT_EQ(find_capability(node, "REQUANT", DType::kU8, {{DType::kI32, false}, {DType::kF32, false}}), nullptr);
  EXPECT_EQ(find_capability(node, "REQUANT", DType::kI8, {{DType::kI32, false}}), nullptr);
  EXPECT_EQ(find_capability(node, "ADD", DType::kI32, {{DType::kI32, false}, {DType::kI32, true}}), nullptr);
}

}  // namespace
}  // namespace covenant::compiler::codelet
