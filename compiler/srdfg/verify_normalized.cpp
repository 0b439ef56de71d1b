#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "compiler/srdfg/accumulators.h"
#include "compiler/srdfg/chain.h"
#include "compiler/srdfg/movement.h"
#include "compiler/srdfg/operations.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/verify.h"
#include "compiler/srdfg/verify_rows.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler::srdfg {
namespace {

constexpr size_t kAnyNumber = SIZE_MAX;

/// The requirements of operations.h for one operation.
struct Rule {
  std::string_view operation;
  size_t least_inputs;
  size_t most_inputs;
  size_t input_rank;                      ///< 0: any
  size_t output_rank;                     ///< 0: any
  std::array<std::string_view, 3> lists;  ///< names of list attributes
  std::array<size_t, 3> lengths;
  bool clamps;  ///< has attributes lowest and highest
  bool keeps_quantization;
};

constexpr std::array<Rule, 40> kRules{{
    {"conv", 2, 3, 4, 4, {"strides", "pads", ""}, {2, 4, 0}, true, false},
    {"gemm", 2, 3, 2, 2, {"", "", ""}, {}, true, false},
    {"conv_sums", 2, 2, 4, 4, {"strides", "pads", ""}, {2, 4, 0}, false, false},
    {"gemm_sums", 2, 2, 2, 2, {"", "", ""}, {}, false, false},
    {"matmul", 2, 2, 3, 3, {"", "", ""}, {}, true, false},
    {"to_signed", 1, 1, 0, 0, {"", "", ""}, {}, false, false},
    {"row_sums", 1, 1, 3, 3, {"", "", ""}, {}, false, false},
    {"column_sums", 1, 1, 3, 3, {"", "", ""}, {}, false, false},
    {"matmul_stored", 3, 4, 3, 3, {"", "", ""}, {}, true, false},
    {"layer_norm", 3, 3, 3, 3, {"", "", ""}, {}, true, false},
    {"row_mean", 1, 1, 3, 3, {"", "", ""}, {}, false, false},
    {"row_squares", 2, 2, 3, 3, {"", "", ""}, {}, false, false},
    {"row_variance", 2, 2, 3, 3, {"", "", ""}, {}, false, false},
    {"row_deviation", 1, 1, 3, 3, {"", "", ""}, {}, false, false},
    {"normalize_rows", 3, 3, 3, 3, {"", "", ""}, {}, false, false},
    {"scale_columns", 3, 3, 3, 3, {"", "", ""}, {}, true, false},
    {"add", 2, 2, 0, 0, {"", "", ""}, {}, true, false},
    {"mul", 2, 2, 0, 0, {"", "", ""}, {}, true, false},
    {"sub", 2, 2, 0, 0, {"", "", ""}, {}, true, false},
    {"div", 2, 2, 0, 0, {"", "", ""}, {}, true, false},
    {"max", 2, 2, 0, 0, {"", "", ""}, {}, true, false},
    {"min", 2, 2, 0, 0, {"", "", ""}, {}, true, false},
    {"lookup", 2, 2, 0, 0, {"", "", ""}, {}, false, false},
    {"float_chain", 1, kAnyNumber, 0, 0, {"", "", ""}, {}, true, false},
    {"clip", 1, 1, 0, 0, {"", "", ""}, {}, true, true},
    {"max_pool", 1, 1, 4, 4, {"kernel", "strides", "pads"}, {2, 2, 4}, false, true},
    {"average_pool", 1, 1, 4, 4, {"kernel", "strides", "pads"}, {2, 2, 4}, true, false},
    {"global_average_pool", 1, 1, 4, 4, {"", "", ""}, {}, true, false},
    {"softmax", 1, 1, 0, 0, {"", "", ""}, {}, true, false},
    {"reduce_max", 1, 1, 0, 0, {"", "", ""}, {}, false, true},
    {"softmax_sum", 3, 3, 0, 0, {"", "", ""}, {}, false, false},
    {"softmax_quotient", 4, 4, 0, 0, {"", "", ""}, {}, true, false},
    {"reshape", 1, 1, 0, 0, {"", "", ""}, {}, false, true},
    {"transpose", 1, 1, 0, 0, {"", "", ""}, {}, false, true},
    {"slice", 1, 1, 0, 0, {"", "", ""}, {}, false, true},
    {"repeat", 1, 1, 0, 0, {"", "", ""}, {}, false, true},
    {"pad", 1, 1, 0, 0, {"", "", ""}, {}, false, true},
    {"concat", 1, kAnyNumber, 0, 0, {"", "", ""}, {}, false, true},
    {"quantize", 1, 1, 0, 0, {"", "", ""}, {}, false, false},
    {"dequantize", 1, 1, 0, 0, {"", "", ""}, {}, false, false},
}};

/// Checks the optional attributes of windows. Adds those that are present to `known`.
std::string_view mistake_in_spacing(const Node& node, size_t& known) {
  if (const auto found = node.attributes.find("dilations"); found != node.attributes.end()) {
    const auto* list = std::get_if<std::vector<int64_t>>(&found->second);
    const auto is_wrong = [](int64_t entry) { return entry < 1 || entry > INT32_MAX; };
    if (list == nullptr || list->size() != 2 || std::ranges::any_of(*list, is_wrong)) return "wrong dilations";
    ++known;
  }
  if (const auto found = node.attributes.find("group");
      !node.operation.ends_with("_pool") && found != node.attributes.end()) {
    const auto* groups = std::get_if<int64_t>(&found->second);
    if (groups == nullptr || *groups < 2) return "a group that is no number of groups above 1";
    ++known;
  }
  if (const auto found = node.attributes.find("count_pads");
      node.operation == "average_pool" && found != node.attributes.end()) {
    if (found->second != Attribute(int64_t{1})) return "a count_pads that is not 1";
    ++known;
  }
  return "";
}

/// Checks the accumulator attributes, which are numbers of nodes that sum.
std::string_view mistake_in_accumulator(const Node& node, size_t& known) {
  for (const std::string_view name : kAccumulatorAttributes) {
    const auto found = node.attributes.find(std::string(name));
    if (found == node.attributes.end()) continue;
    if (!std::holds_alternative<int64_t>(found->second)) return "an accumulator that is no number";
    ++known;
  }
  return "";
}

bool has_axis(const Node& node) { return node.operation.starts_with("softmax") || node.operation == "reduce_max"; }

std::string_view mistake_in_steps(const Node& node, size_t& known) {
  const auto found = node.attributes.find("steps");
  const auto* text = found == node.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  ++known;
  return text != nullptr && chain_steps(*text, node.inputs.size()) ? "" : "steps that are no chain on its inputs";
}

std::string_view mistake_in_attributes(const Rule& rule, const Node& node) {
  size_t known = 0;
  for (size_t i = 0; i < rule.lists.size(); ++i) {
    if (rule.lists[i].empty()) continue;
    const auto found = node.attributes.find(std::string(rule.lists[i]));
    if (found == node.attributes.end()) return "an attribute is missing";
    const auto* list = std::get_if<std::vector<int64_t>>(&found->second);
    if (list == nullptr || list->size() != rule.lengths[i]) return "an attribute is no list of the right length";
    const int64_t least = rule.lists[i] == "pads" ? 0 : 1;
    if (std::ranges::any_of(*list, [&](int64_t entry) { return entry < least || entry > INT32_MAX; })) {
      return "an entry of a list attribute is out of range";
    }
    ++known;
  }
  if (rule.lists[1] == "pads" || rule.lists[2] == "pads") {
    if (const auto mistake = mistake_in_spacing(node, known); !mistake.empty()) return mistake;
  }
  if (works_on_rows(node.operation)) {
    if (const auto mistake = mistake_in_row_attributes(node, known); !mistake.empty()) return mistake;
  }
  if (rule.operation == "float_chain") {
    if (const auto mistake = mistake_in_steps(node, known); !mistake.empty()) return mistake;
  }
  if (const auto mistake = mistake_in_accumulator(node, known); !mistake.empty()) return mistake;
  if (has_axis(node)) {
    const auto found = node.attributes.find("axis");
    if (found == node.attributes.end() || !std::holds_alternative<int64_t>(found->second)) return "axis is missing";
    ++known;
  }
  if (rule.clamps) {
    for (std::string_view key : {"lowest", "highest"}) {
      const auto found = node.attributes.find(std::string(key));
      if (found == node.attributes.end() || !std::holds_alternative<int64_t>(found->second)) {
        return "lowest or highest is missing";
      }
      ++known;
    }
    if (integer_attribute(node, "lowest") > integer_attribute(node, "highest")) return "lowest is above highest";
  }
  return node.attributes.size() == known ? "" : "an attribute that the operation does not have";
}

/// Number of windows of `kernel` that fit into `extent` padded elements at `stride`; 0 if none fits.
uint64_t windows(uint64_t extent, int64_t before, int64_t after, uint64_t kernel, int64_t dilation, int64_t stride) {
  const uint64_t padded = extent + static_cast<uint64_t>(before) + static_cast<uint64_t>(after);
  const uint64_t reach = (kernel - 1) * static_cast<uint64_t>(dilation) + 1;
  return padded < reach ? 0 : (padded - reach) / static_cast<uint64_t>(stride) + 1;
}

bool window_shape(const Node& node, const Value& x, const Value& y, uint64_t kernel_rows, uint64_t kernel_columns) {
  const auto& pads = integers_attribute(node, "pads");
  const auto& strides = integers_attribute(node, "strides");
  const std::array<int64_t, 2> gaps = dilations(node);
  return y.shape[0] == x.shape[0] &&
         y.shape[2] == windows(x.shape[2], pads[0], pads[2], kernel_rows, gaps[0], strides[0]) &&
         y.shape[3] == windows(x.shape[3], pads[1], pads[3], kernel_columns, gaps[1], strides[1]);
}

std::string_view mistake_in_parameters(const Node& node, const Graph& graph, uint64_t outputs, size_t axis) {
  const Value& weight = graph.get(node.inputs[1]);
  if (weight.modifier != Modifier::kParam || !is_narrow(weight.dtype) || !info(weight.dtype).is_signed ||
      !weight.quantization) {
    return "weights that are no quantised param with a sign";
  }
  const Quantization& quantization = *weight.quantization;
  if (std::ranges::any_of(quantization.zero_points, [](int32_t zero) { return zero != 0; })) {
    return "weights with a zero point";
  }
  if (quantization.axis != -1 && static_cast<size_t>(quantization.axis) != axis) {
    return "weights quantised along another axis than the output channels";
  }
  if (node.inputs.size() < 3) return "";
  const Value& bias = graph.get(node.inputs[2]);
  const bool fits =
      bias.modifier == Modifier::kParam && bias.dtype == DType::kI32 && bias.shape == std::vector<uint64_t>{outputs};
  return fits ? "" : "a bias that is no i32 param of one element per output channel";
}

/// Checks a softmax or one of its parts.
std::string_view mistake_along_axis(const Node& node, const Graph& graph) {
  constexpr const char* kMistake = "shapes that do not fit the operation";
  constexpr const char* kTooWide = "a table of elements of more than 8 bits";
  const std::vector<uint64_t>& x = graph.get(node.inputs[0]).shape;
  const int64_t axis = integer_attribute(node, "axis");
  if (x.size() < 2 || axis < 0 || static_cast<size_t>(axis) >= x.size()) return kMistake;
  std::vector<uint64_t> reduced = x;
  reduced[static_cast<size_t>(axis)] = 1;
  const bool reduces = node.operation == "reduce_max" || node.operation == "softmax_sum";
  if (graph.get(node.outputs[0]).shape != (reduces ? reduced : x)) return kMistake;
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const Value& other = graph.get(node.inputs[i]);
    const bool is_table = i + 1 == node.inputs.size();
    if (is_table && bits(graph.get(node.inputs[0]).dtype) > 8) return kTooWide;
    const uint64_t entries = is_table ? uint64_t{1} << bits(graph.get(node.inputs[0]).dtype) : 0;
    if (other.shape != (is_table ? std::vector<uint64_t>{entries} : reduced)) return kMistake;
    const bool is_sum = i == 2;
    if (is_table || is_sum ? other.dtype != DType::kF32 : other.dtype != graph.get(node.inputs[0]).dtype) {
      return "operands of the wrong dtypes";
    }
  }
  return "";
}

