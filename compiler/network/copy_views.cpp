#include "compiler/network/copy_views.h"

#include "acg/base/check.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {

CommonSteps copied_steps(const Network& network, const NetworkLayer& copy) {
  const Result<CommonSteps> steps =
      common_steps(network.activations[copy.activations.at("x")].storage,
                   network.activations[copy.activations.at("y")].storage, kCopyDimensions);
  check(static_cast<bool>(steps), "a copy goes through both of its tensors by the same steps");
  return *steps;
}

Storage copied_view(const Network& network, const NetworkLayer& copy, const std::string& name,
                    const acg::Machine& machine) {
  const CommonSteps steps = copied_steps(network, copy);
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
