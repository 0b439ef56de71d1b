#include "compiler/codelet/split_loop.h"

#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "compiler/codelet/names.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Expression;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;

template <typename List, typename With>
void replace(List& list, size_t at, const With& with) {
  const auto place = list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
  list.insert(place, with.begin(), with.end());
}

class Splitting {
 public:
  Splitting(const Codelet& codelet, const std::string& variable, const std::vector<int64_t>& trips)
      : result_(codelet), variable_(variable), trips_(trips) {
    Names names(codelet);
    for (size_t i = 0; i < trips.size(); ++i) variables_.push_back(names.fresh(variable));
    for (const std::string& one : variables_) indices_.push_back(Expression::variable(one));
  }

  std::optional<Codelet> run() {
    split_loops(result_.body);
    for (const auto& [name, d] : dimensions_) {
      const Surrogate& surrogate = *find_surrogate(result_, name);
      is_possible_ = is_possible_ && surrogate.packing.empty() && surrogate.shape.at(d) == Expression(all_trips());
    }
    if (!is_possible_) return std::nullopt;
    // From the last dimension backwards, so that the indices of earlier ones stay valid.
    for (auto at = dimensions_.rbegin(); at != dimensions_.rend(); ++at) {
      split_dimension(*find_surrogate(result_, at->first), at->second, trips_);
    }
    return std::move(result_);
  }

 private:
  int64_t all_trips() const { return std::accumulate(trips_.begin(), trips_.end(), int64_t{1}, std::multiplies<>()); }

  void split_loops(std::vector<Operation>& body) {
    for (Operation& operation : body) {
      if (auto* loop = std::get_if<Loop>(&operation.op)) {
        split_loops(loop->body);
        if (loop->variable == variable_) operation = split(std::move(*loop), operation.where);
      } else if (auto* compute = std::get_if<Compute>(&operation.op)) {
        split_reference(compute->destination);
        for (auto& operand : compute->operands) {
          if (auto* reference = std::get_if<Reference>(&operand)) split_reference(*reference);
        }
      } else {
        is_possible_ = false;
      }
    }
  }

  Operation split(Loop loop, const SourceLocation& where) {
    is_possible_ = is_possible_ && loop.lower == Expression(0) && loop.stride == Expression(1) &&
                   loop.upper == Expression(all_trips());
    std::vector<Operation> body = std::move(loop.body);
    for (size_t i = trips_.size(); i-- > 0;) {
      Loop made{variables_[i], 0, trips_[i], 1, std::move(body), loop.level};
      body.clear();
      body.push_back({std::move(made), where});
    }
    return std::move(body.front());
  }

  void split_reference(Reference& reference) {
    for (size_t d = reference.indices.size(); d-- > 0;) {
      if (!reference.indices[d].mentions(variable_)) continue;
      is_possible_ = is_possible_ && reference.indices[d] == Expression::variable(variable_);
      dimensions_.emplace(reference.surrogate, d);
      replace(reference.indices, d, indices_);
    }
  }

  Codelet result_;
  const std::string& variable_;
  const std::vector<int64_t>& trips_;
  std::vector<std::string> variables_;
  std::vector<Expression> indices_;
  std::set<std::pair<std::string, size_t>> dimensions_;  ///< dimensions to be split, by surrogate
  bool is_possible_ = true;
};

}  // namespace

std::optional<Codelet> with_split_loop(const Codelet& codelet, const std::string& variable,
                                       const std::vector<int64_t>& trips) {
  return Splitting(codelet, variable, trips).run();
}

void split_dimension(Surrogate& surrogate, size_t d, const std::vector<int64_t>& sizes) {
  std::vector<Expression> strides(sizes.size());
  if (!surrogate.strides.empty()) {
    Expression stride = surrogate.strides.at(d);
    for (size_t i = sizes.size(); i-- > 0; stride = stride * Expression(sizes[i])) strides[i] = stride;
    replace(surrogate.strides, d, strides);
  }
  replace(surrogate.shape, d, sizes);
}

}  // namespace covenant::compiler
