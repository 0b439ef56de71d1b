/// Lowers a tiled codelet to instructions on virtual registers, without vectors.
#pragma once

#include <map>
#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/families/vliw/code.h"
#include "compiler/storage/storage.h"

namespace covenant::compiler::vliw {

/// Like `lowered`, for a codelet whose computes are sums of products on scalar nodes (scalar_machine.h). Every element
/// of a tile gets a register, and every element that is loaded a pointer, which advances as it loads. Errors: GEN0051
/// (another compute, or elements that no load extends), GEN0052.
Result<Code> lowered_scalars(const codelet::Codelet& tiled, const acg::Machine& machine,
                             const std::map<std::string, uint32_t>& addresses,
                             const std::map<std::string, Storage>& views = {});

}  // namespace covenant::compiler::vliw