std::string_view mistake_in_shapes(const Node& node, const Graph& graph) {
  const Value& x = graph.get(node.inputs[0]);
  const Value& y = graph.get(node.outputs[0]);
  if (node.operation == "conv" || node.operation == "conv_sums") {
    const Value& w = graph.get(node.inputs[1]);
    const auto parts = static_cast<uint64_t>(groups(node));
    const bool fits =
        w.shape.size() == 4 && w.shape[1] * parts == x.shape[1] && y.shape[1] == w.shape[0] && w.shape[0] % parts == 0;
    if (!fits || !window_shape(node, x, y, w.shape[2], w.shape[3])) return "shapes that do not fit the operation";
    return mistake_in_parameters(node, graph, w.shape[0], 0);
  }
  if (node.operation == "gemm") {
    const Value& w = graph.get(node.inputs[1]);
    const bool fits = w.shape.size() == 2 && w.shape[0] == x.shape[1] && y.shape[1] == w.shape[1];
    if (!fits || y.shape[0] != x.shape[0]) return "shapes that do not fit the operation";
    return mistake_in_parameters(node, graph, w.shape[1], 1);
  }
  if (node.operation == "gemm_sums") {
    const Value& w = graph.get(node.inputs[1]);
    const bool fits = w.shape.size() == 3 && w.shape[0] > 0 && w.shape[1] == x.shape[1] && y.shape[1] == w.shape[2];
    if (!fits || y.shape[0] != x.shape[0] || x.shape[0] % w.shape[0] != 0)
      return "shapes that do not fit the operation";
    return mistake_in_parameters(node, graph, w.shape[2], 2);
  }
  if (has_axis(node)) return mistake_along_axis(node, graph);
  if (works_on_rows(node.operation)) return mistake_on_rows(node, graph);
  bool fits = x.shape == y.shape;
  if (is_pair(node.operation)) {
    const std::vector<uint64_t>& other = graph.get(node.inputs[1]).shape;
    const bool is_factor = node.operation == "mul" && is_one_per_channel(other, x.shape);
    fits = fits && (other == x.shape || is_factor);
  }
  if (node.operation == "float_chain") {
    fits = std::ranges::all_of(node.inputs, [&](ValueId id) { return graph.get(id).shape == y.shape; });
  }
  if (node.operation == "global_average_pool") {
    fits = y.shape == std::vector<uint64_t>{x.shape[0], x.shape[1], 1, 1} && x.shape[2] > 0 && x.shape[3] > 0;
  }
  if (node.operation == "max_pool" || node.operation == "average_pool") {
    const auto& kernel = integers_attribute(node, "kernel");
    fits = y.shape[1] == x.shape[1] &&
           window_shape(node, x, y, static_cast<uint64_t>(kernel[0]), static_cast<uint64_t>(kernel[1]));
  }
  return fits ? "" : "shapes that do not fit the operation";
}

