/// A residual network, whose skip goes round its second convolution.
#pragma once

#include "tests/support/pipeline/random_graph.h"

namespace covenant::test {

/// input -> conv0 -> conv1 -> add2 (of conv0 and conv1) -> max_pool3.
inline Graph residual_graph(uint32_t seed, DType dtype = DType::kI8) {
  GraphMaker maker(seed, dtype);
  const ValueId first = maker.conv(maker.input({1, 4, 6, 6}), 8, 3, 1, 1);
  const ValueId second = maker.conv(first, 8, 3, 1, 1);
  return maker.finish(maker.max_pool(maker.add(first, second), 2, 2, 0));
}

}  // namespace covenant::test
