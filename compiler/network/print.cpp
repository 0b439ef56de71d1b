#include "compiler/network/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acg/base/check.h"
#include "compiler/codelet/print.h"
#include "compiler/srdfg/text.h"

namespace covenant::compiler {
namespace {

std::string print(const std::variant<int64_t, codelet::Constant>& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return fmt::format("{}", *integer);
  const auto& constant = std::get<codelet::Constant>(value);
  if (!constant.table.empty()) return fmt::format("{} \"{}\"", name(constant.dtype), hexadecimal(constant.table));
  if (constant.dtype != DType::kF32) return fmt::format("{} {}", name(constant.dtype), constant.integer);
  return fmt::format("f32 {:a}", constant.real);
}

std::string print(size_t index, const Activation& tensor) {
  return fmt::format("  tensor {} {} {} [{}] zero_point={} {};\n", index, quoted(tensor.name), name(tensor.dtype),
                     fmt::join(tensor.shape, ","), tensor.zero_point, print(tensor.storage));
}

std::string print(std::string_view kind, const Boundary& boundary) {
  std::string text = fmt::format("  {} {} [{}] tensor={}", kind, quoted(boundary.name), fmt::join(boundary.shape, ","),
                                 boundary.activation);
  if (boundary.host_quantizes) {
    text += fmt::format(" host_quantizes scale={:a} zero_point={}", boundary.quantization.scale,
                        boundary.quantization.zero_point);
  }
  if (boundary.model_dtype) text += fmt::format(" model_dtype={}", name(*boundary.model_dtype));
  return text + ";\n";
}

}  // namespace

std::string print(const NetworkLayer& layer) {
  check(layer.fused.empty(), "a network is printed before its layers are fused");
  std::string text = fmt::format("  layer {} {} lowering={} macs={} elementwise={} {{\n", quoted(layer.layer.name),
                                 layer.operation, quoted(layer.lowering), layer.macs, layer.elementwise);
  if (layer.codelet) text += fmt::format("    codelet {};\n", quoted(codelet::print(*layer.codelet)));
  if (!layer.steps.empty()) text += fmt::format("    steps {};\n", quoted(layer.steps));
  for (const auto& [param, value] : layer.layer.params) text += fmt::format("    param {}={};\n", param, print(value));
  for (const auto& [tensor, dtype] : layer.layer.dtypes) text += fmt::format("    dtype {} {};\n", tensor, name(dtype));
  for (const auto& [tensor, index] : layer.activations) text += fmt::format("    tensor {}={};\n", tensor, index);
  for (const auto& [tensor, constant] : layer.constants) {
    text += fmt::format("    constant {} [{}] \"{}\";\n", tensor, fmt::join(constant.shape, ","),
                        hexadecimal(constant.data));
  }
  return text + "  }\n";
}

std::string print(const Network& network) {
  std::string text = fmt::format("network {} of {} {{\n", quoted(network.name), quoted(network.model));
  for (size_t i = 0; i < network.activations.size(); ++i) text += print(i, network.activations[i]);
  for (const Boundary& boundary : network.inputs) text += print("input", boundary);
  for (const Boundary& boundary : network.outputs) text += print("output", boundary);
  for (const NetworkLayer& layer : network.layers) text += print(layer);
  return text + "}\n";
}

}  // namespace covenant::compiler
