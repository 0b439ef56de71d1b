/// Checks an ONNX graph before it is read.
#pragma once

#include "acg/base/result.h"

namespace onnx {
class GraphProto;
}

namespace covenant::compiler::frontend {

/// Refuses names that are no text in UTF-8, because programs carry them on, and sparse tensors. Errors: ONX0002,
/// ONX0005.
Status check_graph(const onnx::GraphProto& graph);

}  // namespace covenant::compiler::frontend
