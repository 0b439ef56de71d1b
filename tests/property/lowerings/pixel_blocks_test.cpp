/// Depthwise convolutions in blocks of pixels give the bytes of the reference operators, whatever lies around their
/// tensors.
#include "compiler/layers/pixel_blocks.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

#include "acg/lang/load.h"
#include "compiler/layers/layers.h"
#include "compiler/meaning/interpret_layers.h"
#include "compiler/network/layer_params.h"
#include "compiler/reference/evaluate.h"
#include "compiler/srdfg/print.h"
#include "tests/support/acg/taken.h"
#include "tests/support/pipeline/random_graph.h"
#include "tests/support/seed.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using srdfg::ValueId;
using test::GraphMaker;

constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();

/// Arrays that are square and not; vectors of 6 elements have no blocks of 4 pixels.
const std::vector<acg::Machine>& machines() {
  static const std::vector<acg::Machine> all{test::taken(acg::load_machine("genesys", {{"M", "8"}, {"N", "8"}})),
                                             test::taken(acg::load_machine("genesys", {{"M", "5"}, {"N", "16"}})),
                                             test::taken(acg::load_machine("genesys", {{"M", "16"}, {"N", "6"}}))};
  return all;
}

struct Window {
  std::array<uint64_t, 2> kernel{3, 3};
  std::array<int64_t, 2> dilation{1, 1};
  std::array<int64_t, 4> pads{1, 1, 1, 1};  ///< top, left, bottom, right
  int64_t stride = 1;
};

/// A convolution of each channel by itself.
ValueId depthwise(GraphMaker& maker, ValueId x, const Window& window) {
  const std::vector<uint64_t> in = maker.graph().get(x).shape;
  const uint64_t side = std::max(window.kernel[0], window.kernel[1]);
  const ValueId y = maker.conv(x, in[1], side, 1, static_cast<int64_t>(side));
  srdfg::Node& node = maker.graph().nodes.back();
  srdfg::Value& weights = maker.graph().values[node.inputs[1].value];
  weights.shape = {in[1], 1, window.kernel[0], window.kernel[1]};
  weights.data.resize(srdfg::element_count(weights.shape) * bytes(weights.dtype));
  node.attributes["group"] = static_cast<int64_t>(in[1]);
  node.attributes["strides"] = std::vector<int64_t>{window.stride, window.stride};
  node.attributes["dilations"] = std::vector<int64_t>{window.dilation[0], window.dilation[1]};
  node.attributes["pads"] = std::vector<int64_t>(window.pads.begin(), window.pads.end());
  std::vector<uint64_t>& shape = maker.graph().values[y.value].shape;
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t reach = static_cast<int64_t>(window.kernel[axis] - 1) * window.dilation[axis] + 1;
    const int64_t all = static_cast<int64_t>(in[axis + 2]) + window.pads[axis] + window.pads[axis + 2];
    shape[axis + 2] = static_cast<uint64_t>((all - reach) / window.stride + 1);
  }
  return y;
}

/// A window that fits an image of these sizes.
Window drawn_window(GraphMaker& maker, const std::vector<uint64_t>& shape) {
  Window window;
  for (size_t axis = 0; axis < 2; ++axis) {
    window.kernel[axis] = static_cast<uint64_t>(maker.draw(1, 7));
    window.dilation[axis] = maker.draw(1, 3);
    const int64_t reach = static_cast<int64_t>(window.kernel[axis] - 1) * window.dilation[axis];
    window.pads[axis] = maker.draw(0, reach);
    const int64_t least = std::max<int64_t>(0, reach + 1 - static_cast<int64_t>(shape[axis + 2]) - window.pads[axis]);
    window.pads[axis + 2] = maker.draw(least, std::max(least, reach));
  }
  return window;
}

size_t index_of_convolution(const Network& network) {
  const auto found = std::ranges::find_if(
      network.layers, [](const NetworkLayer& layer) { return layer.operation.starts_with("conv"); });
  return static_cast<size_t>(found - network.layers.begin());
}

/// The network with the layers in blocks in the place of its convolution.
Network replaced(const Network& network, const PixelBlock& block, const acg::Machine& machine) {
  Network made = network;
  TakenNames names = names_in(network);
  const size_t index = index_of_convolution(network);
  const std::vector<NetworkLayer> layers = in_pixel_blocks(made, network.layers[index], block, machine, names);
  const auto at = made.layers.begin() + static_cast<std::ptrdiff_t>(index);
  made.layers.insert(made.layers.erase(at), layers.begin(), layers.end());
  return made;
}

