#include <algorithm>

#include "acg/base/rounding.h"
#include "compiler/network/layers.h"

namespace covenant::compiler {

uint64_t padded_channels(const acg::Machine& machine, DType dtype, uint64_t channels) {
  uint64_t at_once = 1;
  for (const acg::Compute& compute : machine.computes) {
    for (const acg::Capability& capability : compute.capabilities) {
      if (capability.output.dtype != dtype || capability.output.shape.empty()) continue;
      at_once = std::max(at_once, capability.output.shape.back());
    }
  }
  return round_up(channels, at_once);
}

}  // namespace covenant::compiler
