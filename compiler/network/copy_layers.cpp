#include "compiler/network/copy_layers.h"

#include <array>

#include "acg/base/check.h"
#include "compiler/network/layer_params.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler {
namespace {

/// Loops of the codelet `copy`, outermost first.
constexpr std::array<const char*, kCopyDimensions> kCopyParams{"A", "B", "D", "E", "F", "G", "H", "C"};

CommonSteps steps_of(const Network& network, const NetworkLayer& copy) {
  const Result<CommonSteps> steps =
      common_steps(network.activations[copy.activations.at("x")].storage,
                   network.activations[copy.activations.at("y")].storage, kCopyDimensions);
  check(static_cast<bool>(steps), "a copy goes through both of its tensors by the same steps");
  return *steps;
}

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
  const CommonSteps steps = steps_of(network, layer);
  for (size_t d = 0; d < kCopyDimensions; ++d) set_count(layer, kCopyParams[d], steps.to.dimensions[d].size);
  set_views(network, layer, machine);
  return layer;
}

Storage copied_view(const Network& network, const NetworkLayer& copy, const std::string& name,
                    const acg::Machine& machine) {
  const CommonSteps steps = steps_of(network, copy);
  if (name == "x") return steps.from;
  const size_t made = copy.activations.at("y");
  const Activation& y = network.activations[made];
  Storage view = steps.to;
  StorageDimension& last = view.dimensions.back();
  const uint64_t room = written_row(machine, y.dtype, last.size) - last.size;
  const bool lies_alone = y.storage.allocation == made && !y.storage.is_filled;
  if (lies_alone || room <= room_of_rows(y.storage)) last.after = room;
  return view;
}

}  // namespace covenant::compiler
