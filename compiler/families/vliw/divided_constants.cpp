#include "compiler/families/vliw/divided_constants.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "acg/base/rounding.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/families/vliw/constant_tiles.h"
#include "compiler/families/vliw/turned_loops.h"

namespace covenant::compiler::vliw {
namespace {

using codelet::Codelet;
using codelet::Expression;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::Term;
using codelet::Transfer;

/// Makes loops run from 0 by 1: indices become multiples of the old steps.
void count_trips(std::vector<Operation>& body) {
  for (Operation& operation : body) {
    auto* loop = std::get_if<Loop>(&operation.op);
    if (loop == nullptr) continue;
    count_trips(loop->body);
    const Expression index = loop->lower + loop->stride * Expression::variable(loop->variable);
    for_each_expression(loop->body, [&](Expression& one) { one = one.substitute(loop->variable, index); });
    loop->upper = trips_of(*loop);
    loop->lower = 0;
    loop->stride = 1;
  }
}

bool is_multiple(const Expression& index, int64_t of) {
  return std::all_of(index.terms().begin(), index.terms().end(),
                     [&](const Term& term) { return term.coefficient % of == 0; });
}

/// The expression divided by `by`. Pre: it is a multiple.
Expression divided(const Expression& index, int64_t by) {
  Expression result;
  for (const Term& term : index.terms()) {
    Expression product = term.coefficient / by;
    for (const std::string& name : term.names) product = product * Expression::variable(name);
    result = result + product;
  }
  return result;
}

template <typename T>
void insert(std::vector<T>& values, size_t at, T value) {
  if (!values.empty()) values.insert(values.begin() + static_cast<std::ptrdiff_t>(at), std::move(value));
}

class Division {
 public:
  Division(Codelet& codelet, const std::string& constant)
      : surrogate_(*find_surrogate(codelet, constant)), tiles_(tiles_of(codelet, constant)) {}

  void run() {
    if (tiles_.transfers.empty() || surrogate_.packing.empty()) return;
    for (size_t d = surrogate_.shape.size() - std::min(surrogate_.shape.size(), kMatrix); d-- > 0;) {
      if (const int64_t part = part_of(d); part > 1) divide(d, part);
    }
  }

 private:
  /// The part of a dimension that each tile takes; 1 if tiles take all of it, or different parts.
  int64_t part_of(size_t d) const {
    const int64_t part = tiles_.transfers[0]->shape[d].constant().value();
    const bool is_everywhere =
        std::all_of(tiles_.transfers.begin(), tiles_.transfers.end(), [&](const Transfer* transfer) {
          const Reference& from = std::get<Reference>(transfer->source);
          return transfer->shape[d].constant().value() == part && !from.indices.empty() &&
                 is_multiple(from.indices[d], part);
        });
    const int64_t all = surrogate_.shape[d].constant().value();
    return is_everywhere && part < all ? part : 1;
  }

  void divide(size_t d, int64_t part) {
    divide(surrogate_, d, part);
    for (Transfer* transfer : tiles_.transfers) {
      auto& from = std::get<Reference>(transfer->source);
      from.indices[d] = divided(from.indices[d], part);
      insert(from.indices, d + 1, Expression(0));
      transfer->shape[d] = 1;
      insert(transfer->shape, d + 1, Expression(part));
    }
    for (Reference* operand : tiles_.operands) insert(operand->indices, d, Expression(0));
  }

  static void divide(Surrogate& surrogate, size_t d, int64_t part) {
    const auto place = [](size_t at) { return fmt::format("p{}", at); };
    for (Expression& one : surrogate.packing) {
      for (size_t at = surrogate.shape.size(); at-- > d + 1;) {
        one = one.substitute(place(at), Expression::variable(place(at + 1)));
      }
      one = one.substitute(place(d), Expression::variable(place(d)) * part + Expression::variable(place(d + 1)));
    }
    const int64_t all = surrogate.shape[d].constant().value();
    surrogate.shape[d] = ceil_divide(all, part);
    insert(surrogate.shape, d + 1, Expression(part));
  }

  Surrogate& surrogate_;
  ConstantTiles tiles_;
};

}  // namespace

Codelet with_divided_constants(const Codelet& tiled, const std::map<std::string, ConstantTensor>& constants) {
  Codelet result = tiled;
  count_trips(result.body);
  for (const auto& [name, constant] : constants) Division(result, name).run();
  return result;
}

}  // namespace covenant::compiler::vliw
