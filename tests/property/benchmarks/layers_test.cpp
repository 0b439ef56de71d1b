/// Every layer of the benchmark table, whole, on machines of four shapes: the words on the SystemC model give the bytes
/// of the exact reference operators.
#include "compiler/benchmarks/layers.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

#include "acg/lang/load.h"
#include "compiler/benchmarks/compile_layer.h"
#include "compiler/benchmarks/layer_graph.h"
#include "compiler/operators/verify.h"
#include "compiler/reference/evaluate.h"
#include "runtime/session/session.h"

namespace covenant {
namespace {

using compiler::BenchmarkKind;
using compiler::BenchmarkLayer;
using compiler::Crop;

runtime::Tensor random_input(const compiler::srdfg::Graph& graph) {
  const compiler::srdfg::Value& x = graph.get(graph.inputs.at(0));
  runtime::Tensor tensor{x.name, x.dtype, x.shape, {}};
  uint64_t size = 1;
  for (const uint64_t extent : x.shape) size *= extent;
  std::mt19937 random(7);
  for (uint64_t i = 0; i < size; ++i) tensor.bytes.push_back(static_cast<uint8_t>(random() >> 24));
  return tensor;
}

/// The bytes of the reference operators, and of the compiled layer on each machine.
void expect_exact(const BenchmarkLayer& layer, const Crop& crop, const std::vector<std::string>& machines,
                  const std::string& backend) {
  SCOPED_TRACE(layer.name);
  const compiler::srdfg::Graph graph = benchmark_graph(cropped(layer, crop));
  const Status verified = compiler::operators::verify_normalized(graph);
  ASSERT_TRUE(verified) << render(verified.error());
  const runtime::Tensor input = random_input(graph);
  compiler::reference::Tensors inputs;
  inputs[input.name] = {input.dtype, input.shape, input.bytes};
  const auto expected = evaluate(graph, inputs);
  ASSERT_TRUE(expected) << render(expected.error());
  for (const std::string& name : machines) {
    SCOPED_TRACE(name);
    const Result<acg::Machine> machine = acg::load_machine(name, {});
    ASSERT_TRUE(machine) << render(machine.error());
    const Result<acg::Program> program = compiler::compile_layer(layer.name, *machine, crop);
    ASSERT_TRUE(program) << render(program.error());
    const Result<runtime::Session> session = runtime::Session::open(*program, backend);
    ASSERT_TRUE(session) << render(session.error());
    const Result<runtime::RunResult> result = session->run({input}, {});
    ASSERT_TRUE(result) << render(result.error());
    EXPECT_TRUE(result->outputs.at(0).bytes == expected->at("y").bytes);
    EXPECT_EQ(program->blocks.at(0).macs, benchmark_macs(cropped(layer, crop)));
  }
}

TEST(BenchmarkLayers, WholeLayersAreExactOnEveryMachine) {
  const std::vector<std::string> machines{"genesys:8x8", "genesys:16x16", "genesys:03",
                                          "genesys:07",  "genesys:09",    "dnnweaver"};
  for (const BenchmarkLayer& layer : compiler::benchmark_layers()) expect_exact(layer, {}, machines, "systemc");
}

TEST(BenchmarkLayers, CroppedLayersAreExactInTheInterpreter) {
  const Crop crop{.heads = 2, .m = 9, .k = 70, .n = 21, .output_rows = 5, .output_columns = 6, .out_channels = 20};
  for (const BenchmarkLayer& layer : compiler::benchmark_layers()) {
    expect_exact(layer, crop, {"genesys:8x8", "genesys:03", "dnnweaver"}, "interpret");
    expect_exact(layer, crop, {"genesys:8x24", "genesys:20x12"}, "systemc");
  }
}

TEST(BenchmarkLayers, TheTableIsThePapers) {
  const std::vector<BenchmarkLayer> layers = compiler::benchmark_layers();
  ASSERT_EQ(layers.size(), 17U);
  EXPECT_EQ(layers[0].name, "BERT-LG/GEMM1");
  uint64_t macs = 0;
  for (const BenchmarkLayer& layer : layers) {
    macs += benchmark_macs(layer);
    if (layer.kind != BenchmarkKind::kConv) continue;
    const uint64_t reached = (layer.output_rows - 1) * layer.stride + layer.kernel;
    EXPECT_GE(reached, layer.input_rows + layer.pad - layer.stride + 1) << layer.name << " leaves rows unread";
    EXPECT_LE(reached, layer.input_rows + 2 * layer.pad) << layer.name << " reads past its pads";
  }
  EXPECT_EQ(macs, 4705500007U);
}

TEST(BenchmarkLayers, ALayerThatIsNotThereIsRefused) {
  const Result<BenchmarkLayer> layer = compiler::benchmark_layer("ResNet50/CONV9");
  ASSERT_FALSE(layer);
  EXPECT_EQ(layer.error().code, "GEN0040");
  EXPECT_EQ(layer.error().allowed.size(), 17U);
}

TEST(BenchmarkLayers, PassesOfALayerCanBeShown) {
  const Result<acg::Machine> machine = acg::load_machine("genesys:8x8", {});
  ASSERT_TRUE(machine);
  for (const auto& [pass, shown] : std::map<std::string, std::string>{{"normalized", "gemm_sums"},
                                                                      {"placed", "inp([1,1,256],i8,\"DRAM\")"},
                                                                      {"tiled", "transfer("},
                                                                      {"assembly", "GROUP OBUF->DRAM"}}) {
    const Result<std::string> text = compiler::emit_layer("DLRM/FC4", *machine, pass);
    ASSERT_TRUE(text) << render(text.error());
    EXPECT_NE(text->find(shown), std::string::npos) << pass << "\n" << *text;
  }
  const Result<std::string> none = compiler::emit_layer("DLRM/FC4", *machine, "srdfg");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, "GEN0030");
}

}  // namespace
}  // namespace covenant
