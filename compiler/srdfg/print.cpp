#include "compiler/srdfg/print.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

#include "compiler/srdfg/modifiers.h"
#include "compiler/srdfg/text.h"

namespace covenant::compiler::srdfg {
namespace {

template <typename T, typename Format>
std::string list(const std::vector<T>& elements, Format format, std::string_view separator = ",") {
  std::string result;
  for (const T& element : elements) {
    if (!result.empty()) result += separator;
    result += format(element);
  }
  return result;
}

std::string reference(ValueId id) { return fmt::format("%{}", id.value); }
std::string integer(auto number) { return fmt::format("{}", number); }
std::string real(double number) { return fmt::format("{:a}", number); }

std::string value_line(const Value& value, size_t index) {
  std::string line = fmt::format("value %{} {} {} [{}] {}", index, quoted(value.name), name(value.dtype),
                                 list(value.shape, integer<uint64_t>), name(value.modifier));
  if (value.quantization) {
    line += fmt::format(" scales=[{}] zero_points=[{}]", list(value.quantization->scales, real),
                        list(value.quantization->zero_points, integer<int32_t>));
    if (value.quantization->axis != -1) line += fmt::format(" axis={}", value.quantization->axis);
  }
  if (!value.data.empty()) line += fmt::format(" data=\"{}\"", hexadecimal(value.data));
  return line + ";";
}

struct PrintAttribute {
  std::string operator()(int64_t number) const { return integer(number); }
  std::string operator()(double number) const { return "real " + real(number); }
  std::string operator()(const std::string& text) const { return quoted(text); }
  std::string operator()(const std::vector<int64_t>& numbers) const {
    return "[" + list(numbers, integer<int64_t>) + "]";
  }
};

void print_graph(const Graph& graph, const std::string& indent, std::string& out);

void print_node(const Node& node, const std::string& indent, std::string& out) {
  out += fmt::format("{}  node {} {}({}) -> ({}) {{", indent, quoted(node.name), node.operation,
                     list(node.inputs, reference, ", "), list(node.outputs, reference, ", "));
  for (const auto& [key, attribute] : node.attributes) {
    out += fmt::format(" {}={};", key, std::visit(PrintAttribute{}, attribute));
  }
  out += " }\n";
  for (const Graph& body : node.body) {
    out += indent + "  body ";
    print_graph(body, indent + "  ", out);
  }
}

void print_graph(const Graph& graph, const std::string& indent, std::string& out) {
  out += fmt::format("srdfg {} {{\n", quoted(graph.name));
  for (size_t i = 0; i < graph.values.size(); ++i) {
    out += fmt::format("{}  {}\n", indent, value_line(graph.values[i], i));
  }
  out += fmt::format("{}  inputs {};\n", indent, list(graph.inputs, reference, ", "));
  out += fmt::format("{}  outputs {};\n", indent, list(graph.outputs, reference, ", "));
  for (const Node& node : graph.nodes) print_node(node, indent, out);
  out += indent + "}\n";
}

}  // namespace

std::string print(const Graph& graph) {
  std::string out;
  print_graph(graph, "", out);
  return out;
}

std::string print_node(const Graph& graph, size_t node) {
  const Node& one = graph.nodes[node];
  std::string out;
  for (const std::vector<ValueId>* values : {&one.inputs, &one.outputs}) {
    for (const ValueId id : *values) out += fmt::format("  {}\n", value_line(graph.get(id), id.value));
  }
  print_node(one, "", out);
  return out;
}

}  // namespace covenant::compiler::srdfg
