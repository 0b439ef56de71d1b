#include "compiler/frontends/onnx/rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <span>

#include "compiler/frontends/onnx/attributes.h"
#include "compiler/frontends/onnx/quantization.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

constexpr std::string_view kDomain = "covenant.";
constexpr int64_t kMostFactor = 127;  ///< one weight of the array

/// Operands and result of a node, by the positions of its inputs.
struct Form {
  std::string_view name;
  const char* operation;
  bool reads_stored;    ///< the first operand, with its scale and zero point after it
  size_t numbers;       ///< operands that are numbers of rows, or made of them, after that
  DType read, written;  ///< of those numbers, and of the result
  std::array<const char*, 2> attributes;
};

constexpr std::array<Form, 7> kForms{{
    {"RowSums", "row_sums", true, 0, DType::kI32, DType::kI32, {"factor", ""}},
    {"RowMean", "row_mean", false, 1, DType::kI32, DType::kF32, {"count", "scale"}},
    {"RowSquares", "row_squares", false, 2, DType::kI32, DType::kF32, {"", ""}},
    {"RowVariance", "row_variance", false, 2, DType::kF32, DType::kF32, {"count", "scale"}},
    {"RowDeviation", "row_deviation", false, 1, DType::kF32, DType::kF32, {"epsilon", ""}},
    {"NormalizeRows", "normalize_rows", true, 2, DType::kF32, DType::kF32, {"", ""}},
    {"ScaleColumns", "scale_columns", false, 1, DType::kF32, DType::kU8, {"", ""}},
}};

const Form* form_of(std::string_view operation) {
  if (!operation.starts_with(kDomain)) return nullptr;
  const auto* found = std::ranges::find(kForms, operation.substr(kDomain.size()), &Form::name);
  return found == kForms.end() ? nullptr : found;
}

/// An attribute as operators.h has it: whole numbers and reals, none below 0.
Status add_attribute(const Node& node, const char* key, Node& made) {
  const auto found = node.attributes.find(key);
  const auto* whole = found == node.attributes.end() ? nullptr : std::get_if<int64_t>(&found->second);
  const auto* real = found == node.attributes.end() ? nullptr : std::get_if<double>(&found->second);
  const std::string_view said = key;
  const bool is_whole = said == "factor" || said == "count";
  const bool is_right =
      is_whole
          ? whole != nullptr && (said == "factor" ? std::abs(*whole) <= kMostFactor : *whole > 0 && *whole <= INT32_MAX)
          : real != nullptr && std::isfinite(*real) && (said == "epsilon" ? *real >= 0 : *real > 0);
  if (!is_right) {
    return diagnostic({.code = kAttribute,
                       .subject = subject_of(node),
                       .message = fmt::format("the attribute {} is missing or out of its range", key),
                       .offending = whole != nullptr  ? fmt::format("{}", *whole)
                                    : real != nullptr ? fmt::format("{}", *real)
                                                      : "none",
                       .allowed = {is_whole ? "a whole number" : "a real number, finite and not below 0"},
                       .fix = "write what compiler/operators/operators.h says of the operation"});
  }
  if (is_whole) {
    made.attributes[key] = *whole;
  } else {
    made.attributes[key] = double{static_cast<float>(*real)};
  }
  return Done{};
}

/// Numbers that other nodes on rows have made.
Status add_numbers(const Normalizing& normalizing, const Node& node, const Form& form, Node& made) {
  const size_t first = form.reads_stored ? 3 : 0;
  const std::vector<uint64_t>& shape = normalizing.model.get(node.inputs[0]).shape;
  for (size_t i = first; i < first + form.numbers; ++i) {
    const auto id = normalizing.ids[node.inputs[i].value];
    const Value* value = id ? &normalizing.graph.get(*id) : nullptr;
    const bool is_row = form.name != "ScaleColumns";
    const std::vector<uint64_t> wanted{shape[0], shape[1], is_row ? 1 : shape[2]};
    if (value == nullptr || value->dtype != form.read || value->shape != wanted ||
        value->modifier == Modifier::kParam) {
      return malformed(
          node, fmt::format("operand {} is no {} number of each row, made by a node on rows", i, name(form.read)),
          normalizing.model.get(node.inputs[i]).name);
    }
    made.inputs.push_back(*id);
  }
  return Done{};
}

/// Gains and offsets of ScaleColumns, one for each column.
Status add_columns(Normalizing& normalizing, const Node& node, Node& made) {
  const std::vector<uint64_t> wanted{normalizing.model.get(node.inputs[0]).shape[2]};
  for (const size_t i : {size_t{1}, size_t{2}}) {
    const Value& value = normalizing.model.get(node.inputs[i]);
    if (value.modifier != Modifier::kParam || value.dtype != DType::kF32 || value.shape != wanted) {
      return malformed(node, "gains and offsets are f32 constants, one for each column", shape_text(value.shape));
    }
    made.inputs.push_back(normalizing.add(value));
  }
  return Done{};
}

}  // namespace

bool is_on_rows(std::string_view operation) { return form_of(operation) != nullptr; }

Result<TensorType> type_on_rows(const srdfg::Graph& model, const Node& node) {
  const Form& form = *form_of(node.operation);
  std::vector<uint64_t> shape = model.get(node.inputs[0]).shape;
  if (shape.size() != 3) {
    return unsupported_rank(node, "rows lie in three dimensions", shape_text(shape), "reshape the tensor before it");
  }
  if (form.name != "NormalizeRows" && form.name != "ScaleColumns") shape[2] = 1;
  const DType dtype = form.name == "ScaleColumns" ? model.get(node.inputs[4]).dtype : form.written;
  return TensorType{dtype, std::move(shape)};
}

Status append_on_rows(Normalizing& normalizing, const Node& node) {
  const Form& form = *form_of(node.operation);
  const Value& output = normalizing.model.get(node.outputs[0]);
  Node made{.name = {}, .operation = form.operation, .body = {}};
  if (form.reads_stored) {
    auto quantization = per_tensor(normalizing.model, node, normalizing.model.get(node.inputs[0]).dtype,
                                   quantization_inputs(normalizing.model, node, 0));
    if (!quantization) return quantization.error();
    const Result<ValueId> x = connect(normalizing, node, {node.inputs[0], *quantization});
    if (!x) return x.error();
    made.inputs.push_back(*x);
  }
  if (Status status = add_numbers(normalizing, node, form, made); !status) return status;
  for (const char* key : form.attributes) {
    if (*key == '\0') continue;
    if (Status status = add_attribute(node, key, made); !status) return status;
  }
  Value value{.name = output.name, .dtype = output.dtype, .shape = output.shape, .modifier = Modifier::kState};
  if (form.name == "ScaleColumns") {
    if (Status status = add_columns(normalizing, node, made); !status) return status;
    auto quantization =
        per_tensor(normalizing.model, node, output.dtype, {node.outputs[0], node.inputs[3], node.inputs[4]});
    if (!quantization) return quantization.error();
    value.quantization = *quantization;
    made.attributes["lowest"] = lowest(output.dtype);
    made.attributes["highest"] = highest(output.dtype);
  }
  made.outputs = {normalizing.add(std::move(value))};
  made.name = normalizing.names.unique(node.name);
  normalizing.ids[node.outputs[0].value] = made.outputs[0];
  normalizing.graph.nodes.push_back(std::move(made));
  return Done{};
}

}  // namespace covenant::compiler::frontend