std::string_view mistake_in_dtypes(const Rule& rule, const Node& node, const Graph& graph) {
  const Value& x = graph.get(node.inputs[0]);
  const Value& y = graph.get(node.outputs[0]);
  if (is_row_number(rule.operation)) return "";
  if (node.operation == "scale_columns") return is_activation(y) ? "" : "an output of the wrong dtype or quantisation";
  const bool quantizes = rule.operation == "quantize";
  const bool dequantizes = rule.operation == "dequantize";
  if (quantizes ? x.dtype != DType::kF32 : !is_activation(x)) return "an input of the wrong dtype or quantisation";
  if (rule.operation.ends_with("_sums")) {
    const bool is_sum = y.dtype == DType::kI32 && !y.quantization;
    return is_sum ? "" : "an output that is no unquantised i32";
  }
  if (node.operation == "softmax_sum" || node.operation == "normalize_rows") {
    return y.dtype == DType::kF32 && !y.quantization ? "" : "an output that is no unquantised f32";
  }
  if (dequantizes ? y.dtype != DType::kF32 : !is_activation(y)) return "an output of the wrong dtype or quantisation";
  if (rule.operation == "to_signed") {
    const int64_t half = -lowest(y.dtype);
    const bool is_signed = !info(x.dtype).is_signed && info(y.dtype).is_signed && bits(x.dtype) == bits(y.dtype) &&
                           y.quantization->zero_points[0] == x.quantization->zero_points[0] - half;
    if (is_signed && y.quantization->scales == x.quantization->scales) return "";
    return "an output that is not x less half of its range";
  }
  if (rule.keeps_quantization && x.dtype != y.dtype) return "input and output of different dtypes";
  if (rule.keeps_quantization && x.quantization != y.quantization) return "input and output quantised differently";
  if (rule.operation == "concat") {
    const auto is_like_x = [&](ValueId id) {
      return graph.get(id).dtype == x.dtype && graph.get(id).quantization == x.quantization;
    };
    if (!std::ranges::all_of(node.inputs, is_like_x)) return "inputs quantised differently";
  }
  if (rule.operation == "lookup") {
    const Value& table = graph.get(node.inputs[1]);
    if (bits(x.dtype) > 8) return "a table of elements of more than 8 bits";
    const bool is_table = table.modifier == Modifier::kParam && table.dtype == y.dtype &&
                          table.shape == std::vector<uint64_t>{uint64_t{1} << bits(x.dtype)};
    if (!is_table) return "a table that is no param of the output's dtype with an element for each value";
  }
  if (is_pair(rule.operation)) {
    const Value& other = graph.get(node.inputs[1]);
    if (!is_activation(other)) return "an operand of the wrong dtype or quantisation";
  }
  if (rule.operation == "float_chain") {
    const auto is_operand = [&](ValueId id) {
      const Value& value = graph.get(id);
      return is_activation(value) || (value.dtype == DType::kF32 && value.modifier != Modifier::kState);
    };
    if (!std::ranges::all_of(node.inputs, is_operand)) return "an operand of the wrong dtype or quantisation";
  }
  if (rule.clamps) {
    if (integer_attribute(node, "lowest") < lowest(y.dtype) || integer_attribute(node, "highest") > highest(y.dtype)) {
      return "lowest or highest outside the dtype";
    }
  }
  return "";
}

