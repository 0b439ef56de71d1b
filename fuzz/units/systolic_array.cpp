#include "fuzz/units/systolic_array.h"

#include <array>
#include <fmt/format.h>

namespace covenant::runtime::units {
namespace {

using acg::Operation;

constexpr std::array kNeeds{Operation::kGemm};

std::optional<std::vector<std::string>> choices(const WordNames& names, Operation operation,
                                                const acg::OperandInfo& /*operand*/) {
  if (operation != Operation::kGemm) return std::nullopt;
  return element_types(names, {});
}

}  // namespace

constinit const RandomUnit kSystolicArray{.kind = acg::UnitKind::kSystolicArray, .needed = kNeeds, .choices = choices};

std::string array_text(const std::string& name, const DrawnArray& drawn, const ArrayMemories& memories) {
  return fmt::format(R"(  compute {2} {{
    unit = systolic_array; rows = {0}; columns = {1}; accumulator = {8}; saturates = {9};
    input = {3}; weight = {4}; bias = {5}; output = {6};
    (i32,{1}) = GEMM((i{7},{0}),(i{7},{0},{1}),(i32,{1}));
    (i32,{1}) = GEMM((u{7},{0}),(i{7},{0},{1}),(i32,{1}));
  }}
)",
                     drawn.rows, drawn.columns, name, memories.input, memories.weight, memories.bias, memories.output,
                     drawn.element_bits, drawn.accumulator_bits, drawn.saturates ? 1 : 0);
}

}  // namespace covenant::runtime::units
