/// Checks the names in an ONNX model before they are read.
#pragma once

#include "acg/base/result.h"

namespace onnx {
class GraphProto;
}

namespace covenant::compiler::frontend {

/// Refuses names that are no text in UTF-8, because programs carry them on. Error: ONX0002.
Status check_names(const onnx::GraphProto& graph);

}  // namespace covenant::compiler::frontend
