#include "compiler/codelet/results.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler::codelet {
namespace {

/// Values of a loop's variable: `first`, and `count` of them, `stride` apart.
struct Values {
  int64_t first = 0;
  int64_t stride = 1;
  int64_t count = 0;
};

/// Elements along one dimension that a write touches: `first`, and all sums of steps, each taken fewer than its count
/// times.
struct Steps {
  int64_t first = 0;
  std::vector<std::pair<int64_t, int64_t>> steps{};  ///< step, count
  bool is_known = true;                              ///< false: it depends on more than loops with numbers as bounds

  /// True if these are the elements 0 to `extent - 1`, without a hole.
  bool fill(int64_t extent) {
    for (auto& [step, count] : steps) {
      if (step >= 0) continue;
      first += step * (count - 1);
      step = -step;
    }
    if (!is_known || first != 0) return false;
    std::sort(steps.begin(), steps.end());
    int64_t reach = 1;
    for (const auto& [step, count] : steps) {
      if (count > 1 && (step < 1 || step > reach)) return false;
      reach += step * (count - 1);
    }
    return reach == extent;
  }
};

class ResultChecker {
 public:
  explicit ResultChecker(const Codelet& codelet) : codelet_(codelet) {}

  std::optional<Diagnostic> run() {
    visit(codelet_.body);
    if (!advances_) return std::nullopt;  // which `verify` reports
    for (const Surrogate& surrogate : codelet_.surrogates) {
      if (surrogate.kind != SurrogateKind::kOut && surrogate.kind != SurrogateKind::kLocal) continue;
      const bool is_out = surrogate.kind == SurrogateKind::kOut;
      if (!whole_.contains(surrogate.name)) {
        return wrong(surrogate, "not all of its elements are written",
                     is_out ? "loop over all elements of the out, or make it smaller" : "write the whole local");
      }
      if (!is_out && !read_.contains(surrogate.name)) {
        return wrong(surrogate, "a local is computed that nothing reads", "leave it out, or use it");
      }
    }
    return std::nullopt;
  }

 private:
  Diagnostic wrong(const Surrogate& surrogate, const char* what, const char* fix) const {
    const auto part = written_.find(surrogate.name);
    return {"CDL0026",
            surrogate.where,
            codelet_.name,
            what,
            part == written_.end() ? surrogate.name + ", which no compute writes" : part->second,
            {},
            fix};
  }

  void visit(const std::vector<Operation>& body) {
    for (const Operation& operation : body) {
      std::visit([this](const auto& one) { visit(one); }, operation.op);
    }
  }

  void visit(const Loop& loop) {
    const auto lower = loop.lower.constant(), upper = loop.upper.constant(), stride = loop.stride.constant();
    if (stride && *stride < 1) advances_ = false;
    if (lower && upper && stride && *stride > 0) {
      if (*lower >= *upper) return;  // it never runs
      loops_[loop.variable] = {*lower, *stride, (*upper - *lower + *stride - 1) / *stride};
    }
    visit(loop.body);
    loops_.erase(loop.variable);
  }

  void visit(const Compute& compute) {
    write(compute.destination, {});
    for (const auto& operand : compute.operands) {
      if (const auto* reference = std::get_if<Reference>(&operand)) read_.insert(reference->surrogate);
    }
  }

  void visit(const Transfer& transfer) {
    if (const auto* source = std::get_if<Reference>(&transfer.source)) read_.insert(source->surrogate);
    if (transfer.destination) write(*transfer.destination, transfer.shape);
  }

  /// A write of `shape` elements from the reference on; of one, if that is empty.
  void write(const Reference& destination, const std::vector<Expression>& shape) {
    const Surrogate* surrogate = find_surrogate(codelet_, destination.surrogate);
    if (surrogate == nullptr) return;
    written_.emplace(destination.surrogate, print(destination));
    std::set<std::string> names;
    size_t mentioned = 0;
    bool is_whole = true;
    for (size_t d = 0; d < destination.indices.size(); ++d) {
      Steps steps = steps_of(destination.indices[d], names, mentioned);
      if (!shape.empty()) steps.steps.emplace_back(1, shape[d].constant().value_or(1));
      is_whole = is_whole && steps.fill(surrogate->shape[d].constant().value());
    }
    // Dimensions that share a loop take only some pairs of values.
    if (is_whole && names.size() == mentioned) whole_.insert(destination.surrogate);
  }

  Steps steps_of(const Expression& index, std::set<std::string>& names, size_t& mentioned) const {
    Steps steps;
    for (const Term& term : index.terms()) {
      if (term.names.empty()) {
        steps.first += term.coefficient;
        continue;
      }
      const auto loop = loops_.find(term.names.front());
      if (term.names.size() > 1 || loop == loops_.end()) return {.is_known = false};
      const Values& values = loop->second;
      steps.first += term.coefficient * values.first;
      steps.steps.emplace_back(term.coefficient * values.stride, values.count);
      if (values.count > 1) {
        names.insert(term.names.front());
        ++mentioned;
      }
    }
    return steps;
  }

  const Codelet& codelet_;
  std::map<std::string, Values> loops_;
  std::map<std::string, std::string> written_;  ///< by surrogate: the first write
  std::set<std::string> whole_, read_;
  bool advances_ = true;  ///< all loops do
};

}  // namespace

Status check_results(const Codelet& codelet) {
  if (const std::optional<Diagnostic> found = ResultChecker(codelet).run()) return *found;
  return Done{};
}

}  // namespace covenant::compiler::codelet
