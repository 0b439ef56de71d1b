#include "compiler/srdfg/parse.h"

#include <fmt/format.h>
#include <string>

#include "acg/base/failure.h"
#include "compiler/srdfg/modifiers.h"
#include "compiler/srdfg/text.h"
#include "compiler/srdfg/verify.h"

namespace covenant::compiler::srdfg {
namespace {

constexpr int kDeepestBody = 16;  ///< bodies are parsed recursively: hostile text must not exhaust the stack

class Reader : private TextReader {
 public:
  Reader(std::string_view text, std::string_view file)
      : TextReader(text, file, {"ONX0018", "the text of a graph", "compiler/srdfg/print.h"}) {}

  Graph document() {
    Graph graph = read_graph(0);
    expect_end();
    return graph;
  }

 private:
  ValueId reference() {
    expect("%");
    return ValueId{integer<uint32_t>()};
  }

  Value read_value(size_t index) {
    Value value;
    if (reference().value != index) complain(fmt::format("value %{}, values being numbered in order", index));
    value.name = text();
    value.dtype = dtype();
    value.shape = list("[", "]", [this] { return integer<uint64_t>(); });
    const auto modifier = modifier_named(word());
    if (!modifier) complain("a modifier: input output state param");
    value.modifier = *modifier;
    if (accept("scales=")) {
      Quantization quantization;
      quantization.scales = list("[", "]", [this] { return static_cast<float>(real()); });
      expect("zero_points=");
      quantization.zero_points = list("[", "]", [this] { return integer<int32_t>(); });
      if (accept("axis=")) quantization.axis = integer<int32_t>();
      value.quantization = std::move(quantization);
    }
    if (accept("data=")) value.data = bytes();
    expect(";");
    return value;
  }

  Attribute attribute() {
    if (accept("real ")) return real();
    if (continues_with("\"")) return text();
    if (continues_with("[")) return list("[", "]", [this] { return integer<int64_t>(); });
    return integer<int64_t>();
  }

  Node read_node() {
    Node node;
    node.name = text();
    node.operation = std::string(word());
    node.inputs = list("(", ")", [this] { return reference(); });
    expect("->");
    node.outputs = list("(", ")", [this] { return reference(); });
    expect("{");
    while (!accept("}")) {
      const std::string key(word());
      expect("=");
      node.attributes[key] = attribute();
      expect(";");
    }
    return node;
  }

  Graph read_graph(int depth) {
    if (depth > kDeepestBody) complain(fmt::format("at most {} nested bodies", kDeepestBody));
    Graph graph;
    expect("srdfg ");
    graph.name = text();
    expect("{");
    while (accept("value ")) graph.values.push_back(read_value(graph.values.size()));
    expect("inputs");
    if (!accept(";")) graph.inputs = list("", ";", [this] { return reference(); });
    expect("outputs");
    if (!accept(";")) graph.outputs = list("", ";", [this] { return reference(); });
    while (accept("node ")) {
      graph.nodes.push_back(read_node());
      while (accept("body ")) graph.nodes.back().body.push_back(read_graph(depth + 1));
    }
    expect("}");
    return graph;
  }
};

}  // namespace

Result<Graph> parse(std::string_view text, std::string_view file) {
  Result<Graph> graph = guarded<Graph>([&] { return Reader(text, file).document(); });
  if (!graph) return graph;
  if (Status status = verify(*graph); !status) {
    Diagnostic diagnostic = status.error();
    diagnostic.where.file = file;
    return diagnostic;
  }
  return graph;
}

}  // namespace covenant::compiler::srdfg
