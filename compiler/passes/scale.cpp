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

}  // namespace

codelet::Codelet scale(const codelet::Codelet& codelet, const GreatestScales& greatest, const acg::Machine& machine) {
  if (!acg::is_fixed_point(machine)) return codelet;
  codelet::Codelet result = codelet;
  for_each_operation(result.body, [&](codelet::Operation& operation) {
    auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr) return;
    if (compute->capability == "REQUANT_ADD") compute->capability = "REQUANT_ADD_FIXED";
    if (compute->capability != "REQUANT") return;
    const std::optional<float> most = greatest_of(*compute, greatest);
    if (!most) return;
    compute->capability = "REQUANT_FIXED";
    compute->attributes["shift"] = shift_for(*most);
  });
  return result;
}

}  // namespace covenant::compiler
