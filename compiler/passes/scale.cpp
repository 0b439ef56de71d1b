#include "compiler/passes/scale.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "acg/graph/numerics.h"
#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Compute;
using codelet::Reference;

/// Of the scales of a REQUANT; nothing if they are not known yet.
std::optional<float> greatest_of(const Compute& compute, const GreatestScales& greatest) {
  const auto& scales = compute.operands.at(1);
  if (const auto* constant = std::get_if<codelet::Constant>(&scales)) return std::abs(constant->real);
  const auto known = greatest.find(std::get<Reference>(scales).surrogate);
  return known == greatest.end() ? std::nullopt : std::optional(known->second);
}

/// So many bits that the greatest fraction of 31 bits has its first one set, as far as there are such shifts.
int32_t shift_for(float greatest) {
  int exponent = 0;
  if (std::frexp(greatest, &exponent) == 0) return 0;
  return std::clamp(-exponent, codelet::kLeastFixedShift, codelet::kMostFixedShift);
}

/// The number that a constant of f32 is; nothing if it is none of 16 bits.
std::optional<int64_t> whole_number(const std::variant<Reference, codelet::Constant>& operand) {
  const auto* constant = std::get_if<codelet::Constant>(&operand);
  if (constant == nullptr || !(std::abs(constant->real) <= INT16_MAX)) return std::nullopt;
  return std::nearbyint(constant->real) == constant->real ? std::optional(std::lround(constant->real)) : std::nullopt;
}

/// Of a REQUANT_MUL: scale and offset are its operands 2 and 3.
void scale_product(Compute& compute) {
  const std::optional<int64_t> zero_point = whole_number(compute.operands.at(3));
  const auto* scale = std::get_if<codelet::Constant>(&compute.operands.at(2));
  if (!zero_point || scale == nullptr) return;
  compute.capability = "REQUANT_MUL_FIXED";
  compute.attributes["shift"] = shift_for(std::abs(scale->real));
  compute.attributes["zero_point"] = *zero_point;
  compute.operands.erase(compute.operands.begin() + 3);
}

}  // namespace

codelet::Codelet scale(const codelet::Codelet& codelet, const GreatestScales& greatest, const acg::Machine& machine) {
  if (!acg::is_fixed_point(machine)) return codelet;
  codelet::Codelet result = codelet;
  for_each_operation(result.body, [&](codelet::Operation& operation) {
    auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr) return;
    if (compute->capability == "REQUANT_ADD") compute->capability = "REQUANT_ADD_FIXED";
    if (compute->capability == "REQUANT_MUL") scale_product(*compute);
    if (compute->capability != "REQUANT") return;
    const std::optional<float> most = greatest_of(*compute, greatest);
    if (!most) return;
    compute->capability = "REQUANT_FIXED";
    compute->attributes["shift"] = shift_for(*most);
  });
  return result;
}

}  // namespace covenant::compiler
