/// Random layers on machines of many shapes: the words on the SystemC model, the scheduled codelets in the interpreter
/// and the reference operators give the same bytes, in every tensor between layers too.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "compiler/operators/verify.h"
#include "compiler/reference/evaluate.h"
#include "runtime/session/image.h"
#include "runtime/session/session.h"
#include "tests/support/folders.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant {
namespace {

using test::Graph;
using test::GraphMaker;
using test::ValueId;
using Settings = std::vector<std::pair<std::string, std::string>>;

const std::vector<Settings>& machines() {
  static const std::vector<Settings> all{
      {{"M", "16"}, {"N", "16"}},
      {{"M", "8"}, {"N", "8"}, {"axi", "64"}},
      {{"M", "32"}, {"N", "32"}, {"axi", "512"}},
      {{"M", "8"}, {"N", "24"}},
      {{"M", "20"}, {"N", "12"}, {"axi", "64"}},
      {{"M", "3"}, {"N", "5"}, {"axi", "512"}},
      {{"M", "1"}, {"N", "1"}, {"axi", "32"}},
      {{"M", "4"},
       {"N", "4"},
       {"input_depth", "96"},
       {"weight_depth", "16"},
       {"output_depth", "24"},
       {"vector_depth", "48"},
       {"bias_depth", "2"}},
      {{"M", "6"},
       {"N", "10"},
       {"input_depth", "150"},
       {"weight_depth", "27"},
       {"output_depth", "40"},
       {"vector_depth", "64"},
       {"bias_depth", "1"},
       {"axi_weight", "32"}},
  };
  return all;
}

std::string text_of(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += fmt::format("{}={} ", name, value);
  return text;
}

/// True if later layers write to the bytes of the segment.
bool is_shared(const acg::Program& program, const acg::Segment& segment) {
  return std::any_of(program.segments.begin(), program.segments.end(), [&](const acg::Segment& other) {
    return &other != &segment && other.address < segment.address + segment.size &&
           segment.address < other.address + other.size;
  });
}

/// Every tensor that a layer makes, cut out of a memory image where it lies there.
void expect_results(const acg::Program& program, const std::vector<acg::BlockResult>& results,
                    const compiler::reference::Tensors& expected, const std::vector<uint8_t>& memory) {
  size_t compared = 0;
  for (const acg::BlockResult& result : results) {
    const auto known = expected.find(result.tensor.name);
    const auto segment = std::ranges::find_if(program.segments, [&](const acg::Segment& one) {
      return one.address <= result.tensor.address && result.tensor.address < one.address + one.size;
    });
    ASSERT_NE(segment, program.segments.end()) << result.tensor.name;
    if (known == expected.end() || is_shared(program, *segment)) continue;
    EXPECT_EQ(runtime::tensor_in(result.tensor, memory).bytes, known->second.bytes) << result.tensor.name;
    ++compared;
  }
  EXPECT_GT(compared, 0U) << "at least the output is a tensor of the model";
}

void expect_same_everywhere(const Graph& graph, const std::string& spec, const Settings& settings, uint32_t seed) {
  const Status verified = compiler::operators::verify_normalized(graph);
  ASSERT_TRUE(verified) << render(verified.error());
  const Result<acg::Machine> machine = acg::load_machine(spec, settings);
  ASSERT_TRUE(machine) << render(machine.error());
  std::vector<acg::BlockResult> results;
  compiler::CompileOptions options;
  options.after_emission = [&](const std::vector<acg::BlockResult>& made) { results = made; };
  const Result<acg::Program> program = compiler::compile_graph(graph, *machine, "random", options);
  ASSERT_TRUE(program) << render(program.error());

  const runtime::Tensor input = test::random_input(graph.get(graph.inputs[0]), seed + 1);
  compiler::reference::Tensors inputs;
  inputs[input.name] = {input.dtype, input.shape, input.bytes};
  const auto expected = compiler::reference::evaluate_all(graph, inputs);
  ASSERT_TRUE(expected) << render(expected.error());

  std::vector<std::vector<uint8_t>> images;
  for (const std::string backend : {"systemc", "interpret"}) {
    SCOPED_TRACE(backend);
    const Result<runtime::Session> session = runtime::Session::open(*program, backend);
    ASSERT_TRUE(session) << render(session.error());
    const Result<runtime::RunResult> result = session->run({input}, {{}, true});
    ASSERT_TRUE(result) << render(result.error());
    const auto& output = expected->at(graph.get(graph.outputs[0]).name);
    EXPECT_EQ(result->outputs.at(0).bytes, output.bytes);
    expect_results(*program, results, *expected, result->memory);
    images.push_back(result->memory);
  }
  for (const acg::Segment& segment : program->segments) {
    const auto first = static_cast<int64_t>(segment.address);
    const auto end = first + static_cast<int64_t>(segment.size);
    EXPECT_TRUE(std::equal(images[0].begin() + first, images[0].begin() + end, images[1].begin() + first))
        << "padding of " << segment.name << " differs between the backends";
  }
}

/// On every machine `graphs` random graphs, of both element types.
void try_all(uint32_t first_seed, int graphs, const std::function<Graph(GraphMaker&)>& make) {
  uint32_t seed = first_seed;
  for (const Settings& settings : machines()) {
    for (int i = 0; i < graphs; ++i, ++seed) {
      SCOPED_TRACE("machine " + text_of(settings) + "seed " + std::to_string(seed));
      GraphMaker maker(seed, seed % 2 == 0 ? DType::kU8 : DType::kI8);
      expect_same_everywhere(make(maker), "genesys", settings, seed);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

std::vector<uint64_t> image(GraphMaker& maker) {
  return {static_cast<uint64_t>(maker.draw(1, 2)), static_cast<uint64_t>(maker.draw(1, 20)),
          static_cast<uint64_t>(maker.draw(3, 9)), static_cast<uint64_t>(maker.draw(3, 9))};
}

TEST(RandomLayers, Conv) {
  try_all(1000, 12, [](GraphMaker& maker) {
    const ValueId x = maker.input(image(maker));
    const auto kernel = static_cast<uint64_t>(maker.draw(1, 3));
    const int64_t pad = maker.draw(0, static_cast<int64_t>(kernel) - 1);
    const auto outputs = static_cast<uint64_t>(maker.draw(1, 40));
    return maker.finish(maker.conv(x, outputs, kernel, maker.draw(1, 2), pad, maker.draw(0, 1) == 1));
  });
}

TEST(RandomLayers, Gemm) {
  try_all(2000, 8, [](GraphMaker& maker) {
    const ValueId x = maker.input({static_cast<uint64_t>(maker.draw(1, 9)), static_cast<uint64_t>(maker.draw(1, 90))});
    return maker.finish(maker.gemm(x, static_cast<uint64_t>(maker.draw(1, 50))));
  });
}

TEST(RandomLayers, Add) {
  try_all(3000, 5, [](GraphMaker& maker) {
    const ValueId x = maker.input(image(maker));
    const auto channels = static_cast<uint64_t>(maker.draw(1, 20));
    return maker.finish(maker.add(maker.conv(x, channels, 1, 1, 0), maker.conv(x, channels, 3, 1, 1)));
  });
}

TEST(RandomLayers, MaxPool) {
  try_all(4000, 8, [](GraphMaker& maker) {
    const ValueId x = maker.input(image(maker));
    const int64_t kernel = maker.draw(1, 3);
    return maker.finish(maker.max_pool(x, kernel, maker.draw(1, 2), maker.draw(0, kernel - 1)));
  });
}

TEST(RandomLayers, Mean) {
  try_all(5000, 6, [](GraphMaker& maker) { return maker.finish(maker.mean(maker.input(image(maker)))); });
}

TEST(RandomLayers, Clip) {
  try_all(6000, 4, [](GraphMaker& maker) { return maker.finish(maker.clip(maker.input(image(maker)))); });
}

TEST(RandomLayers, FlattenedGemm) {
  try_all(7000, 6, [](GraphMaker& maker) {
    const ValueId x = maker.input(image(maker));
    return maker.finish(maker.gemm(maker.flatten(x), static_cast<uint64_t>(maker.draw(1, 20))));
  });
}

TEST(RandomLayers, WholeNetwork) {
  try_all(8000, 6, [](GraphMaker& maker) {
    ValueId x = maker.input({static_cast<uint64_t>(maker.draw(1, 2)), static_cast<uint64_t>(maker.draw(1, 9)), 8, 8});
    const auto channels = static_cast<uint64_t>(maker.draw(3, 18));
    const ValueId stem = maker.conv(x, channels, 3, 1, 1);
    x = maker.add(maker.conv(stem, channels, 3, 1, 1), stem);
    x = maker.clip(maker.max_pool(x, 2, 2, 0));
    x = maker.conv(x, static_cast<uint64_t>(maker.draw(1, 30)), 3, 2, 1);
    if (maker.draw(0, 1) == 1) x = maker.mean(x);
    x = maker.gemm(maker.flatten(x), static_cast<uint64_t>(maker.draw(1, 20)));
    return maker.finish(x);
  });
}

/// An array of one column, few lanes, and one scratchpad for everything.
TEST(RandomLayers, OneColumnAndOneScratchpad) {
  const std::vector<Settings> settings{{{"K", "8"}, {"L", "4"}},
                                       {{"K", "4"}, {"L", "1"}},
                                       {{"K", "12"}, {"L", "2"}},
                                       {{"K", "8"}, {"L", "4"}, {"DEPTH", "400"}}};
  uint32_t seed = 9000;
  for (const Settings& setting : settings) {
    for (int i = 0; i < 6; ++i, ++seed) {
      SCOPED_TRACE("machine " + text_of(setting) + "seed " + std::to_string(seed));
      GraphMaker maker(seed, seed % 2 == 0 ? DType::kU8 : DType::kI8);
      ValueId x = maker.input(image(maker));
      const auto channels = static_cast<uint64_t>(maker.draw(1, 18));
      x = maker.add(maker.conv(x, channels, 1, 1, 0), maker.conv(x, channels, 3, 1, 1));
      x = maker.draw(0, 1) == 1 ? maker.mean(x) : maker.max_pool(x, 2, 1, 0);
      x = maker.gemm(maker.flatten(x), static_cast<uint64_t>(maker.draw(1, 20)));
      expect_same_everywhere(maker.finish(x), source_folder() + "/examples/02_your_machine/pebble.acg", setting, seed);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace covenant