std::vector<PixelBlock> blocks_of(const Network& network, const acg::Machine& machine, uint64_t cycles = kAny) {
  return pixel_blocks(network, network.layers.at(index_of_convolution(network)), machine, cycles);
}

TEST(PixelBlocks, GiveTheBytesOfTheReference) {
  size_t checked = 0, shifted = 0, with_rest = 0;
  for (uint32_t trial = 0; trial < 90; ++trial) {
    const uint32_t seed = static_cast<uint32_t>(test::seed()) * 1000 + trial;
    SCOPED_TRACE("COVENANT_SEED " + std::to_string(test::seed()) + ", trial " + std::to_string(trial));
    const acg::Machine& machine = machines()[trial % machines().size()];
    GraphMaker maker(seed, trial % 2 == 0 ? DType::kU8 : DType::kI8);
    std::vector<uint64_t> shape{static_cast<uint64_t>(maker.draw(1, 2))};
    shape.push_back(static_cast<uint64_t>(maker.draw(2, 20)));
    for (int axis = 0; axis < 2; ++axis) shape.push_back(static_cast<uint64_t>(maker.draw(1, 9)));
    const Window window = drawn_window(maker, shape);
    const Graph graph = maker.finish(maker.clip(depthwise(maker, maker.clip(maker.input(shape)), window)));
    reference::Tensors inputs;
    for (const ValueId id : graph.inputs) {
      const runtime::Tensor drawn = test::random_input(graph.get(id), seed);
      inputs[drawn.name] = {drawn.dtype, drawn.shape, drawn.bytes};
    }
    const reference::Tensors expected = test::taken(reference::evaluate(graph, inputs));
    const Network network = test::taken(make_layers(graph, machine));
    for (const PixelBlock& block : blocks_of(network, machine)) {
      const Network made = replaced(network, block, machine);
      ASSERT_EQ(test::taken(interpret_layers(made, machine, inputs)), expected)
          << name_of(block) << srdfg::print(graph);
      ++checked;
      shifted += block.row_shift + block.column_shift > 0 ? 1 : 0;
      with_rest += made.layers.size() - network.layers.size() > 2 ? 1 : 0;
    }
  }
  EXPECT_GT(checked, 300U) << "hardly any was checked";
  EXPECT_GT(shifted, 100U) << "blocks of the result hardly ever began later than the image's";
  EXPECT_GT(with_rest, 100U) << "blocks hardly ever ended within a tensor";
}

/// The paddings of 7 x 7 and 5 x 5 let windows begin at the first pixel of a block.
TEST(PixelBlocks, BestEstimatesComeFirst) {
  const auto best = [](uint64_t kernel, const acg::Machine& machine) {
    GraphMaker maker(7, DType::kI8);
    const auto pad = static_cast<int64_t>(kernel / 2);
    const Window window{.kernel = {kernel, kernel}, .pads = {pad, pad, pad, pad}};
    const Graph graph = maker.finish(depthwise(maker, maker.input({1, 32, 28, 28}), window));
    return name_of(blocks_of(test::taken(make_layers(graph, machine)), machine).front());
  };
  const acg::Machine machine = test::taken(acg::load_machine("genesys:03"));
  EXPECT_EQ(best(7, machine), "blocks of 2 x 2 from 1, 1");
  EXPECT_EQ(best(5, machine), "blocks of 2 x 2");
}

/// Windows two pixels apart, channels that are summed up, few cycles, and machines without an array.
TEST(PixelBlocks, OtherLayersStayAsTheyAre) {
  const auto number = [](const acg::Machine& machine, int64_t stride, uint64_t cycles) {
    GraphMaker maker(5, DType::kI8);
    const Window window{.kernel = {5, 5}, .pads = {2, 2, 2, 2}, .stride = stride};
    const Graph graph = maker.finish(depthwise(maker, maker.input({1, 24, 12, 12}), window));
    return blocks_of(test::taken(make_layers(graph, machine)), machine, cycles).size();
  };
  const acg::Machine &array = machines()[0], hvx = test::taken(acg::load_machine("hvx"));
  EXPECT_GT(number(array, 1, kAny), 5U);
  EXPECT_EQ(number(array, 2, kAny), 0U);
  EXPECT_EQ(number(array, 1, 1000), 0U);
  EXPECT_EQ(number(hvx, 1, kAny), 0U);
  GraphMaker maker(6, DType::kI8);
  const Graph dense = maker.finish(maker.conv(maker.input({1, 24, 12, 12}), 24, 5, 1, 2));
  EXPECT_TRUE(blocks_of(test::taken(make_layers(dense, array)), array).empty());
}

}  // namespace
}  // namespace covenant::compiler
