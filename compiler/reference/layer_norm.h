/// Reference operators of normalisation along rows or by groups of channels in single precision, and of its parts
/// (compiler/operators/operators.h).
#pragma once

#include <vector>

#include "compiler/reference/tensor.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

/// `x` [G,M,K] -> [G,M,K]; of a channel_norm [N,C,H,W] -> [N,C,H,W].
Tensor layer_norm(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

/// `x` [N,C,H,W] -> [N,C] i32.
Tensor channel_sums(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x);

/// Sums [G,M,1] or [N,C] i32 -> f32.
Tensor row_mean(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& s);

/// Sums of the high and of the low bytes of squares, [G,M,1] i32 -> f32.
Tensor row_squares(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& high, const Tensor& low);

/// Means and sums of squares, [G,M,1] f32 -> f32.
Tensor row_variance(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& mean, const Tensor& squares);

/// [G,M,1] f32 -> f32.
Tensor row_deviation(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& variance);

/// `x` [G,M,K], means and deviations [G,M,1] -> [G,M,K] f32; the same of [N,C,H,W] and [N,C].
Tensor normalize_rows(const srdfg::Graph& graph, const srdfg::Node& node, const std::vector<const Tensor*>& inputs);

/// [G,M,K] f32 -> [G,M,K], or [N,C,H,W].
Tensor scale_columns(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& even);

}  // namespace covenant::compiler::reference
