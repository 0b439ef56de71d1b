#include "compiler/frontends/onnx/attributes.h"

#include <fmt/format.h>

#include "compiler/frontends/onnx/refusal.h"

namespace covenant::compiler::frontend {

Status settle_axis(int64_t opset, size_t rank, srdfg::Node& node) {
  const bool is_old = integer_or(node, "opset", opset) < 13;
  const auto dimensions = static_cast<int64_t>(rank);
  int64_t axis = integer_or(node, "axis", is_old ? 1 : -1);
  if (axis < 0) axis += dimensions;
  if (axis < 0 || axis >= dimensions) return malformed(node, "there is no such axis", fmt::format("axis={}", axis));
  node.attributes["axis"] = axis;
  if (!is_old || axis + 1 == dimensions) return Done{};
  return diagnostic({.code = kAttribute,
                     .subject = subject_of(node),
                     .message = "a Softmax before opset 13 is supported along the last dimension only",
                     .offending = fmt::format("axis={} of {} dimensions", axis, dimensions),
                     .allowed = {fmt::format("axis={}", dimensions - 1)},
                     .fix = "convert the model: onnx.version_converter.convert_version(model, 17)"});
}

}  // namespace covenant::compiler::frontend
