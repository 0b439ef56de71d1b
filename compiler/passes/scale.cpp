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

/// The greatest magnitude among the scales of a REQUANT; nothing if they are not known yet.
std::optional<float> greatest_of(const Compute& compute, const GreatestScales& greatest) {
  const auto& scales = compute.operands.at(1);
  if (const auto* constant = std::get_if<codelet::Constant>(&scales)) return std::abs(constant->real);
  const auto known = greatest.find(std::get<Reference>(scales).surrogate);
  return known == greatest.end() ? std::nullopt : std::optional(known->second);
}

/// The shift at which the greatest scale as a 31-bit fraction has its highest bit set, as far as such shifts exist.
int32_t shift_for(float greatest) {
  int exponent = 0;
  if (std::frexp(greatest, &exponent) == 0) return 0;
  return std::clamp(-exponent, codelet::kLeastFixedShift, codelet::kMostFixedShift);
}

/// The value of an f32 constant that is a whole number of at most 16 bits; otherwise nothing.
std::optional<int64_t> whole_number(const std::variant<Reference, codelet::Constant>& operand) {
  const auto* constant = std::get_if<codelet::Constant>(&operand);
  if (constant == nullptr || !(std::abs(constant->real) <= INT16_MAX)) return std::nullopt;
  return std::nearbyint(constant->real) == constant->real ? std::optional(std::lround(constant->real)) : std::nullopt;
}

void scale_sums(Compute& compute, const GreatestScales& greatest) {
  const std::optional<float> most = greatest_of(compute, greatest);
  if (!most) return;
  compute.capability = "REQUANT_FIXED";
  compute.attributes["shift"] = shift_for(*most);
}

/// Rewrites a REQUANT_MUL: scale and offset are its operands 2 and 3.
void scale_product(Compute& compute) {
  const std::optional<int64_t> zero_point = whole_number(compute.operands.at(3));
  const auto* scale = std::get_if<codelet::Constant>(&compute.operands.at(2));
  if (!zero_point || scale == nullptr) return;
  compute.capability = "REQUANT_MUL_FIXED";
  compute.attributes["shift"] = shift_for(std::abs(scale->real));
  compute.attributes["zero_point"] = *zero_point;
  compute.operands.erase(compute.operands.begin() + 3);
}

/// Rewrites a REQUANT_ADD: the offset is its last operand. If rounding of halves depends on the sign, the zero point,
/// which is part of the offset, is taken out of it.
void scale_sum(Compute& compute, bool rounds_half_away) {
  auto* offset = std::get_if<codelet::Constant>(&compute.operands.at(4));
  const auto zero_point = compute.attributes.find("zero_point");
  if (!rounds_half_away) {
    if (zero_point != compute.attributes.end()) compute.attributes.erase(zero_point);
  } else if (offset == nullptr) {
    return;
  } else if (zero_point != compute.attributes.end()) {
    offset->real -= static_cast<float>(zero_point->second.constant().value());
  }
  compute.capability = "REQUANT_ADD_FIXED";
}

}  // namespace

codelet::Codelet scale(const codelet::Codelet& codelet, const GreatestScales& greatest, const acg::Machine& machine) {
  if (!acg::is_fixed_point(machine)) return codelet;
  const bool rounds_half_away = acg::rounds_half_away(machine);
  codelet::Codelet result = codelet;
  for_each_operation(result.body, [&](codelet::Operation& operation) {
    auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr) return;
    if (compute->capability == "REQUANT_ADD") scale_sum(*compute, rounds_half_away);
    if (compute->capability == "REQUANT_MUL") scale_product(*compute);
    if (compute->capability == "REQUANT") scale_sums(*compute, greatest);
    const bool is_fixed = compute->capability.starts_with("REQUANT") && compute->capability.ends_with("FIXED");
    if (rounds_half_away && is_fixed) compute->attributes["half_away"] = 1;
  });
  return result;
}

}  // namespace covenant::compiler
