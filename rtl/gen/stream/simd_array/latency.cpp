#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "acg/operations/simd_operation.h"
#include "rtl/gen/common/operation_names.h"
#include "rtl/gen/stream/simd_array/package.h"

namespace covenant::rtl {
namespace {

using acg::OperationInfo;

/// Code of an element type in a `types` word of the machine; capabilities of other types have none.
std::optional<uint32_t> type_code(DType dtype, uint32_t code_bits) {
  const std::optional<acg::SimdType> type = acg::simd_type(dtype);
  if (!type || static_cast<uint32_t>(*type) >= (1U << code_bits)) return std::nullopt;
  return static_cast<uint32_t>(*type);
}

std::string capability_condition(const acg::Capability& capability, uint32_t code_bits) {
  for (const OperationInfo& entry : acg::operations()) {
    std::string name(entry.name);
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
    if (!acg::is_simd_compute(entry.operation) || name != capability.name) continue;
    const bool is_unary = acg::simd_sources(entry.operation) == 1;
    std::vector<std::pair<std::string_view, DType>> types{{"dst", capability.output.dtype},
                                                          {"src1", capability.inputs.at(0).dtype}};
    if (!is_unary && capability.inputs.size() < 2) return {};
    if (!is_unary) types.emplace_back("src2", acg::held_dtype(entry.operation, capability.inputs[1].dtype));
    std::string condition = fmt::format("(operation == {})", in_package(plain_enumerator(entry.operation)));
    for (const auto& [operand, dtype] : types) {
      const std::optional<uint32_t> code = type_code(dtype, code_bits);
      if (!code) return {};
      condition += fmt::format(" && ({} == {}'d{})", operand, code_bits, *code);
    }
    return condition;
  }
  return {};
}

}  // namespace

std::string emit_latency(const Plan& plan) {
  std::string text =
      "  // Execute stages of an operation on these types, from the capabilities of a SIMD array, which has the number "
      "of "
      "its\n  // engine; 0 if there is none.\n";
  text += "  function automatic logic [31:0] simd_latency(input logic [7:0] engine, input operation_t operation,\n";
  text +=
      "                                               input logic [TypeBits-1:0] dst, input logic [TypeBits-1:0] "
      "src1,\n";
  text +=
      "                                               input logic [TypeBits-1:0] src2);\n    simd_latency = 32'd0;\n";
  const uint32_t code_bits = type_bits(*plan.machine);
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    if (unit->compute == nullptr || unit->compute->unit != acg::UnitKind::kSimdArray) continue;
    text += fmt::format("    if (engine == 8'd{}) begin\n      ", unit->index);
    std::string separator;
    for (const acg::Capability& capability : unit->compute->capabilities) {
      const std::string condition = capability_condition(capability, code_bits);
      if (condition.empty()) continue;
      text += fmt::format("{}if ({}) begin\n        simd_latency = 32'd{};\n      end", separator, condition,
                          capability.latency);
      separator = " else ";
    }
    text += "\n    end\n";
  }
  return text + "  endfunction\n";
}

}  // namespace covenant::rtl
