/// The steps of a float_chain: what it computes of each element, in f32.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace covenant::compiler::srdfg {

/// Operations of steps. Their names in text: load, add, sub, mul, div, max, min, sqrt.
enum class ChainOperation : uint8_t { kLoad, kAdd, kSub, kMul, kDiv, kMax, kMin, kSqrt };

/// A step, by its number, or a number of its own.
using ChainOperand = std::variant<size_t, float>;

/// One operation. A load has the place of an input of the node; all others have steps before them, and numbers.
struct ChainStep {
  ChainOperation operation = ChainOperation::kLoad;
  std::vector<ChainOperand> operands;
};

/// Reads `load 0; mul %0 0x1p-1; max %0 %1`: a step and its operands, `%` before the number of a step, numbers as
/// hexadecimal floats. The last step is the result. Nothing if the text has another form, or a step that reads no step,
/// reads one that does not come before it, or is not read; if an input of `inputs` is not loaded, or loaded twice; or
/// if there are more than 64 steps.
std::optional<std::vector<ChainStep>> chain_steps(std::string_view text, size_t inputs);

}  // namespace covenant::compiler::srdfg
