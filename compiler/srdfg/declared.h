/// Operators that a user's folder of codelets adds to those of operators.h.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace covenant::compiler::srdfg {

/// An elementwise ONNX operator on stored values: `inputs` quantised tensors and an output, all of one shape, dtype and
/// quantisation. Its node has the attributes `lowest` and `highest`, the range of the dtype.
struct DeclaredOperator {
  std::string name;       ///< name in ONNX: "Sum"
  std::string operation;  ///< operation of its nodes in a normalised graph: the codelet's name
  size_t inputs = 0;
};

using DeclaredOperators = std::vector<DeclaredOperator>;

inline const DeclaredOperator* find_declared(const DeclaredOperators& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

inline const DeclaredOperator* find_declared_operation(const DeclaredOperators& all, std::string_view operation) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.operation == operation; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace covenant::compiler::srdfg
