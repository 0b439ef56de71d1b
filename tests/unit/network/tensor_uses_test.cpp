/// Tensors that share an allocation move together, each slice to where its elements are then.
#include "compiler/network/tensor_uses.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/layers/layers.h"
#include "tests/support/pipeline/random_graph.h"

namespace covenant::compiler {
namespace {

using test::ValueId;

Network layers_of(const srdfg::Graph& graph) { return *make_layers(graph, *acg::load_machine("genesys", {})); }

size_t read_by_last(const Network& network) { return network.layers.back().activations.at("x"); }

/// Two images of one quantisation side by side.
ValueId joined(test::GraphMaker& maker, int64_t axis) {
  const ValueId x = maker.input({1, 4, 8, 8});
  return maker.concat(maker.max_pool(x, 3, 1, 1), maker.max_pool(x, 5, 1, 2), axis);
}

TEST(TensorUses, AConcatMovesWithItsParts) {
  for (const int64_t axis : {1, 2, 3}) {
    SCOPED_TRACE(axis);
    test::GraphMaker maker(1, DType::kU8);
    const Network network = layers_of(maker.finish(maker.conv(joined(maker, axis), 4, 3, 1, 1)));
    const TensorUses uses(network);
    const size_t whole = read_by_last(network);
    const Activation& image = network.activations[whole];
    ASSERT_TRUE(uses.moves_with_slices(whole));
    EXPECT_FALSE(uses.has_free_storage(whole));
    const Storage dense = channels_last("DRAM", image.shape, {.left_pixels = 1, .row_pixels = image.shape[3] + 2});
    const std::optional<std::map<size_t, Storage>> moved = uses.with_slices(whole, dense);
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->size(), 3U);
    const auto d = static_cast<size_t>(axis);
    const uint64_t second = dense.dimensions[d].strides[0].stride * image.shape[d] / 2;
    std::vector<uint64_t> offsets;
    for (const auto& [activation, storage] : *moved) {
      if (activation == whole) continue;
      EXPECT_FALSE(uses.moves_with_slices(activation)) << "not without the others";
      EXPECT_EQ(uses.part_of(activation)->whole, whole);
      const std::optional<std::map<size_t, Storage>> followed = uses.with_slices(activation, storage);
      EXPECT_EQ(followed == moved, axis != 3) << "a part of a row does not know the padding of the row";
      EXPECT_EQ(shape_of(storage), network.activations[activation].shape);
      for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(storage.dimensions[i].strides[0].stride, dense.dimensions[i].strides[0].stride) << i;
      }
      offsets.push_back(storage.offset - dense.offset);
    }
    std::ranges::sort(offsets);
    EXPECT_EQ(offsets, (std::vector<uint64_t>{0, second}));
  }
}

TEST(TensorUses, APartOfWhichTheOrderIsNeededHoldsTheOthers) {
  test::GraphMaker maker(1, DType::kU8);
  const Network network = layers_of(maker.finish(maker.gemm(maker.flatten(joined(maker, 1)), 10)));
  EXPECT_FALSE(TensorUses(network).moves_with_slices(read_by_last(network)));
}

TEST(TensorUses, OneTensorAloneIsItsOwnWhole) {
  test::GraphMaker maker(1, DType::kU8);
  const ValueId x = maker.conv(maker.input({1, 3, 8, 8}), 4, 3, 1, 1);
  const Network network = layers_of(maker.finish(maker.conv(x, 4, 3, 1, 1)));
  const TensorUses uses(network);
  const size_t between = read_by_last(network);
  EXPECT_TRUE(uses.has_free_storage(between));
  EXPECT_TRUE(uses.moves_with_slices(between));
  const Storage dense = channels_last("DRAM", network.activations[between].shape, {});
  EXPECT_EQ(uses.with_slices(between, dense), (std::map<size_t, Storage>{{between, dense}}));
}

}  // namespace
}  // namespace covenant::compiler
