/// When packets issue and their vector parts run, as docs/reference/units/vliw_core.md gives it: interlocks by stage,
/// the queue of the vector side, branches. Every wait is tight: a packet that needs one less runs one interval earlier.
#include "tests/timing/vliw/run.h"

namespace covenant::sim::vliw {
namespace {

using namespace testing;

/// Intervals from the first packet's vector part to the second one's.
uint64_t apart(const std::string& first, const std::string& second) {
  const Ran ran({first, second});
  return (ran.ran(1) - ran.ran(0)) / kInterval;
}
uint64_t issued_apart(const std::string& first, const std::string& second) {
  const Ran ran({first, second}, 0, {}, {{0, kData}, {1, kData}});
  return (ran.issued(1) - ran.issued(0)) / kInterval;
}

TEST(PacketTiming, OnePacketEachInterval) {
  const Ran ran({"{ nop }", "{ r0 = #1 }", "{ v1 = vxor(v2,v3) }"});
  EXPECT_EQ(ran.issued(0), 0U);
  EXPECT_EQ(ran.issued(1), kInterval);
  EXPECT_EQ(ran.issued(2), 2 * kInterval);
  EXPECT_EQ(ran.ran(2), ran.issued(2));
  EXPECT_EQ(ran.retired(0), kInterval);
  EXPECT_EQ(ran.retired(1), kInterval + 3);      // stage 3 of the scalar side
  EXPECT_EQ(ran.retired(2), 2 * kInterval + 9);  // stage 9 of the vector side
}

TEST(PacketTiming, LateSourcesFollowAtOnceEarlyOnesWaitAPacketLonger) {
  const std::string producer = "{ v1 = vxor(v2,v3) }";
  EXPECT_EQ(apart(producer, "{ v4.w = vadd(v1.w,v5.w) }"), 1U);
  EXPECT_EQ(apart(producer, "{ v4.w = vadd(v5.w,v1.w) }"), 1U);
  EXPECT_EQ(apart(producer, "{ v1.w += vrmpy(v5.ub,r0.b) }"), 1U);  // onto the accumulator
  EXPECT_EQ(apart(producer, "{ v4.w += vrmpy(v1.ub,r0.b) }"), 2U);  // into the multiplier
  EXPECT_EQ(apart(producer, "{ v4.w = vasr(v1.w,r0) }"), 2U);
  EXPECT_EQ(apart(producer, "{ v4.h = vpack(v1.w,v5.w):sat }"), 2U);
  EXPECT_EQ(apart(producer, "{ v4.h = vpack(v6.w,v5.w):sat }"), 1U);
  EXPECT_EQ(apart("{ v4.w += vrmpy(v5.ub,r0.b) }", "{ v4.w += vrmpy(v6.ub,r0.b) }"), 1U);
  EXPECT_EQ(apart("{ v5:4.h = vmpy(v2.ub,v3.b) }", "{ v6.w = vadd(v5.w,v7.w) }"), 1U);
  EXPECT_EQ(apart("{ v5:4.h = vmpy(v2.ub,v3.b) }", "{ v6.h = vmpyi(v5.h,v7.h) }"), 2U);  // the upper one of a pair
  EXPECT_EQ(apart("{ q1 = vcmp.gt(v0.w,v1.w) }", "{ v2 = vmux(q1,v3,v4) }"), 1U);
}

TEST(PacketTiming, APacketBetweenHidesTheWait) {
  const Ran ran({"{ v1 = vxor(v2,v3) }", "{ nop }", "{ v4.w += vrmpy(v1.ub,r0.b) }"});
  EXPECT_EQ(ran.ran(2) - ran.ran(0), 2 * kInterval);
  EXPECT_EQ(ran.pipeline().counts().vector_waits.registers, 0U);
  const Ran waits({"{ v1 = vxor(v2,v3) }", "{ v4.w += vrmpy(v1.ub,r0.b) }"});
  EXPECT_EQ(waits.pipeline().counts().vector_waits.registers, kInterval);
}

TEST(PacketTiming, ValuesOfTheSamePacketCostNothing) {
  const Settings queue{{"queue", "4"}};
  const std::vector<std::pair<int, uint32_t>> base{{0, kData}};
  const Ran plain({"{ v1 = vmem(r0++#0) }", "{ v4.w += vrmpy(v1.ub,r1.b); v1.cur = vmem(r0++#0) }",
                   "{ v5.w += vrmpy(v1.ub,r1.b); v1.tmp = vmem(r0++#0) }"},
                  0, queue, base);
  EXPECT_EQ(plain.ran(1) - plain.ran(0), kInterval);
  EXPECT_EQ(plain.ran(2) - plain.ran(1), kInterval);
  const Ran stored({"{ v1 = vmem(r0+#0) }", "{ v2.w = vadd(v3.w,v4.w); vmem(r0++#1) = v2.new }"}, 0, queue, base);
  EXPECT_EQ(stored.ran(1) - stored.ran(0), kInterval);
}

TEST(PacketTiming, ScalarRegisters) {
  EXPECT_EQ(issued_apart("{ r2 = add(r3,r4) }", "{ r5 = add(r2,r4) }"), 1U);
  EXPECT_EQ(issued_apart("{ r0 = add(r0,#4) }", "{ r5 = memw(r0+#0) }"), 1U);
  EXPECT_EQ(issued_apart("{ r2 = mpyi(r3,r4) }", "{ r5 = add(r2,r4) }"), 1U);
  EXPECT_EQ(issued_apart("{ r2 = mpyi(r3,r4) }", "{ r5 = mpyi(r2,r4) }"), 2U);
  EXPECT_EQ(issued_apart("{ r2 = mpyi(r3,r4) }", "{ r2 += mpyi(r3,r4) }"), 1U);
  EXPECT_EQ(issued_apart("{ p0 = cmp.gt(r2,r3) }", "{ if (p0) jump:nt 0x2000 }"), 1U);
}

TEST(PacketTiming, AnExtractedWordIsLate) {
  const Ran ran({"{ r2 = vextract(v1,r3) }", "{ r4 = add(r2,r5) }"});
  EXPECT_EQ(ran.issued(1) - ran.issued(0), 14U);  // 15 cycles, read in stage 2, on the grid of intervals
  EXPECT_EQ(ran.pipeline().counts().waits.scalar_registers, 12U);
}

TEST(PacketTiming, TheEndOfAHardwareLoopCostsNothing) {
  const Ran ran({"{ loop0(0x1004,#3) }", "{ v1.w = vadd(v1.w,v2.w); r1 = add(r1,#1) }:endloop0", "{ nop }"}, 5);
  for (size_t i = 1; i < 5; ++i) EXPECT_EQ(ran.issued(i) - ran.issued(i - 1), kInterval);
  EXPECT_EQ(ran.pipeline().counts().waits.branches, 0U);
}

TEST(PacketTiming, BranchesTakenAndGuessedWrong) {
  const Ran taken({"{ jump 0x1004 }", "{ nop }"});
  EXPECT_EQ(taken.issued(1), 2 * kInterval);
  EXPECT_EQ(taken.pipeline().counts().waits.branches, kInterval);
  // p0 is false at the start: `:nt` has guessed right, `:t` wrong.
  const Ran passed({"{ if (p0) jump:nt 0x1004 }", "{ nop }"});
  EXPECT_EQ(passed.issued(1), kInterval);
  const Ran wrong({"{ p0 = cmp.gt(r1,r2); if (p0.new) jump:t 0x1000 }", "{ nop }"});
  EXPECT_EQ(wrong.issued(1), 5 * kInterval);
  const Ran right({"{ p0 = cmp.eq(r1,r2); if (p0.new) jump:t 0x1008 }", "{ nop }"});
  EXPECT_EQ(right.issued(1), 2 * kInterval);
}

/// If a packet has two branches, the conditional one is predicted, regardless of the other.
TEST(PacketTiming, TwoBranchesOfAPacket) {
  const Ran passed({"{ if (p0) jump:nt 0x1000; jump 0x1008 }", "{ nop }"});
  EXPECT_EQ(passed.issued(1), 2 * kInterval);
  const Ran wrong({"{ p0 = cmp.gt(r1,r2); if (p0.new) jump:t 0x1000; jump 0x100c }", "{ nop }"});
  EXPECT_EQ(wrong.issued(1), 5 * kInterval);
}

TEST(PacketValues, AllPredicatesAreReadBeforeOneOfThemIsWritten) {
  // Each of the two wants the old value of what the other one writes.
  Ran ran({"{ r15 = p3:0; p3 = cmp.gt(r15,r12) }"}, testing::kNothing, {}, {{15, 5}, {12, 3}});
  ran.core().registers().predicates = {1, 2, 3, 4};
  ran.core().run(1);
  EXPECT_EQ(ran.core().registers().scalars[15], 0x04030201U);
  EXPECT_EQ(ran.core().registers().predicates[3], 0xff);
}

TEST(PacketTiming, TheVectorSideLagsBehindByTheQueue) {
  // Each packet waits for the one before: the vector side takes two intervals for each.
  std::vector<std::string> chain;
  for (int i = 0; i < 12; ++i) chain.push_back("{ v1.w = vasr(v1.w,r0) }");
  for (const uint64_t places : {1U, 3U, 8U}) {
    const Ran ran(chain, 0, {{"queue", std::to_string(places)}});
    for (size_t i = 1; i < chain.size(); ++i) {
      EXPECT_EQ(ran.ran(i), 2 * kInterval * i);
      const uint64_t place = i >= places ? ran.ran(i - places) : 0;
      EXPECT_EQ(ran.issued(i), std::max(ran.issued(i - 1) + kInterval, place)) << places << " places, packet " << i;
    }
  }
}

}  // namespace
}  // namespace covenant::sim::vliw
