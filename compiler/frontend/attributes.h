/// Attributes of ONNX nodes that may be left out.
#pragma once

#include <cstdint>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// The attribute `key`, or `otherwise` if the node has none that is an integer.
inline int64_t integer_or(const srdfg::Node& node, const char* key, int64_t otherwise) {
  const auto found = node.attributes.find(key);
  if (found == node.attributes.end()) return otherwise;
  const auto* number = std::get_if<int64_t>(&found->second);
  return number == nullptr ? otherwise : *number;
}

}  // namespace covenant::compiler::frontend
