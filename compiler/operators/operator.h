/// Properties of the normalised operators: one row each, which passes ask instead of comparing names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::operators {

enum class OperatorClass : uint8_t {
  kBoundary,     ///< quantize and dequantize, at the ends of the graph: the host does them
  kMovement,     ///< only moves elements
  kElementwise,  ///< one element of each operand makes one of the result, in stored numbers
  kChain,        ///< several elementwise operations in f32
  kContraction,  ///< products with constant weights
  kPool,         ///< windows of an image
  kAlongAxis,    ///< one dimension is reduced, or normalised
  kRowProduct,   ///< products of two activations on the rows of [G,M,K]
  kRowSums,      ///< sums of rows or columns
  kRowNumber,    ///< f32 numbers of rows made of such sums
  kRowScaling,   ///< rows scaled by such numbers
};

/// Kind of the first operand or of the result of an operator.
enum class TensorKind : uint8_t {
  kStored,  ///< u8, i8 or another stored type with one scale and zero point
  kSums,    ///< i32 without quantisation
  kReal,    ///< f32 without quantisation
  kOwn,     ///< the operator's own check says it
};

/// Movements of elements.
enum class Movement : uint8_t { kNone, kReshape, kTranspose, kSlice, kRepeat, kPad, kConcat };

/// Origin of the table of an operator, if a machine computes it by one.
enum class Table : uint8_t {
  kNone,
  kGiven,    ///< an operand, with an entry for each value of an element
  kMade,     ///< made for each value of an element
  kSquares,  ///< squares of bytes
};

/// An attribute of an operator's nodes.
struct AttributeRule {
  std::string_view name;
  /// Describes the mistake in it; empty text: none.
  std::string (*mistake)(const srdfg::Attribute& attribute);
  bool is_optional = false;
};

inline constexpr size_t kAnyNumber = SIZE_MAX;

/// A row. Precondition of its checks: the numbers and ranks of inputs and outputs are right.
struct Operator {
  std::string_view name;
  OperatorClass kind;
  bool is_pair = false;  ///< elementwise, of two operands
  size_t least_inputs = 1;
  size_t most_inputs = 1;
  size_t rank = 0;  ///< of the first input and of the output; 0: any
  TensorKind reads = TensorKind::kStored;
  TensorKind makes = TensorKind::kStored;
  Movement movement = Movement::kNone;
  Table table = Table::kNone;
  bool sums = false;                ///< in integers, as wide as the machine's accumulators
  bool writes_parts = false;        ///< its layer may write the result into a part of another tensor
  bool clamps = false;              ///< has the attributes lowest and highest
  bool keeps_quantization = false;  ///< of the first input
  std::span<const AttributeRule> attributes{};
  /// Describe the mistake in the other operands or in the shapes; empty text: none. Precondition: the attributes are
  /// right.
  std::string (*operands)(const srdfg::Node& node, const srdfg::Graph& graph) = nullptr;
  std::string (*shapes)(const srdfg::Node& node, const srdfg::Graph& graph) = nullptr;
  /// The finer operators that a node is made of (compiler/operators/templates.h); nothing: the library has a codelet.
  srdfg::Graph (*body)(const srdfg::Graph& graph, const srdfg::Node& node) = nullptr;
};

/// The row of an operation, or nothing: it may be a user's (compiler/srdfg/declared.h), or none.
const Operator* find_operator(std::string_view operation);

/// False for an operation without a row.
bool is(std::string_view operation, OperatorClass kind);

bool is_movement(std::string_view operation);
/// How the elements of an operation move; kNone for one without a row.
Movement movement_of(std::string_view operation);

/// True for elementwise operators of two operands.
bool is_pair(std::string_view operation);

}  // namespace covenant::compiler::operators
