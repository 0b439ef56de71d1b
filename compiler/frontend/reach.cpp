#include "compiler/frontend/reach.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

#include "compiler/frontend/refusal.h"
#include "compiler/srdfg/movement.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

constexpr int64_t kMost = (int64_t{1} << 31) - 1;

struct Range {
  int64_t least;
  int64_t most;
};

int64_t integer_of(const Node& node, const char* key, int64_t otherwise) {
  const auto found = node.attributes.find(key);
  const auto* number = found == node.attributes.end() ? nullptr : std::get_if<int64_t>(&found->second);
  return number == nullptr ? otherwise : *number;
}

/// The range of a tensor's elements: known for constants, within its limits for a layer's result, unchanged by
/// movements.
Range range_of(const Graph& graph, ValueId id) {
  const Value& value = graph.get(id);
  if (value.modifier == srdfg::Modifier::kParam) {
    const std::vector<int64_t> elements = srdfg::integer_elements(value);
    const auto [least, most] = std::ranges::minmax(elements);
    return {least, most};
  }
  const auto made = [&](const Node& node) { return std::ranges::find(node.outputs, id) != node.outputs.end(); };
  const auto nodes = std::views::reverse(graph.nodes);
  const auto node = std::ranges::find_if(nodes, made);
  if (node == nodes.end()) return {lowest(value.dtype), highest(value.dtype)};
  const bool is_moved = srdfg::is_movement(node->operation) && node->operation != "concat" && node->operation != "pad";
  if (is_moved || node->operation == "max_pool") return range_of(graph, node->inputs[0]);
  return {integer_of(*node, "lowest", lowest(value.dtype)), integer_of(*node, "highest", highest(value.dtype))};
}

/// The largest distance of an element from the zero point.
int64_t reach(const Graph& graph, ValueId id) {
  const Range range = range_of(graph, id);
  const int64_t zero_point = graph.get(id).quantization.value().zero_points[0];
  return std::max(std::abs(range.least - zero_point), std::abs(range.most - zero_point));
}

}  // namespace

Status check_reach(const Graph& graph, const Node& core, const Node& node) {
  if (node.operation != "mul") return Done{};
  const int64_t a = reach(graph, node.inputs[0]);
  const int64_t b = reach(graph, node.inputs[1]);
  if (a * b <= kMost) return Done{};
  return diagnostic({.code = kQuantization,
                     .subject = subject_of(core),
                     .message = "products of two elements, less their zero points, leave 32 bits",
                     .offending = fmt::format("{} * {}", a, b),
                     .allowed = {fmt::format("up to {}", kMost)},
                     .fix = "quantise the operands symmetrically, or one of them to 8 bits; `covenant quantize` gives "
                            "them 15 bits"});
}

}  // namespace covenant::compiler::frontend
