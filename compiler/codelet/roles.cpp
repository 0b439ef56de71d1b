#include "compiler/codelet/roles.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "compiler/codelet/arithmetic.h"

namespace covenant::compiler::codelet {
namespace {

enum class Role : uint8_t { kRows, kInner, kColumns, kLanes };

/// The role of each dimension of an operand; nothing for dimensions of one element.
using Roles = std::vector<std::optional<Role>>;

uint64_t elements(const acg::CapabilityOperand& operand) {
  return std::accumulate(operand.shape.begin(), operand.shape.end(), uint64_t{1}, std::multiplies<>());
}

/// Roles of a matrix with these extents; a vector lies along the longer one.
Roles of_matrix(const acg::CapabilityOperand& operand, std::pair<Role, uint64_t> first,
                std::pair<Role, uint64_t> second) {
  const auto role = [](std::pair<Role, uint64_t> one) {
    return one.second > 1 ? std::optional(one.first) : std::nullopt;
  };
  if (operand.shape.size() == 2) return {role(first), role(second)};
  Roles roles(operand.shape.size());
  if (elements(operand) > 1 && !roles.empty()) roles.back() = first.second > 1 ? role(first) : role(second);
  return roles;
}

/// Roles of the result, then of every operand. Nothing if the extents do not form a matrix product.
std::optional<std::vector<Roles>> roles_of_product(const acg::Capability& capability) {
  const uint64_t x = elements(capability.inputs[0]);
  const uint64_t w = elements(capability.inputs[1]);
  const uint64_t inner = inner_extent(x, w, elements(capability.output));
  if (inner == 0) return std::nullopt;
  const std::pair rows{Role::kRows, x / inner};
  const std::pair columns{Role::kColumns, w / inner};
  const std::pair summed{Role::kInner, inner};
  std::vector<Roles> roles{of_matrix(capability.output, rows, columns), of_matrix(capability.inputs[0], rows, summed),
                           of_matrix(capability.inputs[1], summed, columns)};
  for (size_t i = 2; i < capability.inputs.size(); ++i) roles.push_back(of_matrix(capability.inputs[i], rows, columns));
  return roles;
}

std::vector<Roles> roles_of_lanes(const acg::Capability& capability) {
  const auto of = [&](const acg::CapabilityOperand& operand) {
    Roles roles(operand.shape.size());
    if (elements(operand) > 1) roles.back() = Role::kLanes;
    return roles;
  };
  std::vector<Roles> roles{of(capability.output)};
  for (const acg::CapabilityOperand& input : capability.inputs) roles.push_back(of(input));
  return roles;
}

/// Maps each role to the loop that runs along it.
class Binding {
 public:
  /// Binds the dimensions of a reference. False if a dimension with a role is not indexed by the one loop of that role.
  bool bind(const Reference& reference, const Roles& roles) {
    if (reference.indices.size() < roles.size()) return false;
    const size_t leading = reference.indices.size() - roles.size();
    for (size_t d = 0; d < roles.size(); ++d) {
      if (!roles[d]) continue;
      const std::string variable = variable_of(reference.indices[leading + d]);
      if (variable.empty() || loops_.emplace(*roles[d], variable).first->second != variable) return false;
    }
    return true;
  }

  /// True if no loop of a role that the operand lacks indexes it, and each loop has one role.
  bool leaves_alone(const Reference& reference, const Roles& roles) const {
    return std::ranges::all_of(loops_, [&](const auto& loop) {
      return std::ranges::find(roles, std::optional(loop.first)) != roles.end() || !reference.mentions(loop.second);
    });
  }
  bool is_one_to_one() const {
    return std::ranges::all_of(loops_, [&](const auto& one) {
      return std::ranges::count_if(loops_, [&](const auto& other) { return other.second == one.second; }) == 1;
    });
  }

 private:
  std::map<Role, std::string> loops_;
};

bool fits(const Compute& compute, const std::vector<Roles>& roles) {
  std::vector<std::pair<const Reference*, const Roles*>> references{{&compute.destination, &roles[0]}};
  for (size_t i = 0; i < compute.operands.size(); ++i) {
    if (const auto* reference = std::get_if<Reference>(&compute.operands[i])) {
      references.emplace_back(reference, &roles[i + 1]);
    }
  }
  Binding binding;
  for (const auto& [reference, own] : references) {
    if (!binding.bind(*reference, *own)) return false;
  }
  return binding.is_one_to_one() && std::ranges::all_of(references, [&](const auto& one) {
           return binding.leaves_alone(*one.first, *one.second);
         });
}

}  // namespace

bool is_product(const Compute& compute) {
  const std::optional<FunctionInfo> function = function_named(compute.capability);
  return function && (function->function == Function::kGemm || function->function == Function::kMmul);
}

std::string variable_of(const Expression& index) {
  const auto& terms = index.terms();
  const bool is_variable = terms.size() == 1 && terms[0].names.size() == 1 && terms[0].coefficient == 1;
  return is_variable ? terms[0].names[0] : "";
}

std::vector<std::vector<size_t>> operand_orders(const Compute& compute) {
  std::vector<size_t> order(compute.operands.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<std::vector<size_t>> orders{order};
  const std::optional<FunctionInfo> function = function_named(compute.capability);
  if (!function || order.size() < 2) return orders;
  switch (function->function) {
    case Function::kGemm:
    case Function::kMmul:
    case Function::kMac:
    case Function::kAdd:
    case Function::kMul:
    case Function::kMax:
    case Function::kMin:
      std::swap(order[0], order[1]);
      orders.push_back(order);
      return orders;
    default:
      return orders;
  }
}

std::optional<std::vector<bool>> turned_operands(const acg::Capability& capability, const Compute& compute,
                                                 const std::function<bool(const std::string&)>& may_turn) {
  const size_t count = compute.operands.size();
  const std::optional<std::vector<Roles>> roles =
      is_product(compute) ? roles_of_product(capability) : roles_of_lanes(capability);
  if (!roles) return std::nullopt;
  std::vector<uint32_t> choices(size_t{1} << count);
  std::iota(choices.begin(), choices.end(), 0U);
  std::ranges::stable_sort(choices, {}, [](uint32_t choice) { return std::popcount(choice); });
  for (const uint32_t choice : choices) {
    Compute tried = compute;
    std::vector<bool> turns(count);
    bool is_possible = true;
    for (size_t i = 0; i < count; ++i) {
      turns[i] = (choice >> i & 1U) != 0;
      if (!turns[i]) continue;
      auto* reference = std::get_if<Reference>(&tried.operands[i]);
      is_possible =
          is_possible && reference != nullptr && reference->indices.size() > 1 && may_turn(reference->surrogate);
      if (is_possible) *reference = turned(*reference);
    }
    if (is_possible && fits(tried, *roles)) return turns;
  }
  return std::nullopt;
}

Reference turned(Reference reference) {
  std::swap(reference.indices.end()[-1], reference.indices.end()[-2]);
  return reference;
}

}  // namespace covenant::compiler::codelet
