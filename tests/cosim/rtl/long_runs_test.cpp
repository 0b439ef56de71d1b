/// Runs with the most bytes that a word can express, both models in lock step: counters of a run need one bit more than
/// the field.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "tests/cosim/rtl/lockstep.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;
using namespace covenant::sim::testing;

constexpr int32_t kLongest = 65536;
constexpr uint64_t kCode = 262144;

TEST(LongRuns, AreMovedWhole) {
  const acg::Machine machine = *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}, {"vector_depth", "4096"}});
  const Model model = model_of(machine);
  std::vector<uint8_t> data;
  for (int i = 0; i < kLongest; ++i) data.push_back(static_cast<uint8_t>(i * 73 + i / 251));
  for (const int32_t bytes : {kLongest, kLongest - 1}) {
    Assembly a(machine, kCode);
    a.group("DRAM->VMEM1").wait("VMEM1", kFree).load(0, 0, bytes).post("VMEM1", kFull);
    a.group("VMEM1->DRAM").wait("VMEM1", kFull).store(131072, 0, bytes).post("VMEM1", kFree).end_block(true);
    EXPECT_EQ(lockstep(model, a.program(), a.image(data)), Outcome::kSame) << bytes;
  }
}

}  // namespace
}  // namespace covenant::rtl
