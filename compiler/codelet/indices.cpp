#include "compiler/codelet/indices.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "acg/base/check.h"
#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/element.h"
#include "compiler/codelet/print.h"

namespace covenant::compiler::codelet {
namespace {

Range product(const Range& a, const Range& b) {
  const int64_t corners[] = {a.lowest * b.lowest, a.lowest * b.highest, a.highest * b.lowest, a.highest * b.highest};
  return {*std::min_element(std::begin(corners), std::end(corners)),
          *std::max_element(std::begin(corners), std::end(corners))};
}

class IndexChecker {
 public:
  explicit IndexChecker(const Codelet& codelet) : codelet_(codelet) {}

  std::optional<Diagnostic> run(const std::vector<Operation>& body) {
    for (const Operation& operation : body) {
      std::optional<Diagnostic> found;
      if (const auto* loop = std::get_if<Loop>(&operation.op)) {
        found = check_loop(*loop);
      } else if (const auto* compute = std::get_if<Compute>(&operation.op)) {
        found = check_compute(*compute, operation.where);
      }
      if (found) return found;
    }
    return std::nullopt;
  }

 private:
  std::optional<Diagnostic> check_loop(const Loop& loop) {
    const Range lower = range_of(loop.lower, names_);
    const Range upper = range_of(loop.upper, names_);
    if (lower.lowest >= upper.highest) return std::nullopt;  // the loop never runs
    Range values{lower.lowest, upper.highest - 1};
    // The last value need not be the one before the bound: with stride 3 below 5 it is 3.
    const std::optional<int64_t> stride = loop.stride.constant();
    if (stride && *stride > 0 && loop.lower.constant()) {
      values.highest = values.lowest + (values.highest - values.lowest) / *stride * *stride;
    }
    names_[loop.variable] = values;
    std::optional<Diagnostic> found = run(loop.body);
    names_.erase(loop.variable);
    return found;
  }

  std::optional<Diagnostic> check_compute(const Compute& compute, const SourceLocation& where) {
    if (auto found = check_reference(compute.destination, true, where)) return found;
    for (const auto& operand : compute.operands) {
      const auto* reference = std::get_if<Reference>(&operand);
      if (reference == nullptr) continue;
      if (auto found = check_reference(*reference, false, where)) return found;
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> check_reference(const Reference& reference, bool is_write, const SourceLocation& where) {
    const auto surrogate = std::find_if(codelet_.surrogates.begin(), codelet_.surrogates.end(),
                                        [&](const Surrogate& one) { return one.name == reference.surrogate; });
    if (surrogate == codelet_.surrogates.end() || (!is_write && reads_outside(*surrogate))) return std::nullopt;
    for (size_t d = 0; d < reference.indices.size(); ++d) {
      const Range values = range_of(reference.indices[d], names_);
      const int64_t extent = surrogate->shape.at(d).constant().value();
      if (values.lowest >= 0 && values.highest < extent) continue;
      return Diagnostic{"CDL0024",
                        reference.where.line != 0 ? reference.where : where,
                        codelet_.name,
                        fmt::format("index '{}' takes values from {} to {}", reference.indices[d].print(),
                                    values.lowest, values.highest),
                        print(reference),
                        {fmt::format("0 to {}", extent - 1)},
                        is_write ? "shorten the loop, or make the tensor larger"
                                 : "shorten the loop, or say what reads outside give: fill=0 in the declaration"};
    }
    return std::nullopt;
  }

  const Codelet& codelet_;
  std::map<std::string, Range> names_;
};

std::optional<Diagnostic> wrong_attribute(const Codelet& codelet, const Compute& compute, const SourceLocation& where) {
  const std::optional<FunctionInfo> function = function_named(compute.capability);
  const auto result = std::find_if(codelet.surrogates.begin(), codelet.surrogates.end(),
                                   [&](const Surrogate& one) { return one.name == compute.destination.surrogate; });
  if (!function || !function->quantizes || result == codelet.surrogates.end() || !result->dtype ||
      info(*result->dtype).is_float) {
    return std::nullopt;
  }
  const auto wrong = [&](const char* name, int64_t least, int64_t most) -> std::optional<Diagnostic> {
    const auto given = compute.attributes.find(name);
    if (given == compute.attributes.end()) return std::nullopt;
    const std::optional<int64_t> value = given->second.constant();
    if (value && *value >= least && *value <= most) return std::nullopt;
    return Diagnostic{"CDL0025",
                      where,
                      codelet.name,
                      fmt::format("{} of {} is no value that it can have", name, compute.capability),
                      given->second.print(),
                      {fmt::format("{} to {}", least, most)},
                      "give values of the result's dtype, lowest not above highest, and shifts that there are"};
  };
  const auto [least, most] = integer_range(result->dtype.value());
  for (const char* name : {"zero_point", "lowest"}) {
    if (const auto found = wrong(name, least, most)) return found;
  }
  const auto lowest = compute.attributes.find("lowest");
  if (const auto found =
          wrong("highest", lowest == compute.attributes.end() ? least : lowest->second.constant().value(), most))
    return found;
  if (const auto found = wrong("half_away", 0, 1)) return found;
  return wrong("shift", kLeastFixedShift, kMostFixedShift);
}

std::optional<Diagnostic> wrong_attribute(const Codelet& codelet, const std::vector<Operation>& body) {
  for (const Operation& operation : body) {
    std::optional<Diagnostic> found;
    if (const auto* loop = std::get_if<Loop>(&operation.op)) {
      found = wrong_attribute(codelet, loop->body);
    } else if (const auto* compute = std::get_if<Compute>(&operation.op)) {
      found = wrong_attribute(codelet, *compute, operation.where);
    }
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace

Range range_of(const Expression& expression, const std::map<std::string, Range>& names) {
  Range sum;
  for (const Term& term : expression.terms()) {
    Range value{term.coefficient, term.coefficient};
    for (const std::string& name : term.names) {
      const auto found = names.find(name);
      check(found != names.end(), "no range for '" + name + "'");
      value = product(value, found->second);
    }
    sum = {sum.lowest + value.lowest, sum.highest + value.highest};
  }
  return sum;
}

Status check_attributes(const Codelet& codelet) {
  if (const std::optional<Diagnostic> found = wrong_attribute(codelet, codelet.body)) return *found;
  return Done{};
}

Status check_indices(const Codelet& codelet) {
  if (const std::optional<Diagnostic> found = IndexChecker(codelet).run(codelet.body)) return *found;
  return Done{};
}

}  // namespace covenant::compiler::codelet
