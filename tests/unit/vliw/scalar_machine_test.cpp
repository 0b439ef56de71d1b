/// The machine hvx without vectors.
#include "compiler/families/vliw/scalar_machine.h"

#include <algorithm>

#include "tests/unit/vliw/build.h"

namespace covenant::compiler::vliw {
namespace {

using namespace testing;

size_t products(const acg::Compute& node) {
  return static_cast<size_t>(std::count_if(node.capabilities.begin(), node.capabilities.end(),
                                           [](const acg::Capability& one) { return one.name == "GEMM"; }));
}

TEST(ScalarMachine, ScalarNodesAloneCanDoSomething) {
  const acg::Machine machine = with_scalars_alone(hvx());
  ASSERT_EQ(machine.computes.size(), hvx().computes.size());
  for (const acg::Compute& node : machine.computes) {
    EXPECT_EQ(node.capabilities.empty(), !is_scalar(node, hvx())) << node.name;
    EXPECT_EQ(products(node), is_scalar(node, hvx()) ? 4U : 0U) << node.name;
  }
}

TEST(ScalarMachine, ProductsNeedAMultiplicationThatAdds) {
  acg::Machine machine = hvx();
  for (acg::Compute& node : machine.computes) {
    std::erase_if(node.capabilities, [](const acg::Capability& one) { return one.name == "MAC"; });
  }
  for (const acg::Compute& node : with_scalars_alone(machine).computes) EXPECT_EQ(products(node), 0U) << node.name;
}

}  // namespace
}  // namespace covenant::compiler::vliw
