#include "fuzz/self_test.h"

#include <algorithm>
#include <optional>

#include "acg/base/check.h"
#include "compiler/driver/pipeline.h"
#include "fuzz/random_layer.h"
#include "runtime/session/image.h"
#include "sim/run/simulate.h"

namespace covenant::runtime {
namespace {

constexpr uint64_t kSeed = 1;
constexpr uint64_t kDraws = 64;

bool has_convolution(const compiler::srdfg::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) { return node.operation == "conv"; });
}

}  // namespace

Result<rtl::SelfTest> self_test_of(const acg::Program& program, const std::vector<Tensor>& inputs) {
  Result<std::vector<uint8_t>> image = image_of(program, inputs);
  if (!image) return image.error();
  rtl::SelfTest test;
  test.name = program.model;
  test.entry = static_cast<uint32_t>(acg::entry_address(program));
  test.memories = acg::memory_ranges(program);
  test.before = *image;
  test.after = std::move(*image);
  const Result<sim::SimulateResult> done = sim::simulate(program, test.after);
  if (!done) return done.error();
  test.cycles = done->cycles;
  return test;
}

Result<rtl::SelfTest> default_self_test(const acg::Machine& machine) {
  std::optional<Diagnostic> refusal;
  for (uint64_t draw = 0; draw < kDraws; ++draw) {
    const RandomLayer layer = random_layer(kSeed, draw, machine);
    if (!has_convolution(layer.graph)) continue;
    const Result<acg::Program> program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
    if (program) return self_test_of(*program, layer.inputs);
    if (!refusal) refusal = program.error();
  }
  check(refusal.has_value(), "random layers without a convolution among them");
  return refusal.value();
}

}  // namespace covenant::runtime
