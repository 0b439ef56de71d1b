#include "compiler/layers/copy_layers.h"

#include <array>

#include "compiler/layers/copy_layers.h"
#include "compiler/network/copy_views.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/views.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler {
namespace {

/// Loops of the codelet `copy`, outermost first.
constexpr std::array<const char*, kCopyDimensions> kCopyParams{"A", "B", "D", "E", "F", "G", "H", "C"};

}  // namespace

NetworkLayer copy_of(const Network& network, const acg::Machine& machine, const std::string& name, size_t from,
                     size_t to) {
  const Activation &x = network.activations[from], &y = network.activations[to];
  NetworkLayer layer;
  layer.layer.name = name;
  layer.operation = "copy";
  layer.activations = {{"x", from}, {"y", to}};
  layer.layer.dtypes = {{"x", x.dtype}, {"y", y.dtype}};
  layer.layer.params["LOWEST"] = lowest(x.dtype);
  layer.elementwise = srdfg::element_count(y.shape);
  const CommonSteps steps = copied_steps(network, layer);
  for (size_t d = 0; d < kCopyDimensions; ++d) set_count(layer, kCopyParams[d], steps.to.dimensions[d].size);
  set_views(network, layer, machine);
  return layer;
}

}  // namespace covenant::compiler
