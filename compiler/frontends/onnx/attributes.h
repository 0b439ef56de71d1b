/// Reads optional attributes of ONNX nodes.
#pragma once

#include <cstdint>

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// The attribute `key`, or `otherwise` if the node has none that is an integer.
inline int64_t integer_or(const srdfg::Node& node, const char* key, int64_t otherwise) {
  const auto found = node.attributes.find(key);
  if (found == node.attributes.end()) return otherwise;
  const auto* number = std::get_if<int64_t>(&found->second);
  return number == nullptr ? otherwise : *number;
}

/// Writes into a Softmax of a tensor of `rank` dimensions along which of them it runs, counted from the first: before
/// opset 13 along all from `axis` on, 1 by default (the ONNX operator specification). ONX0010 refuses more than one.
Status settle_axis(int64_t opset, size_t rank, srdfg::Node& node);

}  // namespace covenant::compiler::frontend
