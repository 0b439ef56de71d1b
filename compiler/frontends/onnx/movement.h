/// ONNX operators that only move data: shapes of their results, and the normalised operations that they become.
#pragma once

#include <optional>
#include <string>

#include "acg/base/result.h"
#include "compiler/frontends/onnx/shapes.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// `reshape`, `transpose`, `slice`, `repeat`, `pad` or `concat`, whatever the name of the ONNX operator; nothing for
/// other operators. Split, DepthToSpace and SpaceToDepth are read as several of these.
std::optional<std::string> movement_of(std::string_view onnx_operator);

/// The type of what such a node makes. ONX0004 if shapes, axes or bounds are computed and not constant, ONX0009 if they
/// contradict the tensors, ONX0010 for a Resize that does not repeat elements, a Slice with steps back, or a Pad
/// of anything but a constant.
Result<TensorType> moved(const srdfg::Graph& graph, const srdfg::Node& node);

/// The attributes of operators.h for such a node. Precondition: `moved` has accepted it.
void set_movement_attributes(const srdfg::Graph& graph, const srdfg::Node& node, srdfg::Node& made);

}  // namespace covenant::compiler::frontend
