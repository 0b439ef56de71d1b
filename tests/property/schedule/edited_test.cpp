/// Schedules with edited sizes and orders are refused, or the values stay those of the reference operators, in the
/// interpreter and as words on the SystemC model.
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <set>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "compiler/reference/evaluate.h"
#include "runtime/session/session.h"
#include "tests/support/pipeline/edited_schedule.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant {
namespace {

using compiler::LayerSchedule;
using test::Graph;
using test::GraphMaker;
using test::ValueId;

Graph random_layer(GraphMaker& maker) {
  const auto size = [&](int64_t least, int64_t most) { return static_cast<uint64_t>(maker.draw(least, most)); };
  const int64_t kind = maker.draw(0, 4);
  if (kind == 2) return maker.finish(maker.gemm(maker.input({size(1, 9), size(1, 70)}), size(1, 40)));
  const ValueId x = maker.input({size(1, 2), size(1, 20), size(5, 13), size(5, 13)});
  switch (kind) {
    case 0:
      return maker.finish(maker.add(x, maker.clip(x)));
    case 1:
      return maker.finish(maker.max_pool(x, maker.draw(2, 4), maker.draw(1, 2), 1));
    default:
      return maker.finish(maker.conv(x, size(1, 20), size(1, 3), maker.draw(1, 2), maker.draw(0, 1)));
  }
}

class Tried {
 public:
  explicit Tried(uint32_t seed) : seed_(seed), random_(seed), maker_(seed, seed % 2 == 0 ? DType::kU8 : DType::kI8) {}

  void run() {
    graph_ = random_layer(maker_);
    for (const ValueId id : graph_.inputs) inputs_.push_back(test::random_input(graph_.get(id), seed_));
    compiler::reference::Tensors values;
    for (const runtime::Tensor& input : inputs_) values[input.name] = {input.dtype, input.shape, input.bytes};
    const auto expected = compiler::reference::evaluate(graph_, values);
    ASSERT_TRUE(expected) << render(expected.error());
    expected_ = expected->at(graph_.get(graph_.outputs[0]).name).bytes;
    const auto machine = acg::load_machine("genesys", {{"M", std::to_string(maker_.draw(3, 9))},
                                                       {"N", "4"},
                                                       {"input_depth", "160"},
                                                       {"weight_depth", "24"},
                                                       {"output_depth", "48"},
                                                       {"vector_depth", "64"}});
    ASSERT_TRUE(machine);
    const std::vector<LayerSchedule> saved = test::searched_schedules(graph_, *machine);
    for (int edit = 0; edit < 6 && !saved.empty(); ++edit) try_edited(saved, *machine);
  }

  std::set<uint64_t> cycles;
  std::set<std::string> codes;
  int accepted = 0;

 private:
  void try_edited(const std::vector<LayerSchedule>& saved, const acg::Machine& machine) {
    compiler::CompileOptions options;
    options.schedules = test::edited(saved, random_);
    const Result<acg::Program> program = compiler::compile_graph(graph_, machine, "layer", options);
    if (!program) {
      codes.insert(program.error().code);
      return;
    }
    ++accepted;
    for (const std::string backend : {"interpret", "systemc"}) {
      const Result<runtime::Session> session = runtime::Session::open(*program, backend);
      ASSERT_TRUE(session) << render(session.error());
      const Result<runtime::RunResult> result = session->run(inputs_, {});
      ASSERT_TRUE(result) << backend << ": " << render(result.error());
      EXPECT_TRUE(result->outputs.at(0).bytes == expected_) << backend;
      if (backend == "systemc") cycles.insert(result->cost.cycles);
    }
  }

  uint32_t seed_;
  std::mt19937 random_;
  GraphMaker maker_;
  Graph graph_;
  std::vector<runtime::Tensor> inputs_;
  std::vector<uint8_t> expected_;
};

TEST(EditedSchedules, ChangeCyclesAndNoValue) {
  const char* seed = std::getenv("COVENANT_SEED");
  const auto first = static_cast<uint32_t>(seed != nullptr ? std::strtoul(seed, nullptr, 10) : 1);
  int accepted = 0;
  int changed = 0;
  std::set<std::string> codes;
  for (uint32_t at = first; at < first + 60; ++at) {
    SCOPED_TRACE("seed " + std::to_string(at));
    Tried tried(at);
    tried.run();
    accepted += tried.accepted;
    changed += tried.cycles.size() > 1 ? 1 : 0;
    codes.merge(tried.codes);
  }
  std::string refusals;
  for (const std::string& code : codes) refusals += " " + code;
  std::printf("%d schedules accepted, %d layers with other cycles, refusals:%s\n", accepted, changed, refusals.c_str());
  EXPECT_GT(accepted, 60);
  EXPECT_GT(changed, 20);
}

}  // namespace
}  // namespace covenant
