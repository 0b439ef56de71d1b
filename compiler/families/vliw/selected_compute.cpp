#include "compiler/families/vliw/selected_compute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acg/base/check.h"

namespace covenant::compiler::vliw {

std::vector<Name> registers_of(const SelectedCompute& wanted, size_t operand, Writer& writer) {
  const SelectedOperand& from = wanted.operands.at(operand);
  if (const auto* held = std::get_if<std::vector<Name>>(&from.value)) return *held;
  const auto& constant = std::get<codelet::Constant>(from.value);
  const Name splat = writer.splat(static_cast<int32_t>(constant.integer), bytes(wanted.dtype));
  return std::vector(wanted.result.size(), splat);
}

int32_t attribute_of(const SelectedCompute& wanted, const char* name) {
  const auto found = wanted.compute.attributes.find(name);
  return found == wanted.compute.attributes.end() ? 0 : static_cast<int32_t>(found->second.constant().value());
}

void move_into(const SelectedCompute& wanted, const std::vector<Name>& from, Writer& writer,
               std::vector<CodeStep>& to) {
  check(from.size() == wanted.result.size(), "as much is moved as there is room for");
  for (size_t i = 0; i < from.size(); ++i) {
    writer.add(to, acg::VliwOperation::kVassign, {wanted.result[i], from[i]});
  }
}

Diagnostic unknown_compute(const SelectedCompute& wanted) {
  std::vector<std::string_view> types;
  for (const SelectedOperand& operand : wanted.operands) types.push_back(name(operand.dtype));
  return {"GEN0051",
          {},
          "",
          "no instructions are known for this capability of " + wanted.compute.location,
          fmt::format("{}={}({})", name(wanted.dtype), wanted.compute.capability, fmt::join(types, ",")),
          {"ADD, SUB, MAX, MIN, MOVE, REDUCE_MAX, REDUCE_SUM, GEMM, MAC, LOOKUP, REQUANT_FIXED, REQUANT_ADD_FIXED, "
           "REQUANT_MUL_FIXED"},
          "leave the capability out of the machine, so that another one is taken"};
}

}  // namespace covenant::compiler::vliw
