/// A schedule that was saved and is pinned gives the program that the search gave, word for word and byte for byte.
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/benchmarks/compile_layer.h"
#include "compiler/schedule/parse.h"
#include "tests/support/folders.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::compiler {
namespace {

using Compile = std::function<Result<acg::Program>(const CompileOptions&)>;

acg::Machine machine_of(const std::string& name) {
  const Result<acg::Machine> machine = acg::load_machine(name, {});
  check(static_cast<bool>(machine), "a machine of ours loads");
  return *machine;
}

struct Compiled {
  acg::Program program;
  std::string schedule;
};

Compiled compiled(const Compile& compile, CompileOptions options) {
  Compiled made;
  options.after_stage = [&](std::string_view pass, const compiler::StageText& text) {
    if (pass == "scheduled") made.schedule = text.whole();
  };
  const Result<acg::Program> program = compile(options);
  EXPECT_TRUE(program) << render(program.error());
  if (program) made.program = *program;
  return made;
}

void expect_same_when_pinned(const Compile& compile) {
  const Compiled searched = compiled(compile, {});
  CompileOptions options;
  const auto read = parse_schedules(searched.schedule, "saved.schedule");
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_FALSE(read->empty());
  options.schedules = *read;
  const Compiled pinned = compiled(compile, options);
  EXPECT_TRUE(pinned.program == searched.program);
  EXPECT_EQ(pinned.schedule, searched.schedule);
}

TEST(SavedSchedules, OfEveryBenchmarkLayerGiveTheSameProgram) {
  for (const std::string name : {"genesys:03", "dnnweaver"}) {
    const acg::Machine machine = machine_of(name);
    for (const BenchmarkLayer& layer : benchmark_layers()) {
      SCOPED_TRACE(layer.name + " on " + name);
      expect_same_when_pinned([&](const CompileOptions& o) { return compile_layer(layer.name, machine, {}, o); });
    }
  }
}

TEST(SavedSchedules, OfTheDigitsModelsGiveTheSameProgram) {
  for (const std::string style : {"qdq", "qoperator"}) {
    const std::string model = source_folder() + "/examples/01_digits/digits_" + style + ".onnx";
    for (const std::string name : {"genesys:8x8", "genesys:16x16", "genesys:8x24"}) {
      SCOPED_TRACE(fmt::format("{} on {}", style, name));
      const acg::Machine machine = machine_of(name);
      expect_same_when_pinned([&](const CompileOptions& o) { return compile(model, machine, o); });
    }
  }
}

TEST(Threads, DoNotChangeTheProgram) {
  for (const std::string style : {"qdq", "qoperator"}) {
    const std::string model = source_folder() + "/examples/01_digits/digits_" + style + ".onnx";
    const acg::Machine machine = machine_of("genesys:16x16");
    const auto on_threads = [&](size_t threads) {
      CompileOptions options;
      options.threads = threads;
      return compiled([&](const CompileOptions& o) { return compile(model, machine, o); }, options);
    };
    const Compiled one = on_threads(1);
    const Compiled four = on_threads(4);
    EXPECT_TRUE(one.program == four.program) << style;
    EXPECT_EQ(one.schedule, four.schedule) << style;
  }
}

/// One layer is pinned into what it would not have been, all others stay.
TEST(SavedSchedules, LayersThatAreNotNamedAreSearched) {
  const std::string model = source_folder() + "/examples/01_digits/digits_qdq.onnx";
  const acg::Machine machine = machine_of("genesys");
  const Compile compiles = [&](const CompileOptions& o) { return compile(model, machine, o); };
  const Compiled searched = compiled(compiles, {});
  CompileOptions options;
  options.schedules =
      *parse_schedules("layer \"conv2+add\" { lowering \"plain\"; tile oh 2; tile ow 2; order ow, oh; }", "");
  const Compiled pinned = compiled(compiles, options);
  const auto before = *parse_schedules(searched.schedule, "");
  const auto after = *parse_schedules(pinned.schedule, "");
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    SCOPED_TRACE(before[i].layer);
    const bool is_pinned = before[i].layer == "conv2+add";
    EXPECT_EQ(before[i].order == after[i].order, !is_pinned);
    for (size_t t = 0; t < before[i].tiles.size(); ++t) {
      const std::string& loop = before[i].tiles[t].loop;
      const bool is_named = is_pinned && (loop == "oh" || loop == "ow");
      if (is_named || !is_pinned) {
        EXPECT_EQ(after[i].tiles[t].size, is_named ? 2 : before[i].tiles[t].size);
      }
    }
  }
  EXPECT_FALSE(pinned.program == searched.program);
}

/// ONNX allows it: the schedules of such layers are taken in their order.
TEST(SavedSchedules, OfLayersOfOneNameGiveTheSameProgram) {
  test::GraphMaker maker(1, DType::kU8);
  test::Graph graph = maker.finish(maker.max_pool(maker.max_pool(maker.input({1, 8, 40, 40}), 2, 2, 0), 2, 2, 0));
  for (srdfg::Node& node : graph.nodes) node.name = "pool";
  const acg::Machine machine = machine_of("genesys:8x8");
  const Compile compiles = [&](const CompileOptions& o) { return compile_graph(graph, machine, "pools", o); };
  expect_same_when_pinned(compiles);
  const std::string head = "layer \"pool\" { lowering \"plain\"; tile oh ";
  CompileOptions options;
  options.schedules = *parse_schedules(head + "4; }" + head + "5; }", "");
  const auto pinned = *parse_schedules(compiled(compiles, options).schedule, "");
  EXPECT_EQ(pinned.at(0).tiles.at(0).size, 4);
  EXPECT_EQ(pinned.at(1).tiles.at(0).size, 5);
}

}  // namespace
}  // namespace covenant::compiler
