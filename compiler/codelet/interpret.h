/// What a codelet computes: the oracle that passes and backends are held to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// By surrogate: a dense row-major tensor of the surrogate's shape and dtype, little-endian.
using Bindings = std::map<std::string, std::vector<uint8_t>>;

/// Runs the codelet bit for bit. `tensors` must hold every `inp`; every `out` is written (made new, zero first).
/// Computes without a location work on scalars; located ones on the vectors of their capability, which needs `machine`.
/// Verifies first: errors as `verify`, CDL0020 (not bound), CDL0021 (tensor missing or of the wrong size), CDL0022 (a
/// capability or dtype that is not known).
/// Works at every stage from `bind` to `double_buffer`.
Status interpret(const Codelet& codelet, const acg::Machine* machine, Bindings& tensors);

}  // namespace covenant::compiler::codelet