std::string_view mistake_in_declared(const Node& node, const Graph& graph, const DeclaredOperator& declared) {
  if (node.inputs.size() != declared.inputs || node.outputs.size() != 1) return "the wrong number of inputs or outputs";
  const Value& y = graph.get(node.outputs[0]);
  if (!is_activation(y)) return "an output of the wrong dtype or quantisation";
  for (const ValueId id : node.inputs) {
    const Value& x = graph.get(id);
    if (x.shape != y.shape || x.dtype != y.dtype || x.quantization != y.quantization) {
      return "operands that differ in shape, dtype or quantisation";
    }
  }
  return "";
}

std::string_view mistake_in(const Node& node, const Graph& graph, const DeclaredOperators& all) {
  if (const DeclaredOperator* declared = find_declared_operation(all, node.operation)) {
    return mistake_in_declared(node, graph, *declared);
  }
  const auto* rule = std::ranges::find(kRules, node.operation, &Rule::operation);
  if (rule == kRules.end()) return "an operation that is not in operations.h";
  if (node.inputs.size() < rule->least_inputs || node.inputs.size() > rule->most_inputs || node.outputs.size() != 1) {
    return "the wrong number of inputs or outputs";
  }
  const auto rank = [&](ValueId id) { return graph.get(id).shape.size(); };
  if ((rule->input_rank != 0 && rank(node.inputs[0]) != rule->input_rank) ||
      (rule->output_rank != 0 && rank(node.outputs[0]) != rule->output_rank)) {
    return "an input or output of the wrong rank";
  }
  const bool moves = is_movement(node.operation);
  const auto attributes = moves ? mistake_in_movement(node, graph) : mistake_in_attributes(*rule, node);
  if (!attributes.empty()) return attributes;
  if (const auto mistake = mistake_in_dtypes(*rule, node, graph); !mistake.empty()) return mistake;
  return moves ? "" : mistake_in_shapes(node, graph);
}

}  // namespace

Status verify_normalized(const Graph& graph, const DeclaredOperators& declared) {
  if (Status status = verify(graph); !status) return status;
  for (const Node& node : graph.nodes) {
    if (const auto mistake = mistake_in(node, graph, declared); !mistake.empty()) {
      return Diagnostic{.code = "ONX0019",
                        .where = {},
                        .subject = fmt::format("{} ({})", node.name, node.operation),
                        .message = fmt::format("the graph is not normalised: {}", mistake),
                        .offending = "",
                        .allowed = {},
                        .fix = "hand over what `normalize` returns; compiler/srdfg/operations.h lists the operations"};
    }
  }
  return Done{};
}

}  // namespace covenant::compiler::srdfg
