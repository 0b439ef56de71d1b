/// Sums of rows and what is made of them: nodes of our own domain, each a part of what normalisations are made of.
#pragma once

#include <string_view>

#include "acg/base/result.h"
#include "compiler/frontends/onnx/fused.h"
#include "compiler/frontends/onnx/shapes.h"

namespace covenant::compiler::frontend {

/// True for a node that represents one operation on rows of operators.h. Tensors have the shapes given there.
///
///     covenant.RowSums: x, x_scale, x_zero_point -> s; factor
///     covenant.RowMean: s -> m; count, scale              covenant.RowSquares: high, low -> q
///     covenant.RowVariance: m, q -> v; count, scale       covenant.RowDeviation: v -> d; epsilon
///     covenant.NormalizeRows: x, x_scale, x_zero_point, m, d -> e
///     covenant.ScaleColumns: e, gains, offsets, y_scale, y_zero_point -> y
bool is_on_rows(std::string_view operation);

/// The type of what such a node makes. Error: ONX0010, its operands have no three dimensions.
Result<TensorType> type_on_rows(const srdfg::Graph& model, const srdfg::Node& node);

/// Appends the operation. Errors: ONX0009, what it reads is no part of such a normalisation, or of another shape;
/// ONX0010, an attribute is missing or out of its range; ONX0012 and ONX0014, as of other layers.
Status append_on_rows(Normalizing& normalizing, const srdfg::Node& node);

}  // namespace covenant::compiler::frontend
