/// Room for what two roundings need: the sums of means, doubled before they are scaled in fixed point.
#pragma once

#include <cstdint>

#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// How often sums of `count` elements are doubled, of which the greatest scale is `greatest`: three times at most,
/// until the shift after the product has 7 bits, as far as 32 bits hold them of 16-bit elements. With fewer the first
/// rounding, half up, would push means up that lie below a half. 0 where nothing is shifted after the product.
uint32_t doublings(float greatest, uint64_t count);

/// `scale` of sums that are doubled so often.
float of_doubled(float scale, uint32_t doublings);

/// Says in a layer's parameters how often its sums are doubled: `with_doubled_sums` does it.
void set_doublings(NetworkLayer& layer, uint32_t doublings);

/// The codelet with sums that are doubled as its layer says, between what centres them and what scales them.
codelet::Codelet with_doubled_sums(const codelet::Codelet& bound, const NetworkLayer& layer);

/// What `bind` needs to know of a layer: all but its doublings.
Layer without_doublings(const NetworkLayer& layer);

}  // namespace covenant::compiler
