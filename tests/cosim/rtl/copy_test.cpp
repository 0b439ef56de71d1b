/// Transfers between two scratchpads, both models in lock step.
#include <gtest/gtest.h>
#include <vector>

#include "tests/cosim/rtl/lockstep.h"
#include "tests/support/sim/levels.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;
using namespace covenant::sim::testing;

/// Copies that begin and end within an element of the memory that is read.
TEST(Copy, RunsOfEveryAlignment) {
  const acg::Machine machine = machine_with_level(40, 3, 32);
  const Model model = model_of(machine);
  std::vector<uint8_t> data(1000);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 37 + i / 256);
  for (uint32_t from = 0; from < 9; ++from) {
    for (const int32_t run : {1, 5, 26}) {
      Assembly a(machine);
      a.group("DRAM->L2").wait("L2", kFree).load(0, 0, 1000).post("L2", kFull);
      a.group("L2->VMEM1").wait("L2", kFull).wait("VMEM1", kFree).load(from, 0, run);
      a.post("L2", kFree).post("VMEM1", kFull);
      a.group("VMEM1->DRAM").wait("VMEM1", kFull).store(32768, 0, 64).post("VMEM1", kFree).end_block(true);
      EXPECT_EQ(lockstep(model, a.program(), a.image(data)), Outcome::kSame) << from << " " << run;
    }
  }
}

/// Two tiles of one channel, whichever it is: each is read where its buffer begins.
TEST(Copy, TilesOfAnyChannel) {
  const acg::Machine machine = machine_with_level(40, 3, 32);
  const Model model = model_of(machine);
  std::vector<uint8_t> data(2000);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 37 + i / 256);
  for (const int32_t slot : {0, 1, 3}) {
    Assembly a(machine);
    a.group("DRAM->L2").base(kOnchip, 0, slot);
    for (const uint32_t from : {0U, 1000U}) {
      a.wait("L2", kFree, slot).base(kOffchip, from).op(Operation::kLoad, {99}).post("L2", kFull, slot);
    }
    a.group("L2->VMEM1").base(kOffchip, 0, slot);
    a.wait("L2", kFull, slot).wait("VMEM1", kFree).op(Operation::kLoad, {63}).post("L2", kFree, slot);
    a.wait("L2", kFull, slot).base(kOnchip, 64).op(Operation::kLoad, {63}).post("L2", kFree, slot).post("VMEM1", kFull);
    a.group("VMEM1->DRAM").wait("VMEM1", kFull).store(32768, 0, 128).post("VMEM1", kFree).end_block(true);
    EXPECT_EQ(lockstep(model, a.program(), a.image(data)), Outcome::kSame) << slot;
  }
}

}  // namespace
}  // namespace covenant::rtl
