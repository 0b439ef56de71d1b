/// Operands of a codelet go to the memories that have channels for them.
#include "compiler/codelet/operand_paths.h"

#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"

namespace covenant::compiler {
namespace {

class Operands : public ::testing::Test {
 protected:
  std::string memory_of(const std::string& tensor, size_t position) {
    const OperandPath path = paths_.to_node(tensor, home_, lanes_, position, vector_);
    return path.is_there ? acg::get(machine_, path.memories.back()).name : "nowhere";
  }

  acg::Machine machine_ = *acg::load_machine("genesys", {});
  acg::MemoryId home_ = acg::outermost_memory(machine_);
  acg::ComputeId lanes_ = *acg::find_compute(machine_, "SIMD");
  acg::MemoryId first_ = *acg::find_memory(machine_, "VMEM1");
  uint64_t vector_ = acg::get(machine_, first_).unit_bytes();
  OperandPaths paths_{machine_};
};

TEST_F(Operands, OneMoreThanThereAreChannelsLiesElsewhere) {
  const uint32_t channels = acg::get(machine_, first_).channels;
  for (uint32_t i = 0; i < channels; ++i) EXPECT_EQ(memory_of("x" + std::to_string(i), 0), "VMEM1") << i;
  EXPECT_EQ(memory_of("more", 0), "VMEM2");
  EXPECT_EQ(memory_of("x0", 0), "VMEM1") << "it is there";
  EXPECT_EQ(memory_of("more", 0), "VMEM2") << "as before";
  EXPECT_EQ(memory_of("x0", 1), "VMEM2") << "as another operand it has a local of its own";
}

TEST_F(Operands, WhereNoMemoryHasChannelsTheFirstIsTaken) {
  for (int i = 0; i < 64; ++i) memory_of("x" + std::to_string(i), 0);
  EXPECT_EQ(memory_of("more", 0), "VMEM1");
}

TEST_F(Operands, AResultTakesAChannel) {
  const acg::MemoryId last = *acg::find_memory(machine_, "VMEM2");
  const uint32_t channels = acg::get(machine_, last).channels;
  const OperandPath path = paths_.from_node("y", home_, lanes_, vector_);
  ASSERT_EQ(acg::get(machine_, path.memories.front()).name, "VMEM2");
  for (uint32_t i = 0; i < 2 * channels; ++i) {
    EXPECT_EQ(memory_of("x" + std::to_string(i), 0), i < channels || i == 2 * channels - 1 ? "VMEM1" : "VMEM2") << i;
  }
}

}  // namespace
}  // namespace covenant::compiler
