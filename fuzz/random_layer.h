/// Random layers with random tensors, for comparing the models of a machine with one another.
///
/// One to three nodes that compute, and some that only move elements: conv (with kernels, strides, pads and gaps of its
/// own for each axis, in groups or not), gemm, matmul, softmax, layer_norm, add, mul, sub, div, max, min, lookup, clip,
/// pools, flattening, transpose, slice, repeat, concat, of either element type, with random quantisation, weights and
/// ranges. Numbers of channels are near multiples of what `machine` works on at once; images are small enough for a
/// second of RTL simulation.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/srdfg/graph.h"
#include "runtime/session/tensor.h"

namespace covenant::runtime {

struct RandomLayer {
  compiler::srdfg::Graph
      graph;                   ///< passes operators::verify_normalized; named after its nodes: `conv`, `conv_max_pool`
  std::vector<Tensor> inputs;  ///< one for each input of the graph, in its order
};

/// Layer `index` of `seed` for `machine`; equal arguments give equal layers, everywhere.
RandomLayer random_layer(uint64_t seed, uint64_t index, const acg::Machine& machine);

}  // namespace covenant::runtime
