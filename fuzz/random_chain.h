/// Random chains of operations in f32.
#pragma once

#include <string>

#include "fuzz/draw.h"

namespace covenant::runtime {

/// Steps on one input, as compiler/srdfg/chain.h has them. Each is read by the next one, now and then by a later one,
/// too. Quotients and roots may be infinite, or no numbers.
std::string random_chain(Draw& draw);

}  // namespace covenant::runtime
