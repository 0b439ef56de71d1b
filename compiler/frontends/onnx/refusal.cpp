#include "compiler/frontends/onnx/refusal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace covenant::compiler::frontend {

Diagnostic diagnostic(Refusal refusal) {
  return {.code = std::string(refusal.code),
          .where = {},
          .subject = std::move(refusal.subject),
          .message = std::move(refusal.message),
          .offending = std::move(refusal.offending),
          .allowed = std::move(refusal.allowed),
          .fix = std::move(refusal.fix)};
}

std::string subject_of(const srdfg::Node& node) { return fmt::format("{} ({})", node.name, node.operation); }

Diagnostic malformed(const srdfg::Node& node, std::string message, std::string offending) {
  return diagnostic(
      {.code = kMalformed,
       .subject = subject_of(node),
       .message = std::move(message),
       .offending = std::move(offending),
       .allowed = {},
       .fix = "check the model with onnx.checker.check_model(path, full_check=True) and export it again"});
}

Diagnostic unsupported_rank(const srdfg::Node& node, std::string message, std::string offending, std::string fix) {
  return diagnostic({.code = kAttribute,
                     .subject = subject_of(node),
                     .message = std::move(message),
                     .offending = std::move(offending),
                     .allowed = {},
                     .fix = std::move(fix)});
}

Diagnostic float_model(std::string_view layer) {
  return diagnostic(
      {.code = kFloatModel,
       .subject = std::string(layer),
       .message = "the model is a float model: it has no quantised operators",
       .offending = "float32 tensors",
       .allowed = {"QOperator models (QLinearConv ...)", "QDQ models (QuantizeLinear/DequantizeLinear pairs)"},
       .fix = "quantise it first: covenant quantize model.onnx -o model_int8.onnx --calibrate samples.npz"});
}

Diagnostic unsupported_operator(const srdfg::Node& node) {
  const size_t dot = node.operation.rfind('.');
  const std::string domain = dot == std::string::npos ? "" : node.operation.substr(0, dot);
  const bool is_foreign = !domain.empty() && domain != "com.microsoft" && domain != "covenant";
  return diagnostic(
      {.code = kOperator,
       .subject = subject_of(node),
       .message = is_foreign ? fmt::format("operators of the domain {} are not known here", domain)
                             : "the operator is not supported between quantised layers",
       .offending = node.operation,
       .allowed = {"the operators that `covenant operators -m MACHINE` lists"},
       .fix = is_foreign ? "write it with operators of ONNX, or give it a codelet (--library, "
                           "docs/guide/add-an-operator.md)"
                         : "let the quantised layers end before it or begin after it: ONNX Runtime computes float "
                           "operators at the ends of a model on the host; or write it with operators that are taken"});
}

std::string shape_text(const std::vector<uint64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

}  // namespace covenant::compiler::frontend
