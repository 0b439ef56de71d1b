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

}  // namespace
}  // namespace covenant::rtl
