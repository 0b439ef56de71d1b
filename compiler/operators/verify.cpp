#include "compiler/operators/verify.h"

#include <algorithm>
#include <fmt/format.h>

#include "compiler/operators/checks.h"
#include "compiler/srdfg/accumulators.h"
#include "compiler/srdfg/bodies.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/verify.h"

namespace covenant::compiler::operators {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

constexpr AttributeRule kLowest{"lowest", integer_mistake};
constexpr AttributeRule kHighest{"highest", integer_mistake};

/// Checks attributes one by one, and counts those that are there.
class Attributes {
 public:
  explicit Attributes(const Node& node) : node_(node) {}

  void check(const AttributeRule& rule) {
    if (!mistake_.empty()) return;
    const auto found = node_.attributes.find(std::string(rule.name));
    if (found != node_.attributes.end()) {
      ++known_;
      mistake_ = rule.mistake(found->second);
    } else if (!rule.is_optional) {
      mistake_ = fmt::format("the attribute {} is missing", rule.name);
    }
  }

  /// The first mistake, or an empty text.
  std::string mistake() const {
    if (!mistake_.empty()) return mistake_;
    return node_.attributes.size() == known_ ? "" : "an attribute that the operation does not have";
  }

 private:
  const Node& node_;
  size_t known_ = 0;
  std::string mistake_;
};

std::string mistake_in_attributes(const Operator& row, const Node& node) {
  Attributes attributes(node);
  for (const AttributeRule& rule : row.attributes) attributes.check(rule);
  if (row.clamps) {
    attributes.check(kLowest);
    attributes.check(kHighest);
  }
  if (row.kind != OperatorClass::kMovement) {  // a machine may sum in fewer bits
    for (const std::string_view name : srdfg::kAccumulatorAttributes) attributes.check({name, integer_mistake, true});
  }
  if (std::string mistake = attributes.mistake(); !mistake.empty()) return mistake;
  const auto bound = [&](const char* name) { return srdfg::integer_attribute(node, name); };
  return row.clamps && bound("lowest") > bound("highest") ? "lowest is above highest" : "";
}

/// Whether a value is of that kind, as far as this is checked for all operators alike.
bool is_kind(const Value& value, TensorKind kind) {
  switch (kind) {
    case TensorKind::kStored:
      return srdfg::is_activation(value);
    case TensorKind::kSums:
      return value.dtype == DType::kI32 && !value.quantization;
    case TensorKind::kReal:
      return value.dtype == DType::kF32 && !value.quantization;
    case TensorKind::kOwn:
      break;
  }
  return true;
}

std::string mistake_in_output(const Value& y, TensorKind kind) {
  if (is_kind(y, kind)) return "";
  if (kind == TensorKind::kSums) return "an output that is no unquantised i32";
  return kind == TensorKind::kReal ? "an output that is no unquantised f32"
                                   : "an output of the wrong dtype or quantisation";
}

std::string mistake_in_tensors(const Operator& row, const Node& node, const Graph& graph) {
  const Value& x = graph.get(node.inputs[0]);
  const Value& y = graph.get(node.outputs[0]);
  if (!is_kind(x, row.reads)) return "an input of the wrong dtype or quantisation";
  if (std::string mistake = mistake_in_output(y, row.makes); !mistake.empty()) return mistake;
  if (row.keeps_quantization && x.dtype != y.dtype) return "input and output of different dtypes";
  if (row.keeps_quantization && x.quantization != y.quantization) return "input and output quantised differently";
  if (row.operands != nullptr) {
    if (std::string mistake = row.operands(node, graph); !mistake.empty()) return mistake;
  }
  if (!row.clamps) return "";
  const bool is_inside = srdfg::integer_attribute(node, "lowest") >= lowest(y.dtype) &&
                         srdfg::integer_attribute(node, "highest") <= highest(y.dtype);
  return is_inside ? "" : "lowest or highest outside the dtype";
}

std::string mistake_in_declared(const Node& node, const Graph& graph, const srdfg::DeclaredOperator& declared) {
  if (node.inputs.size() != declared.inputs || node.outputs.size() != 1) return "the wrong number of inputs or outputs";
  const Value& y = graph.get(node.outputs[0]);
  if (!srdfg::is_activation(y)) return "an output of the wrong dtype or quantisation";
  const bool are_alike = std::ranges::all_of(node.inputs, [&](ValueId id) {
    const Value& x = graph.get(id);
    return x.shape == y.shape && x.dtype == y.dtype && x.quantization == y.quantization;
  });
  return are_alike ? "" : "operands that differ in shape, dtype or quantisation";
}

std::string mistake_in(const Node& node, const Graph& graph, const srdfg::DeclaredOperators& all) {
  if (const srdfg::DeclaredOperator* declared = srdfg::find_declared_operation(all, node.operation)) {
    return mistake_in_declared(node, graph, *declared);
  }
  const Operator* row = find_operator(node.operation);
  if (row == nullptr && !node.body.empty()) return "";  // a component
  if (row == nullptr) return "an operation that is not in operators.h, and no body";
  if (node.inputs.size() < row->least_inputs || node.inputs.size() > row->most_inputs || node.outputs.size() != 1) {
    return "the wrong number of inputs or outputs";
  }
  const auto has_rank = [&](ValueId id) { return row->rank == 0 || graph.get(id).shape.size() == row->rank; };
  if (!has_rank(node.inputs[0]) || !has_rank(node.outputs[0])) return "an input or output of the wrong rank";
  if (std::string mistake = mistake_in_attributes(*row, node); !mistake.empty()) return mistake;
  if (std::string mistake = mistake_in_tensors(*row, node, graph); !mistake.empty()) return mistake;
  return row->shapes(node, graph);
}

}  // namespace

Status verify_normalized(const Graph& graph, const srdfg::DeclaredOperators& declared) {
  if (Status status = srdfg::verify(graph); !status) return status;
  for (const Node& node : graph.nodes) {
    if (const std::string mistake = mistake_in(node, graph, declared); !mistake.empty()) {
      return Diagnostic{
          .code = "ONX0019",
          .where = {},
          .subject = fmt::format("{} ({})", node.name, node.operation),
          .message = fmt::format("the graph is not normalised: {}", mistake),
          .offending = "",
          .allowed = {},
          .fix = "hand over what `normalize` returns; compiler/operators/operators.h lists the operations"};
    }
    if (node.body.empty()) continue;
    if (Status status = verify_normalized(srdfg::bound_body(graph, node), declared); !status) return status;
  }
  return Done{};
}

}  // namespace covenant::compiler::operators
