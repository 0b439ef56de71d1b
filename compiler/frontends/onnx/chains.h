/// Chains of float operations between quantised tensors: a node of our own domain.
#pragma once

#include <string_view>

#include "acg/base/result.h"
#include "compiler/frontends/onnx/fused.h"
#include "compiler/frontends/onnx/shapes.h"

namespace covenant::compiler::frontend {

/// True for a node that represents a float_chain of operators.h.
///
///     covenant.FloatChain: x0, x0_scale, x0_zero_point, ..., y_scale, y_zero_point -> y; steps
///
/// An f32 constant or input has no scale and no zero point: their names are empty.
bool is_chain(std::string_view operation);

/// The type of what such a node makes. Error: ONX0009, it has no operands, or they differ in shape.
Result<TensorType> type_of_chain(const srdfg::Graph& model, const srdfg::Node& node);

/// Appends the operation. Errors: ONX0009, constants that are no f32; ONX0010, the steps are missing or no chain;
/// ONX0012 and ONX0014, as of other layers.
Status append_chain(Normalizing& normalizing, const srdfg::Node& node);

}  // namespace covenant::compiler::frontend
