/// The settings that a command depends on, and those that it does not.
#include "compiler/families/stream/effects.h"

#include <gtest/gtest.h>

#include "compiler/families/stream/operand_values.h"
#include "listing.h"

namespace covenant::compiler::stream {
namespace {

using acg::Operation;
using Bounds = std::array<int64_t, 3>;  // zero point, lowest, highest

/// One SIMD command after a word that sets the quantisation.
std::vector<WordEffect> effects_after(const Bounds& bounds, Operation operation,
                                      const acg::Machine& machine = machine_of()) {
  const auto memory = [&](const char* name) { return int64_t{acg::find_memory(machine, name)->value}; };
  return effects({instruction(Operation::kQuantization,
                              {{"zero_point", bounds[0]}, {"lowest", bounds[1]}, {"highest", bounds[2]}}),
                  instruction(operation, {{"dst_memory", memory("VMEM1")},
                                          {"src1_memory", memory("OBUF")},
                                          {"src2_memory", memory("VMEM2")}})},
                 machine);
}

TEST(Meaning, OfARequantizationHasItsBounds) {
  const Bounds base{3, 0, 255};
  for (const Operation operation :
       {Operation::kRequant, Operation::kRequantAdd, Operation::kRequantMul, Operation::kRequantFixed,
        Operation::kRequantAddFixed, Operation::kRequantMulFixed}) {
    for (const Bounds& other : {Bounds{3, 3, 255}, Bounds{3, 0, 100}}) {
      EXPECT_NE(effects_after(base, operation), effects_after(other, operation));
    }
  }
}

/// The zero point of a sum or a product is part of its offset.
TEST(Meaning, OfARequantizedSumHasTheZeroPointAmongItsImmediates) {
  const Bounds base{3, 0, 255};
  const Bounds other{4, 0, 255};
  for (const Operation operation : {Operation::kRequant, Operation::kRequantFixed, Operation::kRequantMulFixed}) {
    EXPECT_NE(effects_after(base, operation), effects_after(other, operation));
  }
  for (const Operation operation : {Operation::kRequantAdd, Operation::kRequantMul, Operation::kRequantAddFixed}) {
    EXPECT_EQ(effects_after(base, operation), effects_after(other, operation));
  }
}

TEST(Meaning, OfASumThatRoundsByItsSignHasTheZeroPoint) {
  acg::Machine machine = machine_of();
  machine.computes[acg::find_compute(machine, "SIMD")->value].attributes["half_away"] = int64_t{1};
  const auto meant = [&](int64_t zero_point) {
    return effects_after({zero_point, 0, 255}, Operation::kRequantAddFixed, machine);
  };
  EXPECT_NE(meant(3), meant(4));
}

TEST(Meaning, OfOtherCommandsHasNoQuantization) {
  for (const Operation operation : {Operation::kAdd, Operation::kMove, Operation::kReduceMax}) {
    EXPECT_EQ(effects_after({3, 0, 255}, operation), effects_after({128, 1, 100}, operation));
  }
}

}  // namespace
}  // namespace covenant::compiler::stream
