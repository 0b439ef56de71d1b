/// The text that every pass prints, and that compilation stops where requested.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/stages.h"
#include "compiler/families/vliw/target.h"
#include "tests/support/folders.h"

namespace covenant::compiler {
namespace {

const std::string kModel = source_folder() + "/examples/01_digits/digits_qdq.onnx";

/// Those of all families but the other ones' own.
std::vector<std::string> stages_without(const std::vector<std::string>& others) {
  std::vector<std::string> names = stage_names();
  for (const std::string& other : others) std::erase(names, other);
  return names;
}

TEST(Emit, EveryPassPrintsSomethingOfItsOwn) {
  const Result<acg::Machine> machine = acg::load_machine("genesys");
  std::string before;
  for (const std::string& pass : stages_without(vliw::stages())) {
    const Result<std::string> text = emit(kModel, *machine, pass);
    ASSERT_TRUE(text) << pass << ": " << render(text.error());
    EXPECT_FALSE(text->empty()) << pass;
    EXPECT_NE(*text, before) << pass;
    before = *text;
  }
}

TEST(Emit, PassesAreReportedInTheirOrder) {
  const Result<acg::Machine> machine = acg::load_machine("genesys");
  std::vector<std::string> seen;
  CompileOptions options;
  options.after_stage = [&](std::string_view pass, const StageText&) { seen.emplace_back(pass); };
  EXPECT_TRUE(compile(kModel, *machine, options));
  EXPECT_EQ(seen, stages_without(vliw::stages()));
}

TEST(Emit, MistakesCarryTheModelsPath) {
  const Result<acg::Machine> machine = acg::load_machine("genesys");
  const Result<acg::Program> program = compile("no/such/model.onnx", *machine);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().where.file, "no/such/model.onnx");
}

}  // namespace
}  // namespace covenant::compiler
