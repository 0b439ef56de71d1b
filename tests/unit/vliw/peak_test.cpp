// The multiplications of a packet follow from slots, pipes and capabilities.
#include <gtest/gtest.h>

#include "acg/isa/vliw/packet_peak.h"
#include "tests/unit/vliw/build.h"

namespace covenant::acg {
namespace {

TEST(PacketPeak, TwoSumsOfProducts) { EXPECT_EQ(macs_in_packet(compiler::vliw::testing::hvx()), 2 * 128U); }

TEST(PacketPeak, OneWhereASumTakesBothPipes) {
  Machine machine = compiler::vliw::testing::hvx();
  std::erase_if(machine.mnemonics, [](const Mnemonic& one) {
    return one.does == operation_of(VliwOperation::kVrmpyubAcc) ||
           one.does == operation_of(VliwOperation::kVrmpybusAcc);
  });
  EXPECT_EQ(macs_in_packet(machine), 128U);
}

TEST(PacketPeak, NoneWithoutProducts) {
  Machine machine = compiler::vliw::testing::hvx();
  for (Compute& compute : machine.computes) compute.capabilities.clear();
  EXPECT_EQ(macs_in_packet(machine), 0U);
}

}  // namespace
}  // namespace covenant::acg
