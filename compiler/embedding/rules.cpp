#include "compiler/embedding/rules.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>
#include <vector>

#include "acg/base/check.h"

namespace covenant::compiler::embedding {
namespace {

constexpr std::array<std::pair<Relaxation, std::string_view>, 6> kRelaxationNames{{
    {Relaxation::kPad, "pad"},
    {Relaxation::kFuse, "fuse"},
    {Relaxation::kStrided, "strided"},
    {Relaxation::kUnroll, "unroll"},
    {Relaxation::kBand, "band"},
    {Relaxation::kExchange, "exchange"},
}};

}  // namespace

std::string_view name_of(Relaxation relaxation) {
  for (const auto& [value, name] : kRelaxationNames) {
    if (value == relaxation) return name;
  }
  fail("a relaxation without a name");
}

std::optional<Relaxation> relaxation_named(std::string_view name) {
  for (const auto& [value, known] : kRelaxationNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

const std::set<Relaxation>& all_relaxations() {
  static const std::set<Relaxation> known = [] {
    std::set<Relaxation> all;
    for (const auto& [value, name] : kRelaxationNames) all.insert(value);
    return all;
  }();
  return known;
}

std::string names_of(const std::set<Relaxation>& relaxations) {
  if (relaxations.empty()) return "none";
  std::vector<std::string_view> names;
  for (const Relaxation one : relaxations) names.push_back(name_of(one));
  return fmt::format("{}", fmt::join(names, ", "));
}

Rules strict() { return {}; }

Rules relaxed() {
  Rules rules;
  rules.allowed = all_relaxations();
  return rules;
}

}  // namespace covenant::compiler::embedding
