/// Evaluates a normalised graph with the reference operators.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/reference/requantize.h"
#include "compiler/reference/tensor.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

using Tensors = std::map<std::string, Tensor>;  ///< by the name of the value

/// The output of `node`. `inputs`: the tensors of those inputs that are not params, in order. Precondition: the graph
/// is normalised (verify_normalized), and the tensors have the dtypes and shapes of their values.
Tensor evaluate_node(const srdfg::Graph& graph, const srdfg::Node& node, const std::vector<const Tensor*>& inputs);

/// The outputs of `node`, by its body: where the operation has a meaning of its own, the same as that gives.
/// Precondition: as `evaluate_node`, and the node has a body.
std::vector<Tensor> evaluate_body(const srdfg::Graph& graph, const srdfg::Node& node,
                                  const std::vector<const Tensor*>& inputs,
                                  Requantization how = Requantization::kFloat);

/// The graph's outputs for its inputs; nodes that have only a body compute by it. Errors: ONX0020 (an input is missing,
/// unknown, or of another dtype or shape), ONX0019 (the graph is not normalised).
Result<Tensors> evaluate(const srdfg::Graph& graph, const Tensors& inputs, Requantization how = Requantization::kFloat);

/// The same, with the values of all nodes.
Result<Tensors> evaluate_all(const srdfg::Graph& graph, const Tensors& inputs,
                             Requantization how = Requantization::kFloat);

/// The same, but each node is given the values that others make in single precision.
Result<Tensors> evaluate_alone(const srdfg::Graph& graph, const Tensors& inputs, Requantization how);

}  // namespace covenant::compiler::reference
