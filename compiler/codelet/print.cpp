#include "compiler/codelet/print.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace covenant::compiler::codelet {
namespace {

std::string quoted_or_null(const std::string& text) { return text.empty() ? "null" : fmt::format("\"{}\"", text); }

std::string list(const std::vector<Expression>& expressions) {
  std::vector<std::string> texts;
  for (const Expression& expression : expressions) texts.push_back(expression.print());
  return fmt::format("[{}]", fmt::join(texts, ","));
}

std::string list(const std::vector<int64_t>& numbers) {
  return list(std::vector<Expression>(numbers.begin(), numbers.end()));
}

std::string print_source(const std::variant<Reference, Constant>& source) {
  return std::visit([](const auto& value) { return print(value); }, source);
}

std::string print_loop_header(const Loop& loop) {
  const bool from_zero = loop.lower == Expression(0);
  const bool by_one = loop.stride == Expression(1);
  std::string bounds = loop.upper.print();
  if (!from_zero) {
    bounds = loop.lower.print() + "," + bounds + "," + loop.stride.print();
  } else if (!by_one) {
    bounds += ", stride=" + loop.stride.print();
  }
  if (loop.level != 0) bounds += fmt::format(", level={}", loop.level);
  return "loop " + loop.variable + "(" + bounds + ") {";
}

std::string print_transfer(const Transfer& transfer) {
  std::string text = "transfer(" + print_source(transfer.source) + ",";
  if (transfer.destination) return text + print(*transfer.destination) + "," + list(transfer.shape) + ");";
  text = transfer.local + "=" + text + quoted_or_null(transfer.location) + "," + list(transfer.shape);
  if (transfer.slot) text += fmt::format(",slot={}", *transfer.slot);
  if (transfer.offset) text += fmt::format(",offset={}", *transfer.offset);
  return text + ");";
}

std::string print_compute(const Compute& compute) {
  std::string text =
      print(compute.destination) + "=compute(" + quoted_or_null(compute.location) + ",\"" + compute.capability + "\"";
  for (const auto& operand : compute.operands) text += fmt::format(",{}", print_source(operand));
  for (const auto& [name, value] : compute.attributes) text += fmt::format(",{}={}", name, value.print());
  return text + ");";
}

void print_body(const std::vector<Operation>& body, size_t depth, std::string& out) {
  const std::string indent(2 * depth, ' ');
  for (const Operation& operation : body) {
    if (const auto* loop = std::get_if<Loop>(&operation.op)) {
      out += indent + print_loop_header(*loop) + "\n";
      print_body(loop->body, depth + 1, out);
      out += indent + "}\n";
    } else if (const auto* transfer = std::get_if<Transfer>(&operation.op)) {
      out += indent + print_transfer(*transfer) + "\n";
    } else {
      out += indent + print_compute(std::get<Compute>(operation.op)) + "\n";
    }
  }
}

std::string_view kind_name(SurrogateKind kind) {
  switch (kind) {
    case SurrogateKind::kInp:
      return "inp";
    case SurrogateKind::kOut:
      return "out";
    case SurrogateKind::kParam:
      return "param";
    case SurrogateKind::kLocal:
      return "local";
  }
  return "";
}

}  // namespace

std::string print(const Constant& constant) {
  if (!constant.table.empty()) {
    return fmt::format("{}(\"{:02x}\")", name(constant.dtype), fmt::join(constant.table, ""));
  }
  if (constant.dtype != DType::kF32) return fmt::format("{}({})", name(constant.dtype), constant.integer);
  if (std::isnan(constant.real)) return "f32(nan)";
  if (std::isinf(constant.real)) return constant.real < 0 ? "f32(-inf)" : "f32(inf)";
  return fmt::format("f32({:a})", constant.real);
}

std::string print(const Reference& reference) {
  if (reference.indices.empty()) return reference.surrogate;
  return reference.surrogate + list(reference.indices);
}

std::string print(const Surrogate& surrogate) {
  std::string text = surrogate.name + "=" + std::string(kind_name(surrogate.kind)) + "(";
  if (surrogate.kind == SurrogateKind::kParam) {
    return text + (surrogate.value ? print(*surrogate.value) : "") + ");";
  }
  text += list(surrogate.shape) + "," + (surrogate.dtype ? std::string(name(*surrogate.dtype)) : "null") + "," +
          quoted_or_null(surrogate.location);
  if (reads_outside(surrogate)) text += ",fill=" + surrogate.fill.print();
  if (!surrogate.packing.empty()) text += ",packing=" + list(surrogate.packing);
  if (!surrogate.strides.empty()) text += ",strides=" + list(surrogate.strides);
  if (surrogate.offset != Expression(0)) text += ",offset=" + surrogate.offset.print();
  if (!surrogate.logical_shape.empty()) text += ",logical_shape=" + list(surrogate.logical_shape);
  return text + ");";
}

std::string print(const Codelet& codelet) {
  std::string out = "cdlt " + codelet.name;
  if (!codelet.implements.empty()) out += " implements \"" + codelet.implements + "\"";
  out += " {\n";
  for (const Surrogate& surrogate : codelet.surrogates) out += "  " + print(surrogate) + "\n";
  print_body(codelet.body, 1, out);
  return out + "}\n";
}

}  // namespace covenant::compiler::codelet
