/// A codelet prepared for execution: names resolved to slots, index expressions to affine forms. Used by `interpret`.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// An affine expression: offset + sum of factor * variable.
struct Affine {
  int64_t offset = 0;
  std::vector<std::pair<uint32_t, int64_t>> terms;  ///< slot of the variable, factor

  int64_t evaluate(const std::vector<int64_t>& variables) const {
    int64_t sum = offset;
    for (const auto& [slot, factor] : terms) sum += factor * variables[slot];
    return sum;
  }
};

/// A tensor; referred to by its index in Runnable::tensors.
struct TensorInfo {
  std::string name;
  DType dtype = DType::kI32;
  std::vector<int64_t> shape;
  int32_t fill = 0;                ///< lane that reads outside the shape give
  std::vector<int64_t> strides{};  ///< in elements; empty: dense, row-major
  int64_t offset = 0;              ///< for a view: elements before its first one

  int64_t elements() const;  ///< elements of memory, up to the last one
};

/// A block of a tensor: `extents` elements from `origin`, one number each per dimension.
struct View {
  uint32_t tensor = 0;
  std::vector<Affine> origin;
  std::vector<int64_t> extents;
  int64_t elements = 1;  ///< product of the extents, times the rows
  int64_t rows = 1;      ///< rows of a codelet::Block, `step` indices of the dimension before the last one apart
  int64_t step = 1;
};

struct Action;

struct LoopAction {
  uint32_t variable = 0;
  int64_t lower = 0, upper = 0, stride = 1;
  std::vector<Action> body;
};

/// Creates a local filled with `fill_lane`.
struct AllocateAction {
  uint32_t tensor = 0;
  int32_t fill_lane = 0;
};

struct CopyAction {
  View from;
  View to;
};

struct ComputeAction {
  Function function = Function::kMove;
  View destination;
  std::vector<std::variant<View, std::vector<int32_t>>> operands;  ///< views, or the lanes of constants
  Quantization quantization;
  uint32_t accumulator_bits = 32;                       ///< width in which sums of products are accumulated
  bool saturates = false;                               ///< sums saturate at that width; otherwise they wrap
  std::vector<std::pair<uint32_t, int64_t>> reduction;  ///< variables of reduction loops and their lower bounds
};

struct Action {
  std::variant<LoopAction, AllocateAction, CopyAction, ComputeAction> step;
};

struct Runnable {
  std::vector<TensorInfo> tensors;   ///< declared surrogates except params in order, then locals
  std::vector<SurrogateKind> kinds;  ///< kinds of the declared ones
  size_t variables = 0;
  std::vector<Action> steps;
};

/// Precondition: `verify(codelet, machine)` holds. Errors: CDL0020 (something is not bound to a number or dtype yet),
/// CDL0022 (something that cannot be computed).
Result<Runnable> make_runnable(const Codelet& codelet, const acg::Machine* machine);

}  // namespace covenant::compiler::codelet
