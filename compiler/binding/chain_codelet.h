/// Codelets of chains of operations in f32: each chain has its own, made of its steps.
#pragma once

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// The codelet of a float_chain with these steps (compiler/srdfg/chain.h): x0 [P,C] and so on, those of f32 among them,
/// y [P,C]; params P C, SX0 and ZX0 of each stored input, SY ZY LOWEST HIGHEST. One DEQUANTIZE for each stored input,
/// one operation in f32 for each step, one QUANTIZE.
/// Error: NET0006, the layer's steps are no chain on its inputs.
Result<codelet::Codelet> chain_codelet(const NetworkLayer& layer);

}  // namespace covenant::compiler
