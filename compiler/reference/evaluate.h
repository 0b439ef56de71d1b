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

/// The graph's outputs for its inputs. Errors: ONX0020 (an input is missing, unknown, or of another dtype or shape),
/// ONX0019 (the graph is not normalised).
Result<Tensors> evaluate(const srdfg::Graph& graph, const Tensors& inputs, Requantization how = Requantization::kFloat);

/// The same, with the values of all nodes.
Result<Tensors> evaluate_all(const srdfg::Graph& graph, const Tensors& inputs,
                             Requantization how = Requantization::kFloat);

/// The same, but each node is given the values that others make in single precision.
Result<Tensors> evaluate_alone(const srdfg::Graph& graph, const Tensors& inputs, Requantization how);

}  // namespace covenant::compiler::reference
