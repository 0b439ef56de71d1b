/// Every lowering of every operator, by any maker, fits its layer and gives the bytes of the reference operators.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "acg/lang/load.h"
#include "compiler/layers/layers.h"
#include "compiler/lowerings/adjacent_outputs.h"
#include "compiler/lowerings/conv_rows.h"
#include "compiler/lowerings/makers.h"
#include "compiler/lowerings/pixel_vectors.h"
#include "compiler/lowerings/verify.h"
#include "compiler/meaning/check_meaning.h"
#include "compiler/srdfg/print.h"
#include "compiler/srdfg/queries.h"
#include "tests/property/values/random_node.h"
#include "tests/support/seed.h"

namespace covenant::compiler {
namespace {

/// Operators that are layers, or templates of layers: all but movements and what the host does.
const std::vector<std::string> kOperators{
    "conv", "gemm", "matmul", "max_pool", "average_pool", "global_average_pool", "add", "mul", "sub", "div",
    "max",  "min",  "clip",   "softmax",  "lookup"};

/// All makers, also where one is asked only if another has nothing.
const LoweringMakers kMakers{plain_lowerings, adjacent_output_lowerings, conv_row_lowerings, pixel_vector_lowerings};

/// Small arrays that are square and not, so that vectors end within tensors.
const std::vector<acg::Machine>& machines() {
  static const std::vector<acg::Machine> all{*acg::load_machine("genesys", {{"M", "8"}, {"N", "8"}}),
                                             *acg::load_machine("genesys", {{"M", "5"}, {"N", "16"}})};
  return all;
}

reference::Tensors drawn_inputs(test::RandomGraphs& random, const srdfg::Graph& graph) {
  reference::Tensors inputs;
  for (const srdfg::ValueId id : graph.inputs) {
    const srdfg::Value& value = graph.get(id);
    inputs[value.name] = {value.dtype, value.shape, random.elements(value.dtype, srdfg::element_count(value.shape))};
  }
  return inputs;
}

/// The machine makes each element in the dtype that the model has.
bool keeps_dtypes(const Network& network) {
  const auto keeps = [](const Boundary& boundary) { return !boundary.model_dtype; };
  return std::ranges::all_of(network.inputs, keeps) && std::ranges::all_of(network.outputs, keeps);
}

using Checked = std::map<std::string, size_t>;  ///< by maker

/// Checks all lowerings of all layers of a graph.
void check_all(const srdfg::Graph& graph, const acg::Machine& machine, const reference::Tensors& inputs,
               Checked& checked) {
  const Result<Network> network = make_layers(graph, machine);
  if (!network || !keeps_dtypes(*network)) return;  // elements of another width, or a codelet that is not there
  const TensorUses uses(*network);
  for (size_t i = 0; i < network->layers.size(); ++i) {
    std::set<std::string> names;
    for (const Lowering& one : lowerings_of(kMakers, *network, uses, i, machine)) {
      SCOPED_TRACE(network->layers[i].layer.name + ", lowering " + one.name);
      EXPECT_TRUE(names.insert(one.name).second) << "two lowerings have one name";
      const Status fits = verify_lowering(one, *network, i, machine);
      ASSERT_TRUE(fits) << render(fits.error()) << srdfg::print(graph);
      const auto difference = check_meaning(one, *network, i, graph, machine, inputs);
      ASSERT_TRUE(difference) << render(difference.error()) << srdfg::print(graph);
      ASSERT_FALSE(difference->has_value()) << "byte " << (*difference)->byte << srdfg::print(graph);
      ++checked[one.maker];
    }
  }
}

class RandomOperators : public testing::TestWithParam<std::string> {};

TEST_P(RandomOperators, MeanTheSameInAllLowerings) {
  constexpr uint64_t kTrials = 40;
  Checked checked;
  for (uint64_t trial = 0; trial < kTrials; ++trial) {
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    test::RandomGraphs random(test::seed() * 1000 + trial);
    const srdfg::Graph graph = random.of(GetParam());
    check_all(graph, machines()[trial % machines().size()], drawn_inputs(random, graph), checked);
    if (HasFailure()) return;
  }
  EXPECT_GT(checked["plain"], kTrials / 4) << "hardly any was checked";
  EXPECT_EQ(checked["conv_rows"] > 0, GetParam() == "conv") << "convolutions alone are done by rows";
  EXPECT_EQ(checked["adjacent_outputs"] > 0, GetParam() == "conv") << "convolutions alone have windows";
  static const std::set<std::string> kElementwise{"add", "mul", "max", "min", "clip", "lookup"};
  EXPECT_EQ(checked["pixel_vectors"] > 0, kElementwise.contains(GetParam())) << checked["pixel_vectors"];
}

INSTANTIATE_TEST_SUITE_P(All, RandomOperators, testing::ValuesIn(kOperators),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace covenant::compiler
