// With any optimisations disabled, random products and convolutions give the bytes of the reference: on our core, in
// the interpreter, and in QEMU.
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <unistd.h>

#include "acg/lang/load.h"
#include "acg/program/packet_program.h"
#include "compiler/benchmarks/layer_graph.h"
#include "compiler/driver/pipeline.h"
#include "compiler/reference/evaluate.h"
#include "rtl/cosim/process.h"
#include "runtime/session/boundary.h"
#include "runtime/session/session.h"
#include "tests/property/acg/random_source.h"

namespace covenant {
namespace {

using acg::testing::RandomSource;
using compiler::BenchmarkKind;
using compiler::BenchmarkLayer;
using compiler::srdfg::Graph;

constexpr int kLayers = 4;  // layers of each kind

uint64_t drawn(RandomSource& random, int64_t lowest, int64_t highest) {
  return static_cast<uint64_t>(random.between(lowest, highest));
}

BenchmarkLayer product(RandomSource& random) {
  BenchmarkLayer layer;
  layer.name = "product";
  layer.heads = drawn(random, 1, 2);
  layer.m = drawn(random, 1, 6);
  layer.k = drawn(random, 1, 48);
  layer.n = drawn(random, 1, 150);
  return layer;
}

/// Square, with padding as often as not.
BenchmarkLayer convolution(RandomSource& random) {
  BenchmarkLayer layer;
  layer.name = "convolution";
  layer.kind = BenchmarkKind::kConv;
  layer.batch = drawn(random, 1, 2);
  layer.kernel = drawn(random, 1, 4);
  layer.stride = drawn(random, 1, 2);
  layer.pad = drawn(random, 0, static_cast<int64_t>(layer.kernel) - 1);
  layer.input_rows = drawn(random, 5, 7);
  layer.input_columns = drawn(random, 5, 7);
  layer.output_rows = (layer.input_rows + 2 * layer.pad - layer.kernel) / layer.stride + 1;
  layer.output_columns = (layer.input_columns + 2 * layer.pad - layer.kernel) / layer.stride + 1;
  layer.in_channels = drawn(random, 1, 12);
  layer.out_channels = drawn(random, 1, 80);
  return layer;
}

/// The layer, its inputs signed or not.
Graph graph_of(const BenchmarkLayer& layer, DType inputs) {
  Graph graph = benchmark_graph(layer);
  graph.values.at(graph.inputs.at(0).value).dtype = inputs;
  return graph;
}

runtime::Tensor random_input(const Graph& graph, RandomSource& random) {
  const compiler::srdfg::Value& x = graph.get(graph.inputs.at(0));
  runtime::Tensor tensor{x.name, x.dtype, x.shape, {}};
  uint64_t size = 1;
  for (const uint64_t extent : x.shape) size *= extent;
  for (uint64_t i = 0; i < size; ++i) tensor.bytes.push_back(static_cast<uint8_t>(random.between(0, 255)));
  return tensor;
}

void write(const std::filesystem::path& path, const std::vector<uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// The output of the program as an executable.
runtime::Tensor in_qemu(const acg::Program& program, const runtime::Tensor& input) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("covenant_left_out_{}", ::getpid());
  std::filesystem::create_directories(folder);
  write(folder / "program", acg::elf_bytes(*acg::elf_of(program)));
  write(folder / "input", runtime::to_memory(program.inputs.at(0), input));
  std::filesystem::permissions(folder / "program", std::filesystem::perms::owner_all);
  EXPECT_EQ(rtl::run_process({"sh", "-c", "qemu-hexagon -cpu v67 ./program < input"}, folder, folder / "output"), 0);
  std::ifstream file(folder / "output", std::ios::binary);
  const std::vector<uint8_t> written{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove_all(folder);
  return runtime::from_memory(program.outputs.at(0), written);
}

void expect_exact(const BenchmarkLayer& layer, DType dtype, RandomSource& random) {
  const Graph graph = graph_of(layer, dtype);
  const runtime::Tensor input = random_input(graph, random);
  const auto expected = compiler::reference::evaluate(graph, {{input.name, {input.dtype, input.shape, input.bytes}}});
  ASSERT_TRUE(expected) << render(expected.error());
  const std::vector<uint8_t>& wanted = expected->at("y").bytes;
  const acg::Machine machine = *acg::load_machine("hvx");
  for (uint32_t choice = 0; choice < 16; ++choice) {
    const auto is_on = [&](uint32_t bit) { return (choice >> bit & 1U) != 0; };
    compiler::CompileOptions options;
    options.optimisations = {is_on(0), is_on(1), is_on(2), is_on(3)};
    SCOPED_TRACE(fmt::format("without {}", fmt::join(left_out(options.optimisations), ", ")));
    const Result<acg::Program> program = compile_graph(graph, machine, layer.name, options);
    ASSERT_TRUE(program) << render(program.error());
    for (const char* backend : {"systemc", "interpret"}) {
      const Result<runtime::Session> session = runtime::Session::open(*program, backend);
      ASSERT_TRUE(session) << render(session.error());
      const Result<runtime::RunResult> result = session->run({input}, {});
      ASSERT_TRUE(result) << render(result.error());
      EXPECT_TRUE(result->outputs.at(0).bytes == wanted) << backend;
    }
    EXPECT_TRUE(in_qemu(*program, input).bytes == wanted);
  }
}

TEST(LeftOut, ProductsAreExact) {
  RandomSource random(29);
  for (int i = 0; i < kLayers; ++i) {
    const BenchmarkLayer layer = product(random);
    SCOPED_TRACE(fmt::format("{} x {} x {} x {}", layer.heads, layer.m, layer.k, layer.n));
    expect_exact(layer, i % 2 == 0 ? DType::kI8 : DType::kU8, random);
  }
}

TEST(LeftOut, ConvolutionsAreExact) {
  RandomSource random(31);
  for (int i = 0; i < kLayers; ++i) {
    const BenchmarkLayer layer = convolution(random);
    SCOPED_TRACE(fmt::format("{} channels, {} x {}, kernel {}, stride {}, pad {}", layer.in_channels, layer.input_rows,
                             layer.input_columns, layer.kernel, layer.stride, layer.pad));
    expect_exact(layer, i % 2 == 0 ? DType::kI8 : DType::kU8, random);
  }
}

}  // namespace
}  // namespace covenant
