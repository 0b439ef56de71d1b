#include "compiler/passes/pack.h"

#include <fmt/format.h>
#include <utility>

#include "acg/base/rounding.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/local_layout.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::diagnose;
using codelet::Expression;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::SurrogateKind;

/// The index divided by its factor: `oc*16` in units of 16 is `oc`.
Expression divided(const Expression& index, int64_t divisor) {
  Expression result;
  for (const codelet::Term& term : index.terms()) {
    check(term.coefficient % divisor == 0, "a matrix does not start at one of its own multiples: map first");
    Expression product(term.coefficient / divisor);
    for (const std::string& name : term.names) product = product * Expression::variable(name);
    result = result + product;
  }
  return result;
}

/// Composes two packings: `outer` over the dimensions that `inner` makes of p0, p1, ...; without `outer`, `inner`
/// alone.
std::vector<Expression> composed(const std::vector<Expression>& outer, const std::vector<Expression>& inner) {
  if (outer.empty()) return inner;
  std::vector<Expression> result;
  for (Expression expression : outer) {
    for (size_t d = 0; d < inner.size(); ++d) {
      expression = expression.substitute(fmt::format("p{}", d), Expression::variable(fmt::format("dimension{}", d)));
    }
    for (size_t d = 0; d < inner.size(); ++d) {
      expression = expression.substitute(fmt::format("dimension{}", d), inner[d]);
    }
    result.push_back(expression);
  }
  return result;
}

/// A view of memory stays where it is: a matrix is as far from the next one as their first elements are.
void block_strides(Surrogate& surrogate, int64_t rows, int64_t columns) {
  const std::vector<Expression> strides = surrogate.strides;
  const Expression& row = strides[strides.size() - 2];
  const Expression& column = strides.back();
  surrogate.strides = {column * columns, row * rows};
  surrogate.strides.insert(surrogate.strides.end(), strides.begin(), strides.end() - 2);
  surrogate.strides.insert(surrogate.strides.end(), {row, column});
}

bool has_whole_matrices(const Surrogate& surrogate, int64_t rows, int64_t columns) {
  const std::vector<int64_t> shape = constants(surrogate.shape);
  return shape[shape.size() - 1] % columns == 0 && shape[shape.size() - 2] % rows == 0;
}

void pack_surrogate(Surrogate& surrogate, int64_t rows, int64_t columns) {
  const std::vector<int64_t> logical = constants(surrogate.shape);
  const size_t rank = logical.size();
  std::vector<Expression> shape{ceil_divide(logical[rank - 1], columns), ceil_divide(logical[rank - 2], rows)};
  std::vector<Expression> packing;
  const auto position = [](size_t d) { return Expression::variable(fmt::format("p{}", d)); };
  for (size_t d = 0; d + 2 < rank; ++d) {
    shape.emplace_back(logical[d]);
    packing.push_back(position(d + 2));
  }
  shape.emplace_back(rows);
  shape.emplace_back(columns);
  packing.push_back(position(1) * rows + position(rank));
  packing.push_back(position(0) * columns + position(rank + 1));
  surrogate.shape = std::move(shape);
  if (!surrogate.strides.empty()) return block_strides(surrogate, rows, columns);
  surrogate.packing = composed(surrogate.packing, packing);
  if (surrogate.logical_shape.empty()) surrogate.logical_shape = logical;
}

void pack_reference(Reference& reference, int64_t rows, int64_t columns) {
  const std::vector<Expression> indices = reference.indices;
  const size_t rank = indices.size();
  std::vector<Expression> packed{divided(indices[rank - 1], columns), divided(indices[rank - 2], rows)};
  packed.insert(packed.end(), indices.begin(), indices.end() - 2);
  packed.emplace_back(0);
  packed.emplace_back(0);
  reference.indices = std::move(packed);
}

}  // namespace

Result<Codelet> pack(const Codelet& source, const acg::Machine& machine) {
  Codelet packed = source;
  std::map<std::string, std::vector<uint64_t>> read_as;
  std::optional<Diagnostic> failure;
  for_each_operation(packed.body, [&](Operation& operation) {
    auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr) return;
    const acg::Capability& capability = capability_of(source, machine, *compute);
    for (size_t i = 0; i < compute->operands.size(); ++i) {
      auto* reference = std::get_if<Reference>(&compute->operands[i]);
      if (reference == nullptr) continue;
      Surrogate* surrogate = find_surrogate(packed, reference->surrogate);
      if (surrogate == nullptr || surrogate->kind != SurrogateKind::kInp) continue;
      const std::vector<uint64_t>& shape = capability.inputs[i].shape;
      const auto [entry, is_new] = read_as.emplace(surrogate->name, shape);
      if (!is_new && entry->second != shape) {
        failure = diagnose("CDL0042", operation.where, source.name, "a constant is read in two ways", surrogate->name,
                           {}, "give each use a tensor of its own");
        return;
      }
      if (shape.size() != 2) continue;
      const auto rows = static_cast<int64_t>(shape[0]);
      const auto columns = static_cast<int64_t>(shape[1]);
      if (is_new && !surrogate->strides.empty() && !has_whole_matrices(*surrogate, rows, columns)) {
        failure =
            diagnose("CDL0043", operation.where, source.name, "a view ends within a matrix of the machine",
                     codelet::print(*surrogate), {fmt::format("multiples of {} rows and {} columns", rows, columns)},
                     "store the tensor with room for whole matrices, and let the view take it in");
        return;
      }
      if (is_new) pack_surrogate(*surrogate, rows, columns);
      pack_reference(*reference, rows, columns);
    }
  });
  if (failure) return *failure;
  return packed;
}

}  // namespace covenant::compiler
