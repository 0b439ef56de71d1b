/// Schedules that do not suit their model: refused at their place, with the allowed values.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/benchmarks/compile_layer.h"
#include "compiler/driver/pipeline.h"
#include "compiler/lowerings/makers.h"
#include "compiler/schedule/parse.h"
#include "compiler/schedule/pinned.h"
#include "tests/support/folders.h"
#include "tests/support/pipeline/pair_machine.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::compiler {
namespace {

using test::GraphMaker;

acg::Machine machine_of(const std::vector<std::pair<std::string, std::string>>& settings) {
  const Result<acg::Machine> machine = acg::load_machine("genesys", settings);
  check(static_cast<bool>(machine), "a machine of ours loads");
  return *machine;
}

CompileOptions pinning(const std::string& text) {
  const auto schedules = parse_schedules(text, "my.schedule");
  check(static_cast<bool>(schedules), schedules ? "" : render(schedules.error()));
  CompileOptions options;
  options.schedules = *schedules;
  return options;
}

/// A convolution "conv0" of 10 x 10 x 8 -> 10 x 10 x 16 by 3 x 3, on 4 x 4 elements: loops oc 4, oh 10, ow 10, ic 2, kh
/// 3, kw 3. It reads the model's input.
Result<acg::Program> compiled(const std::string& text,
                              const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  std::vector<std::pair<std::string, std::string>> all{{"M", "4"}, {"N", "4"}};
  all.insert(all.end(), settings.begin(), settings.end());
  GraphMaker maker(3, DType::kU8);
  const auto graph = maker.finish(maker.conv(maker.input({1, 8, 10, 10}), 16, 3, 1, 1));
  return compile_graph(graph, machine_of(all), "model", pinning(text));
}

template <typename Made>
void expect_refused(const Result<Made>& made, const std::string& code, uint32_t line, uint32_t column,
                    const std::string& offending, const std::vector<std::string>& allowed, const std::string& fix) {
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, code) << render(made.error());
  EXPECT_EQ(made.error().where, (SourceLocation{"my.schedule", line, column})) << render(made.error());
  EXPECT_EQ(made.error().offending, offending);
  EXPECT_EQ(made.error().allowed, allowed) << render(made.error());
  EXPECT_NE(made.error().fix.find(fix), std::string::npos) << made.error().fix;
}

std::string plain(const std::string& rest) { return "layer \"conv0\" {\n  lowering \"plain\";\n  " + rest + "\n}\n"; }

TEST(ScheduleError, WhatFitsIsTaken) {
  const auto made = compiled(plain("tile oc 2 of 4; tile oh 3; order ow, oc, oh;"));
  EXPECT_TRUE(made) << render(made.error());
}

TEST(ScheduleError, Layers) {
  expect_refused(compiled("layer \"conv1\" { lowering \"plain\"; }"), "SCH0010", 1, 7, "conv1", {"conv0"}, "conv0");
  expect_refused(compiled(plain("") + plain("")), "SCH0003", 5, 7, "conv0", {}, "one");
  expect_refused(compiled("layer \"conv0\" {\n  lowering \"row\"; }"), "SCH0011", 2, 12, "row", {"plain", "rows"},
                 "rows");
}

/// A lowering that wants the channels of its result in tiles, which no layer can write.
std::vector<Lowering> in_tiles(const Network& network, const TensorUses& uses, size_t index,
                               const acg::Machine& machine) {
  Lowering tiled = plain_lowerings(network, uses, index, machine).front();
  tiled.name = "tiles";
  Storage storage = network.activations[network.layers[index].activations.at("y")].storage;
  storage.dimensions[1].strides = {{4, 1000}, {4, 1}};
  tiled.storages["y"] = storage;
  return {tiled};
}

TEST(ScheduleError, LoweringsForWhichTensorsCannotLie) {
  GraphMaker maker(3, DType::kU8);
  const auto graph = maker.finish(maker.conv(maker.input({1, 8, 10, 10}), 16, 3, 1, 1));
  CompileOptions options = pinning("layer \"conv0\" { lowering \"tiles\"; }");
  options.makers = {plain_lowerings, in_tiles};
  const Result<acg::Program> made = compile_graph(graph, machine_of({{"M", "4"}, {"N", "4"}}), "model", options);
  expect_refused(made, "SCH0011", 1, 26, "tiles", {"plain"}, "allowed");
  EXPECT_NE(made.error().message.find("lie as it needs"), std::string::npos) << render(made.error());
}

