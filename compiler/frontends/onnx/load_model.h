/// Runs the whole front end in one call.
#pragma once

#include <string_view>

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// read_onnx, then normalize; diagnostics carry the path.
Result<srdfg::Graph> load_model(std::string_view path);

}  // namespace covenant::compiler::frontend
