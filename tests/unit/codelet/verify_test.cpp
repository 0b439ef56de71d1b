// Codelets that verify accepts; for those that it refuses see tests/error/codelet.
#include "compiler/codelet/verify.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"

namespace covenant::compiler::codelet {
namespace {

void expect_valid(const std::string& text) {
  const Result<acg::Machine> machine = acg::load_machine("genesys");
  ASSERT_TRUE(machine) << render(machine.error());
  const Result<Codelet> made = parse(text, "test.cdlt");
  ASSERT_TRUE(made) << render(made.error());
  const Status verified = verify(*made, &*machine);
  EXPECT_TRUE(verified) << render(verified.error());
}

TEST(Verify, SiblingsMayShareNames) {
  expect_valid(
      "cdlt c { y=out([2],i32,null); loop n(2) { t=transfer(i32(0),null,[1]); transfer(t,y[n],[1]); }"
      "loop n(2) { t=transfer(i32(0),null,[1]); transfer(t,y[n],[1]); } }");
}

TEST(Verify, LocalsNextToTheirNode) {
  expect_valid(
      "cdlt c { x=inp([16],u8,\"DRAM\"); y=out([16],u8,\"DRAM\"); y1=transfer(u8(0),\"VMEM2\",[16]);"
      "x1=transfer(x,\"VMEM1\",[16]); y1[0]=compute(\"SIMD\",\"MAX\",x1[0],i32(3)); transfer(y1,y,[16]); }");
}

TEST(Verify, UnboundCodelets) {
  expect_valid(
      "cdlt c { N=param(); S=param(); x=inp([N],null,null,fill=S); y=out([N],null,null);"
      "loop n(N) { y[n]=compute(null,\"REQUANT\",x[n],S,lowest=S,highest=S); } }");
}

}  // namespace
}  // namespace covenant::compiler::codelet
