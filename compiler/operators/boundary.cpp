#include <array>

#include "compiler/operators/checks.h"
#include "compiler/operators/table.h"

namespace covenant::compiler::operators {
namespace {

constexpr std::array kRows{
    Operator{.name = "quantize", .kind = OperatorClass::kBoundary, .reads = TensorKind::kReal, .shapes = same_shapes},
    Operator{.name = "dequantize", .kind = OperatorClass::kBoundary, .makes = TensorKind::kReal, .shapes = same_shapes},
};

}  // namespace

std::span<const Operator> boundary_operators() { return kRows; }

}  // namespace covenant::compiler::operators
