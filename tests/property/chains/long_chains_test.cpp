/// The work of the compiler grows with the number of layers, and no faster: what it takes from memory is counted, for
/// counts are the same on every run and computer.
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "tests/property/chains/counted_allocations.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant {
namespace {

using test::GraphMaker;
using test::ValueId;

/// One more layer, or block of layers, after `x`; `first` is the first of the chain.
using Grow = std::function<ValueId(GraphMaker& maker, ValueId x, ValueId first)>;

uint64_t work_of(size_t layers, const Grow& grow, const acg::Machine& machine) {
  GraphMaker maker(7, DType::kU8);
  const ValueId first = maker.max_pool(maker.input({1, 4, 8, 8}), 3, 1, 1);
  ValueId last = first;
  for (size_t i = 0; i < layers; ++i) last = grow(maker, last, first);
  const compiler::srdfg::Graph graph = maker.finish(maker.max_pool(last, 3, 1, 1));
  compiler::CompileOptions options;
  options.threads = 1;
  const uint64_t before = test::allocations();
  const Result<acg::Program> program = compiler::compile_graph(graph, machine, "chain", options);
  EXPECT_TRUE(program) << (program ? "" : render(program.error()));
  return test::allocations() - before;
}

struct Chain {
  const char* name;
  const char* machine;
  Grow grow;
};

ValueId pooled(GraphMaker& maker, ValueId x, ValueId /*first*/) { return maker.max_pool(x, 3, 1, 1); }

const std::vector<Chain>& chains() {
  static const std::vector<Chain> all{
      {"pools", "genesys:8x8", pooled},
      {"pools of packets", "hvx", pooled},
      {"limits", "genesys:8x8", [](GraphMaker& maker, ValueId x, ValueId) { return maker.clip(x); }},
      {"convolutions", "genesys:8x8", [](GraphMaker& maker, ValueId x, ValueId) { return maker.conv(x, 4, 1, 1, 0); }},
      {"residual sums", "genesys:8x8",
       [](GraphMaker& maker, ValueId x, ValueId) { return maker.add(maker.conv(x, 4, 1, 1, 0), x); }},
      {"sums with one tensor", "genesys:8x8",
       [](GraphMaker& maker, ValueId x, ValueId first) { return maker.add(x, first); }},
      {"shapes", "genesys:8x8",
       [](GraphMaker& maker, ValueId x, ValueId) { return maker.reshape(maker.reshape(x, {1, 4, 64}), {1, 4, 8, 8}); }},
      {"turns", "genesys:8x8", [](GraphMaker& maker, ValueId x, ValueId) { return maker.transpose(x, {0, 1, 3, 2}); }},
      {"parts of one tensor", "genesys:8x8",
       [](GraphMaker& maker, ValueId x, ValueId first) { return maker.concat(x, maker.max_pool(first, 3, 1, 1), 1); }},
  };
  return all;
}

TEST(LongChains, TwiceTheLayersAreTwiceTheWork) {
  for (const Chain& chain : chains()) {
    SCOPED_TRACE(chain.name);
    const Result<acg::Machine> machine = acg::load_machine(chain.machine);
    ASSERT_TRUE(machine);
    // All counts include work that is done once, and the search for the first layers.
    const uint64_t small = work_of(24, chain.grow, *machine);
    const uint64_t middle = work_of(48, chain.grow, *machine);
    const uint64_t large = work_of(96, chain.grow, *machine);
    RecordProperty(chain.name,
                   std::to_string(static_cast<double>(large - middle) / static_cast<double>(middle - small)));
    EXPECT_LE(large - middle, (middle - small) * 23 / 10) << small << ", " << middle << ", " << large;
  }
}

}  // namespace
}  // namespace covenant
