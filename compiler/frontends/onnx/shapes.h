/// Shapes and dtypes of the results of ONNX operators, following the ONNX operator specification.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

struct TensorType {
  DType dtype = DType::kF32;
  std::vector<uint64_t> shape;
};

/// The type of the one output of `node`, an operator of operators.h, whose inputs are in `graph`. ONX0009 if their
/// shapes contradict one another, ONX0010 or ONX0005 if they are not supported.
Result<TensorType> infer_output(const srdfg::Graph& graph, const srdfg::Node& node);

/// The same for an operator that a folder of codelets declares: all operands have one shape (otherwise ONX0010), which
/// is that of the result.
Result<TensorType> elementwise_output(const srdfg::Graph& graph, const srdfg::Node& node);

}  // namespace covenant::compiler::frontend
