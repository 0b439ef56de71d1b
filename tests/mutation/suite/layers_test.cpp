/// Compiled random layers on an array of 3 x 4, both models in lock step: none may be refused.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "acg/lang/load.h"
#include "compiler/pipeline.h"
#include "runtime/lockstep/random_layer.h"
#include "tests/cosim/rtl/lockstep.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;

/// Off-chip memory before a run: constants and words in place, inputs of noise.
std::vector<uint8_t> image_of(const acg::Program& program, uint64_t seed) {
  std::vector<uint8_t> image(program.memory_bytes, 0);
  std::mt19937_64 random(seed);
  for (const acg::Segment& segment : program.segments) {
    const auto at = image.begin() + static_cast<std::ptrdiff_t>(segment.address);
    std::copy(segment.data.begin(), segment.data.end(), at);
    if (segment.kind != acg::SegmentKind::kInput) continue;
    std::generate_n(at, segment.size, [&] { return static_cast<uint8_t>(random()); });
  }
  return image;
}

TEST(Layers, AgreeOnBothModels) {
  const acg::Machine machine = *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}});
  const Model model = model_of(machine);
  for (uint64_t index = 0; index < 24; ++index) {
    SCOPED_TRACE(::testing::Message() << "layer " << index);
    const runtime::RandomLayer layer = runtime::random_layer(1, index, machine);
    const auto program = compiler::compile_graph(layer.graph, machine, layer.graph.name);
    ASSERT_TRUE(program) << render(program.error());
    ASSERT_EQ(lockstep(model, *program, image_of(*program, index)), Outcome::kSame) << layer.graph.name;
  }
}

}  // namespace
}  // namespace covenant::rtl
