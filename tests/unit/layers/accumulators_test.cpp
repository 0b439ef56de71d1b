/// Marks of narrow sums on products of two activations.
#include "compiler/layers/accumulators.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/srdfg/accumulators.h"
#include "compiler/srdfg/parse.h"
#include "tests/support/acg/taken.h"

namespace covenant::compiler {
namespace {

/// A product of operands with the zero points 3 and 7, and what reads it.
srdfg::Node marked(std::string_view reader) {
  const std::string text = fmt::format(
      "srdfg \"product\" {{\n"
      "  value %0 \"a\" u8 [1,4,8] input scales=[0x1p-4] zero_points=[3];\n"
      "  value %1 \"b\" u8 [1,8,4] input scales=[0x1p-4] zero_points=[7];\n"
      "  value %2 \"p\" u8 [1,4,4] state scales=[0x1p-4] zero_points=[9];\n"
      "  value %3 \"y\" u8 [1,4,4] output scales=[0x1p-8] zero_points=[9];\n"
      "  inputs %0, %1;\n"
      "  outputs %3;\n"
      "  node \"m\" matmul(%0, %1) -> (%2) {{ highest=255; lowest=0; }}\n"
      "  node \"r\" {} highest=255; lowest=0; }}\n"
      "}}\n",
      reader);
  const acg::Machine machine = test::taken(acg::load_machine("genesys:8x8", {{"accumulator", "16"}}));
  return test::taken(with_accumulators(test::taken(srdfg::parse(text)), machine)).nodes.at(0);
}

int64_t attribute(const srdfg::Node& node, const char* name) { return srdfg::optional_integer(node, name, 0); }

/// Its matrix is the first operand then: 3 less half of the range.
TEST(Accumulators, AProductBesideASoftmaxIsTurned) {
  const srdfg::Node node = marked("softmax(%2) -> (%3) { axis=2;");
  EXPECT_EQ(attribute(node, srdfg::kAccumulator), 16);
  EXPECT_EQ(attribute(node, srdfg::kTurned), 1);
  EXPECT_EQ(attribute(node, srdfg::kZeroPointApart), 3 - 128);
}

TEST(Accumulators, AnotherProductHasTheZeroPointOfItsSecondOperandApart) {
  const srdfg::Node node = marked("clip(%2) -> (%3) {");
  EXPECT_EQ(attribute(node, srdfg::kAccumulator), 16);
  EXPECT_EQ(attribute(node, srdfg::kTurned), 0);
  EXPECT_EQ(attribute(node, srdfg::kZeroPointApart), 7 - 128);
}

}  // namespace
}  // namespace covenant::compiler