TEST(ScheduleError, Loops) {
  const std::vector<std::string> loops{"n", "oc", "oh", "ow", "ic", "kh", "kw"};
  expect_refused(compiled(plain("tile rows 1;")), "SCH0012", 3, 8, "rows", loops, "allowed");
  expect_refused(compiled(plain("tile oh 1; tile oh 2;")), "SCH0003", 3, 19, "oh", {}, "one");
}

TEST(ScheduleError, Sizes) {
  expect_refused(compiled(plain("tile oh 5 of 12;")), "SCH0014", 3, 8, "12", {"10"}, "choose");
  expect_refused(compiled(plain("tile oh 11;")), "SCH0013", 3, 8, "11", {"1 to 10"}, "choose");
  expect_refused(compiled(plain("tile oc 3;")), "SCH0013", 3, 8, "3", {"1", "2", "4"}, "choose");
}

TEST(ScheduleError, LoopsThatCannotBeSplit) {
  GraphMaker maker(3, DType::kU8);
  const auto graph = maker.finish(maker.max_pool(maker.input({1, 8, 9, 9}), 3, 2, 0));
  const auto options = pinning("layer \"max_pool0\" { lowering \"plain\"; tile kh 1; }");
  expect_refused(Result<acg::Program>(compile_graph(graph, machine_of({}), "model", options)), "SCH0013", 1, 44, "1",
                 {"3"}, "tile kh 3");
}

/// For a result whose rows are written past their ends.
TEST(ScheduleError, LoopsThatWriteOverOneAnother) {
  TileProblem problem;
  for (const char* variable : {"f", "c"}) {
    problem.loops.push_back({.variable = variable, .trips = 4, .in_order = true});
  }
  problem.loops[0].is_one_by_one = true;
  problem.shared = 2;
  const auto pinned = [&](const std::string& text) { return pinned_by(pinning(text).schedules.front(), problem); };
  EXPECT_TRUE(pinned(plain("tile f 1; order f, c;")));
  EXPECT_TRUE(pinned(plain("tile c 2;"))) << "the rows of a tile are written in order";
  expect_refused(pinned(plain("tile f 2;")), "SCH0013", 3, 8, "2", {"1"}, "tile f 1");
  expect_refused(pinned(plain("order c, f;")), "SCH0015", 3, 9, "c, f", {"f", "c"}, "their order");
}

TEST(ScheduleError, Orders) {
  const std::vector<std::string> loops{"oc", "oh", "ow"};
  expect_refused(compiled(plain("order oh, ow;")), "SCH0015", 3, 9, "oh, ow", loops, "order");
  expect_refused(compiled(plain("order oh, ow, oh;")), "SCH0015", 3, 9, "oh, ow, oh", loops, "order");
  expect_refused(compiled(plain("order oh, ow, oc, kh;")), "SCH0015", 3, 9, "oh, ow, oc, kh", loops, "order");
}

TEST(ScheduleError, Cuts) {
  const std::vector<std::string> loops{"n", "oc", "oh", "ow"};
  expect_refused(compiled(plain("split kh at 1 {}")), "SCH0012", 3, 9, "kh", loops, "");
  expect_refused(compiled(plain("split oh at 10 {}")), "SCH0018", 3, 9, "10", {"1 to 9"}, "split");
  expect_refused(compiled(plain("split oh at 6 on SA2 {}")), "SCH0020", 3, 20, "SA2", {"SA, SIMD"}, "leave");
  expect_refused(compiled(plain("split oh at 6 { tile oh 5; }")), "SCH0013", 3, 24, "5", {"1 to 4"}, "choose");
  expect_refused(compiled(plain("tile oh 4 of 10; split oh at 4 {}")), "SCH0014", 3, 8, "10", {"4"}, "choose");
}

TEST(ScheduleError, CutsBetweenTheResultsOfTwoNodes) {
  GraphMaker maker(3, DType::kU8);
  const auto graph = maker.finish(maker.clip(maker.input({1, 16, 5, 5})));
  const acg::Machine machine = test::pair_machine({});
  const auto made = [&](const std::string& split) -> Result<acg::Program> {
    return compile_graph(graph, machine, "model", pinning("layer \"clip0\" { lowering \"plain\"; " + split + " }"));
  };
  expect_refused(made("split c at 2 on SIMD2, SIMD2 {}"), "SCH0021", 1, 41, "c", {}, "outermost");
  const auto along_the_pixels = made("split p at 12 on SIMD2, SIMD2 {}");
  EXPECT_TRUE(along_the_pixels) << render(along_the_pixels.error());
}

