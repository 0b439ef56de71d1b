#include "compiler/layers/one_hot_product.h"

#include <algorithm>
#include <array>
#include <utility>

#include "acg/base/check.h"
#include "acg/graph/numerics.h"
#include "compiler/network/copy_views.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/views.h"
#include "compiler/srdfg/queries.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

/// Gives a product its matrix, [C,K,L].
void set_one_hot(NetworkLayer& product, const std::vector<uint64_t>& chosen) {
  const uint64_t vectors = count(product, "C"), row = count(product, "K"), lanes = count(product, "L");
  check(chosen.size() == vectors * lanes, "an element is chosen for each lane of each vector");
  const std::vector<uint8_t> one = srdfg::integer_data(product.layer.dtypes.at("w"), std::vector<int64_t>{1});
  ConstantTensor& w = product.constants["w"];
  w = {{vectors, row, lanes}, std::vector<uint8_t>(vectors * row * lanes * one.size())};
  for (uint64_t i = 0; i < chosen.size(); ++i) {
    const uint64_t to = (i / lanes * row + chosen[i]) * lanes + i % lanes;
    std::ranges::copy(one, w.data.begin() + static_cast<std::ptrdiff_t>(to * one.size()));
  }
  product.constants["b"] = {{lanes}, std::vector<uint8_t>(lanes * sizeof(int32_t))};
}

}  // namespace

std::vector<CopyLoop> loops_of(const Network& network, const NetworkLayer& copy) {
  const CommonSteps steps = copied_steps(network, copy);
  std::vector<CopyLoop> loops;
  for (size_t d = 0; d < kCopyDimensions; ++d) {
    const uint64_t size = steps.to.dimensions[d].size;
    if (size == 1) continue;
    loops.push_back({size, steps.from.dimensions[d].strides[0].stride, steps.to.dimensions[d].strides[0].stride});
  }
  return loops;
}

std::vector<acg::Stride> steps_of(const std::vector<CopyLoop>& loops, size_t count, uint64_t CopyLoop::* step) {
  std::vector<acg::Stride> steps(count - loops.size(), {1, 1});
  for (const CopyLoop& loop : loops) steps.push_back({loop.count, loop.*step});
  return steps;
}

bool has_one_hot_products(const NetworkLayer& copy, const acg::Machine& machine) {
  const std::vector<DType> elements = acg::element_dtypes(machine);
  const bool is_product = std::ranges::find(elements, copy.layer.dtypes.at("x")) != elements.end();
  return is_product && reduced_at_once(machine) > 1 && has_transfer_engines(machine);
}

size_t add_loops(Network& network, TakenNames& names, const std::string& name, size_t of, uint64_t offset,
                 const std::vector<acg::Stride>& loops) {
  TensorPart part{of, offset, {}};
  for (const acg::Stride& loop : loops) part.dimensions.push_back({loop.count, 0, 0, {loop}});
  return add_part(network, names, name, std::move(part));
}

NetworkLayer one_hot_product(const Network& network, const NetworkLayer& copy, const std::string& name, size_t rows,
                             size_t made, const std::vector<uint64_t>& chosen) {
  const DType dtype = copy.layer.dtypes.at("x");
  NetworkLayer layer;
  layer.layer.name = name;
  layer.operation = "transpose";
  layer.activations = {{"x", rows}, {"y", made}};
  layer.layer.dtypes = {{"x", dtype}, {"y", dtype}, {"w", with_sign(dtype)}, {"b", DType::kI32}};
  const std::array<const char*, kRowLoops + 2> params{"A", "B", "D", "I", "T", "C", "L"};
  const std::vector<uint64_t>& shape = network.activations[made].shape;
  layer.elementwise = 1;
  for (size_t d = 0; d < params.size(); ++d) {
    set_count(layer, params[d], shape[d]);
    layer.elementwise *= shape[d];
  }
  set_count(layer, "K", network.activations[rows].shape.back());
  set_real(layer, "SCALE", 1);
  layer.layer.params["LOWEST"] = lowest(dtype);
  layer.layer.params["HIGHEST"] = highest(dtype);
  set_one_hot(layer, chosen);
  return layer;
}

}  // namespace covenant::compiler
