/// The simultaneous-recursive dataflow graph (srDFG): the compiler's graph-level IR.
///
/// A node has a name and, below it, its own finer graph (`body`); values carry dtype, shape and a modifier (Kinzer, "A
/// Compilation Framework...", sections 2.3 and 4.2: srDFG). It is a value type; ids are indices.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/base/dtype.h"

namespace covenant::compiler::srdfg {

/// Index into Graph::values.
struct ValueId {
  uint32_t value = 0;
  auto operator<=>(const ValueId&) const = default;
};

/// input, output: of the graph; param: constant with data; state: produced and consumed inside the graph.
enum class Modifier : uint8_t { kInput, kOutput, kState, kParam };

/// real = (stored - zero_point) * scale; one scale and zero point, or one pair per index of dimension `axis`.
struct Quantization {
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  int32_t axis = -1;  ///< -1: per tensor
  bool operator==(const Quantization&) const = default;
};

struct Value {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<uint64_t> shape{};  ///< as in the model: NCHW, OIHW, [N, C], ...
  Modifier modifier = Modifier::kState;
  std::optional<Quantization> quantization{};
  std::vector<uint8_t> data{};  ///< content of a param: row-major, little-endian
  bool operator==(const Value&) const = default;
};

using Attribute = std::variant<int64_t, double, std::string, std::vector<int64_t>>;

struct Graph;

/// A node. After `normalize`, operation is one of those of compiler/operators/operators.h, and inputs and outputs are
/// as listed there.
struct Node {
  std::string name;
  std::string operation;
  std::map<std::string, Attribute> attributes{};
  std::vector<ValueId> inputs{};
  std::vector<ValueId> outputs{};
  /// Empty, or one finer graph that computes the same (bodies.h). (No initializer: Graph is incomplete here.)
  std::vector<Graph> body;
  bool operator==(const Node&) const;
};

struct Graph {
  std::string name;
  std::vector<Value> values{};
  std::vector<Node> nodes{};  ///< in an order in which every value is produced before it is used
  std::vector<ValueId> inputs{};
  std::vector<ValueId> outputs{};

  const Value& get(ValueId id) const { return values.at(id.value); }
  bool operator==(const Graph&) const;
};

inline bool Node::operator==(const Node&) const = default;
inline bool Graph::operator==(const Graph&) const = default;

}  // namespace covenant::compiler::srdfg
