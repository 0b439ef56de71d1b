/// Expands operators that are read as several others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace onnx {
class NodeProto;
}

namespace covenant::compiler::frontend {

/// The nodes that replace a Split (one Slice for each result), a Gather by constant indices (Slice, Concat, Reshape), a
/// DepthToSpace or a SpaceToDepth (Reshape, Transpose, Reshape), following the ONNX operator specification, constants
/// included. Precondition: is_expanded. The shape of its input is that of `x`; `constants`: other inputs, by name.
/// Errors: ONX0009 (the parts do not add up), ONX0004 (they are computed).
Result<std::vector<onnx::NodeProto>> expanded(const onnx::NodeProto& node, const srdfg::Value& x,
                                              const std::map<std::string, const srdfg::Value*>& constants);

/// True if `expanded` supports the operation.
bool is_expanded(const std::string& operation);

}  // namespace covenant::compiler::frontend
