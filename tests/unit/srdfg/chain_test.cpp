#include "compiler/srdfg/chain.h"

#include <gtest/gtest.h>
#include <string>

namespace covenant::compiler::srdfg {
namespace {

TEST(Chain, StepsReadNumbersAndEarlierSteps) {
  const auto steps = chain_steps("load 1; load 0;mul %0 -0x1.8p+1 ; sqrt %2; max %3 %1", 2);
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 5U);
  EXPECT_EQ((*steps)[2].operation, ChainOperation::kMul);
  EXPECT_EQ((*steps)[2].operands, (std::vector<ChainOperand>{size_t{0}, -3.0F}));
  EXPECT_EQ((*steps)[4].operands, (std::vector<ChainOperand>{size_t{3}, size_t{1}}));
}

TEST(Chain, WhatIsNoChainIsNone) {
  for (const char* text : {
           "",                                     // no step
           "load 1",                               // no such input
           "load 0; load 0; add %0 %1",            // an input twice
           "load 0; exp %0",                       // no such operation
           "load 0; add %0",                       // one operand of two
           "load 0; sqrt %0 %0",                   // two of one
           "load 0; add %0 %1",                    // itself
           "load 0; mul 0x1p+0 0x1p+1",            // no step
           "load 0; mul %0 2",                     // a number in decimals
           "load 0; mul %0 0x1p+200",              // beyond f32
           "load 0; mul %0 0x",                    // no digits
           "load 0; mul %0 0x-1p+0",               // a sign within
           "load 0; mul %0 0x1p+0; sqrt %0",       // one that nothing reads
           "load 0; mul %0 0x1p+0x",               // more than a number
           "load -1",                              // below the first
           "load 0; mul %18446744073709551616 %0"  // beyond 64 bits
       }) {
    EXPECT_FALSE(chain_steps(text, 1)) << text;
  }
  EXPECT_FALSE(chain_steps("load 0", 2)) << "an input that is not loaded";
  std::string longest = "load 0";
  for (int step = 0; step < 63; ++step) longest += "; sqrt %" + std::to_string(step);
  EXPECT_TRUE(chain_steps(longest, 1));
  EXPECT_FALSE(chain_steps(longest + "; sqrt %63", 1)) << "65 steps";
}

}  // namespace
}  // namespace covenant::compiler::srdfg
