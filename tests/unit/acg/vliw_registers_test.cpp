// The registers that instructions read and write, implied ones included.
#include "acg/operations/vliw_registers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace covenant::acg {
namespace {

/// "r1 r, p0 w": the uses in their order.
std::string uses_of(VliwOperation operation, std::initializer_list<int32_t> operands) {
  Instruction instruction{operation_of(operation), {}};
  std::copy(operands.begin(), operands.end(), instruction.operands.begin());
  std::string text;
  for (const RegisterUse& use : register_uses(instruction)) {
    text += (text.empty() ? "" : ", ") + name_of(use.used) + " " + (reads(use.access) ? "r" : "") +
            (writes(use.access) ? "w" : "");
  }
  return text;
}

TEST(RegisterUses, PairsAndAccumulators) {
  EXPECT_EQ(uses_of(VliwOperation::kA2Combinew, {4, 1, 2}), "r5 w, r4 w, r1 r, r2 r");
  EXPECT_EQ(uses_of(VliwOperation::kVrmpyubAcc, {3, 4, 5}), "v3 rw, v4 r, r5 r");
  EXPECT_EQ(uses_of(VliwOperation::kVl32bPpu, {3, 4, 1}), "v3 w, r4 rw, c7 r");
}

TEST(RegisterUses, ThePredicatesAreAControlRegister) {
  EXPECT_EQ(uses_of(VliwOperation::kA2Tfrrcr, {kAllPredicates, 7}), "p0 w, p1 w, p2 w, p3 w, r7 r");
  EXPECT_EQ(uses_of(VliwOperation::kA2Tfrrcr, {kUserStatus, 7}), "c8 w, r7 r");
}

TEST(RegisterUses, WhatNoOperandNames) {
  EXPECT_EQ(uses_of(VliwOperation::kJ2Call, {64}), "r31 w");
  EXPECT_EQ(uses_of(VliwOperation::kJ2Loop0i, {64, 3}), "c0 w, c1 w");
  EXPECT_EQ(uses_of(VliwOperation::kJ2Loop1r, {64, 3}), "r3 r, c2 w, c3 w");
}

TEST(RegisterUses, NumbersEndWithTheirFile) {
  const auto highest = [](VliwOperation operation, size_t operand) {
    return highest_number(info(operation_of(operation)).operands[operand]);
  };
  EXPECT_EQ(highest(VliwOperation::kA2Add, 0), 31);
  EXPECT_EQ(highest(VliwOperation::kA2Combinew, 0), 30) << "a pair";
  EXPECT_EQ(highest(VliwOperation::kC2Cmpgt, 0), 3);
  EXPECT_EQ(highest(VliwOperation::kVl32bPpu, 2), 1) << "a modifier";
  EXPECT_EQ(highest(VliwOperation::kValignbi, 3), 127);
  EXPECT_EQ(highest(VliwOperation::kA2Addi, 2), std::nullopt) << "any number";
}

}  // namespace
}  // namespace covenant::acg
