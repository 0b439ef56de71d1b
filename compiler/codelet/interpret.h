/// Interprets codelets: the reference with which passes and backends are compared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// Tensors by surrogate: dense, row-major, with the surrogate's shape and dtype, little-endian.
using Bindings = std::map<std::string, std::vector<uint8_t>>;

/// Runs the codelet bit-exactly. `tensors` must hold every `inp`; every `out` is created, filled with zeros and
/// written. Computes without a location work on scalars, located ones on the vectors of their capability, which needs
/// `machine`. Verifies first. Errors: those of `verify`, CDL0020 (not bound), CDL0021 (tensor missing or of the wrong
/// size), CDL0022 (unknown capability or dtype). Works at every stage from `bind` to `double_buffer`.
Status interpret(const Codelet& codelet, const acg::Machine* machine, Bindings& tensors);

}  // namespace covenant::compiler::codelet
