/// Doubles the sums of means before they are scaled in fixed point, so that rounding twice loses less.
#pragma once

#include <cstdint>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// How often sums of `count` elements are doubled if their greatest scale is `greatest`: at most three times, until the
/// shift after the product has 7 bits, and as far as sums of 16-bit elements fit 32 bits. With fewer doublings the
/// first rounding, half up, would push up means that are below a half. 0 if nothing is shifted after the product.
uint32_t doublings(float greatest, uint64_t count);

/// `scale` of sums that are doubled so often.
float of_doubled(float scale, uint32_t doublings);

/// Says in a layer's parameters how often its sums are doubled: `with_doubled_sums` does it.
void set_doublings(NetworkLayer& layer, uint32_t doublings);

/// Checks the doublings of a layer that was written by hand: one to three of them, and a sum that the codelet scales.
/// Error: NET0004.
Status verify_doublings(const codelet::Codelet& codelet, const NetworkLayer& layer);

/// The codelet with the doublings of its layer, between centring and scaling of sums.
codelet::Codelet with_doubled_sums(const codelet::Codelet& bound, const NetworkLayer& layer);

/// The layer without its doublings, as `bind` needs it.
Layer without_doublings(const NetworkLayer& layer);

}  // namespace covenant::compiler
