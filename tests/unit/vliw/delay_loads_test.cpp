// Loads are delayed until their values are needed; lower bounds on the number of packets of a piece of code.
#include "compiler/families/vliw/delay_loads.h"

#include <gtest/gtest.h>

#include "tests/unit/vliw/build.h"

namespace covenant::compiler::vliw {
namespace {

using namespace testing;

TEST(DelayLoads, UntilTheirValueIsWanted) {
  const ReservationTable space(hvx(), 0);
  Code code;
  const Name from = code.make(RegisterFile::kScalar), early = code.make(RegisterFile::kScalar),
             late = code.make(RegisterFile::kScalar);
  const std::vector<CodeInstruction> straight{make(kL2LoadriIo, {early, from, 0}), make(kL2LoadriIo, {late, from, 4}),
                                              make(kA2Add, {early, late, early})};
  // The sum wants what both loads make two packets later, and stands in the ninth one.
  const std::vector<Dependence> between{{0, 2, 2, 0}, {1, 2, 2, 0}};
  std::vector<uint32_t> packets{0, 1, 8};
  delay_loads(straight, between, space, 9, packets);
  EXPECT_EQ(packets, (std::vector<uint32_t>{6, 6, 8}));
}

TEST(DelayLoads, AsFarAsPacketsHaveRoom) {
  const ReservationTable space(hvx(), 0);
  Code code;
  const Name from = code.make(RegisterFile::kScalar);
  std::vector<CodeInstruction> straight;
  std::vector<Dependence> between;
  std::vector<Name> vectors;
  for (int32_t i = 0; i < 3; ++i) {
    vectors.push_back(code.make(RegisterFile::kVector));
    straight.push_back(make(kVl32bAi, {vectors.back(), from, i}));
    between.push_back({static_cast<size_t>(i), 3, 1, 0});
  }
  straight.push_back(make(kVaddw, {vectors[0], vectors[1], vectors[2]}));
  std::vector<uint32_t> packets{0, 1, 2, 9};
  delay_loads(straight, between, space, 10, packets);
  EXPECT_EQ(packets, (std::vector<uint32_t>{6, 7, 8, 9})) << "one vector is loaded in a packet";
}

TEST(ReservationTable, FewestPackets) {
  const ReservationTable space(hvx(), 0), alone(hvx(), 1);
  Code code;
  const Name from = code.make(RegisterFile::kScalar), vector = code.make(RegisterFile::kVector);
  std::vector<CodeInstruction> body(6, make(kVrmpyubAcc, {vector, vector, from}));
  EXPECT_EQ(space.least_packets(body), 3U) << "two products a packet";
  EXPECT_EQ(alone.least_packets(body), 6U);
  body.insert(body.end(), 5, make(kVl32bAi, {vector, from, 0}));
  EXPECT_EQ(space.least_packets(body), 5U) << "one load a packet";
  body.insert(body.end(), 13, make(kA2Addi, {from, from, 1}));
  EXPECT_EQ(space.least_packets(body), 6U) << "four instructions a packet";
}

}  // namespace
}  // namespace covenant::compiler::vliw
