#include "compiler/binding/repeated_rows.h"

#include <algorithm>
#include <fmt/format.h>

#include "compiler/codelet/block.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/roles.h"
#include "compiler/codelet/vector_sizes.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Expression;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::SurrogateKind;

struct Vectors {
  int64_t row = 0;  ///< elements
  int64_t rows = 1;
  int64_t bytes = 0;
};

/// Matrices of products have no rows of vectors.
bool is_factor(const Codelet& bound, const std::string& constant) {
  bool is_it = false;
  for_each_operation(bound.body, [&](const Operation& operation, const std::vector<const codelet::Loop*>&) {
    const auto* compute = std::get_if<codelet::Compute>(&operation.op);
    if (compute == nullptr || !codelet::is_product(*compute)) return;
    is_it = is_it || std::ranges::any_of(compute->operands, [&](const auto& operand) {
              const auto* reference = std::get_if<Reference>(&operand);
              return reference != nullptr && reference->surrogate == constant;
            });
  });
  return is_it;
}

/// Those of the results, if they hold several rows of each.
Vectors vectors_of(const Codelet& bound, const acg::Machine& machine) {
  Vectors vectors;
  for (const Surrogate& one : bound.surrogates) {
    if (one.kind != SurrogateKind::kOut) continue;
    const auto elements = static_cast<int64_t>(codelet::written_at_once(machine, one.dtype.value()));
    const int64_t row = one.shape.back().constant().value();
    if (!codelet::has_rows_side_by_side(one) || row >= elements || elements % row != 0) return {};
    vectors = {row, elements / row, elements * static_cast<int64_t>(bytes(one.dtype.value()))};
  }
  return vectors;
}

Expression place(size_t dimension) { return Expression::variable(fmt::format("p{}", dimension)); }

/// [..., C] as [..., rows, C], read at the first row.
void repeat(Codelet& bound, Surrogate& constant, int64_t rows) {
  const size_t rank = constant.shape.size();
  constant.logical_shape = constants(constant.shape);
  for (size_t d = 0; d + 1 < rank; ++d) constant.packing.push_back(place(d));
  constant.packing.push_back(place(rank));
  constant.shape.insert(constant.shape.end() - 1, Expression(rows));
  for_each_operation(bound.body, [&](Operation& operation) {
    auto* compute = std::get_if<codelet::Compute>(&operation.op);
    if (compute == nullptr) return;
    for (auto& operand : compute->operands) {
      auto* reference = std::get_if<Reference>(&operand);
      if (reference == nullptr || reference->surrogate != constant.name) continue;
      reference->indices.insert(reference->indices.end() - 1, Expression(0));
    }
  });
}

}  // namespace

void repeat_rows(Codelet& bound, const NetworkLayer& layer, const acg::Machine& machine) {
  const Vectors vectors = vectors_of(bound, machine);
  if (vectors.rows == 1) return;
  for (Surrogate& one : bound.surrogates) {
    if (one.kind != SurrogateKind::kInp || layer.activations.contains(one.name)) continue;
    if (one.shape.empty() || one.shape.back() != Expression(vectors.row)) continue;
    const int64_t row_bytes = vectors.row * static_cast<int64_t>(bytes(one.dtype.value()));
    if (vectors.bytes % row_bytes != 0 || vectors.bytes == row_bytes || is_factor(bound, one.name)) continue;
    repeat(bound, one, vectors.rows);
  }
}

}  // namespace covenant::compiler