/// 12 x 12 pixels of 8 channels are 1,152 bytes; one buffer has 96 units of 4.
TEST(ScheduleError, TilesThatDoNotFit) {
  const auto made =
      compiled(plain("tile oh 10; tile ow 10; tile ic 2; tile kh 3; tile kw 3;"), {{"input_depth", "96"}});
  expect_refused(made, "SCH0016", 1, 7, "1152 bytes", {"384 bytes or fewer"}, "oh, ow, ic, kh, kw");
  EXPECT_NE(made.error().message.find("IBUF"), std::string::npos);
  EXPECT_EQ(made.error().subject, "conv0");
}

TEST(ScheduleError, TilesThatCannotBeExpressed) {
  GraphMaker maker(3, DType::kU8);
  const auto graph = maker.finish(maker.clip(maker.input({1, 4, 300, 300})));
  const auto options = pinning("layer \"clip0\" { lowering \"plain\"; tile p 1; }");
  expect_refused(Result<acg::Program>(compile_graph(graph, machine_of({}), "model", options)), "SCH0017", 1, 7,
                 "loop p turns more than 65536 times", {}, "other tiles");
}

/// If nothing fits, no schedule is to blame.
TEST(ScheduleError, AMachineThatIsTooSmall) {
  GraphMaker maker(3, DType::kU8);
  const auto graph = maker.finish(maker.mean(maker.input({1, 8, 9, 9})));
  const auto options = pinning("layer \"global_average_pool0\" { lowering \"plain\"; tile c 1; }");
  const auto made = compile_graph(graph, machine_of({{"vector_depth", "1"}}), "model", options);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "CDL0051");
}

/// Schedules of fused layers, for the digits model.
Result<acg::Program> digits(const std::string& schedule, bool fusion = true) {
  CompileOptions options = pinning(schedule);
  options.fusion = fusion;
  return compile(source_folder() + "/examples/01_digits/digits_qdq.onnx", machine_of({}), options);
}

std::string plainly(const std::string& layer) { return "layer \"" + layer + "\" { lowering \"plain\"; }\n"; }

TEST(ScheduleError, FusedLayers) {
  const auto pinned = digits(plainly("conv2+add"));
  ASSERT_TRUE(pinned) << render(pinned.error());
  EXPECT_EQ(pinned->blocks.at(1).layer, "conv2+add");
  // A schedule of its own keeps a layer on its own.
  for (const std::string layer : {"conv2", "add"}) {
    const auto apart = digits(plainly(layer));
    ASSERT_TRUE(apart) << render(apart.error());
    EXPECT_EQ(apart->blocks.at(1).layer, "conv2");
    EXPECT_EQ(apart->blocks.at(2).layer, "add");
  }
  const auto refuse = [](const Result<acg::Program>& made, const std::string& offending, const std::string& reason) {
    expect_refused(made, "SCH0019", 1, 7, offending, {}, "schedule of its own");
    EXPECT_NE(made.error().message.find(reason), std::string::npos) << made.error().message;
  };
  refuse(digits(plainly("conv2+pool")), "conv2+pool", "the second alone must read");
  refuse(digits(plainly("conv2+add"), false), "conv2+add", "layers may be fused");
  refuse(digits(plainly("conv2+add+pool")), "conv2+add+pool", "CDL0080");
  expect_refused(digits(plainly("conv2+add") + plainly("add")), "SCH0003", 2, 7, "add", {}, "one");
  EXPECT_EQ(digits(plainly("conv2+nothing")).error().code, "SCH0010");
}

TEST(ScheduleError, LayersOfTheTable) {
  const auto made =
      compile_layer("DLRM/FC4", machine_of({}), {}, pinning("layer \"DLRM/FC6\" { lowering \"plain\"; }"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "SCH0010");
  EXPECT_EQ(made.error().allowed.size(), 17U);
  const auto other = compile_layer("DLRM/FC4", machine_of({}), {}, pinning("layer \"DLRM/FC2\" { lowering \"no\"; }"));
  EXPECT_TRUE(other);
}

}  // namespace
}  // namespace covenant::compiler
