/// Pointers of scalar accesses move on with the loops around them, by whatever the access does not add itself.
#include "compiler/families/vliw/scalar_pointers.h"

#include "tests/unit/vliw/build.h"

namespace covenant::compiler::vliw {
namespace {

using namespace testing;

/// The number added to the pointer at the end of a loop's body; 0 if none is.
int32_t added(const std::vector<CodeStep>& body) {
  if (body.empty()) return 0;
  EXPECT_EQ(body.size(), 1U);
  const CodeInstruction& instruction = std::get<CodeInstruction>(body.front());
  EXPECT_EQ(instruction.instruction.operation, operation_of(kA2Addi));
  return instruction.instruction.operands[2];
}

TEST(ScalarPointers, LoopsAddWhatAccessesDoNot) {
  Writer writer(hvx());
  ScalarPointers pointers(writer);
  pointers.open(5);
  pointers.open(3);
  pointers.open(4);
  // Elements of one byte: rows of 4, three of them 10 apart, five such blocks 32 apart.
  pointers.at({100, {32, 10, 1}}, 1);
  std::vector<CodeStep> inner, middle, outer;
  pointers.close(inner);
  pointers.close(middle);
  pointers.close(outer);
  EXPECT_EQ(added(inner), 0);
  EXPECT_EQ(added(middle), 10 - 4);
  EXPECT_EQ(added(outer), 32 - 30);
}

TEST(ScalarPointers, AnAccessThatAddsNothing) {
  Writer writer(hvx());
  ScalarPointers pointers(writer);
  pointers.at({100, {}}, 0);
  pointers.open(3);
  pointers.open(4);
  pointers.at({100, {36, 9}}, 0);
  std::vector<CodeStep> inner, outer;
  pointers.close(inner);
  pointers.close(outer);
  EXPECT_EQ(added(inner), 9);
  EXPECT_EQ(added(outer), 0);  // one block follows the other
}

}  // namespace
}  // namespace covenant::compiler::vliw
