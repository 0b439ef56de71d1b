#include "compiler/codelet/vector_rows.h"

#include <algorithm>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/block.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/roles.h"

namespace covenant::compiler::codelet {
namespace {

int64_t last_dimension(const Surrogate& surrogate) { return surrogate.shape.back().constant().value(); }

class Finder {
 public:
  Finder(const Codelet& codelet, const acg::Machine& machine, const Compute& compute, const SourceLocation& where)
      : codelet_(codelet),
        compute_(compute),
        where_(where),
        result_(*find_surrogate(codelet, compute.destination.surrogate)) {
    const std::optional<acg::ComputeId> node = acg::find_compute(machine, compute.location);
    const auto file = node ? acg::register_file(machine, acg::get(machine, *node)) : std::nullopt;
    if (file) register_bytes_ = static_cast<int64_t>(acg::get(machine, *file).unit_bytes());
  }

  VectorRows run(const acg::Capability& capability) const {
    VectorRows result;
    const int64_t rows = rows_of(capability.output);
    if (rows == 1) return result;
    result.rows = rows;
    result.variable = variable_of(compute_.destination.indices.end()[-2]);
    if (result.variable.empty()) refuse("the rows of a vector are no plain loop", compute_.destination);
    for (size_t i = 0; i < compute_.operands.size(); ++i) {
      const auto* reference = std::get_if<Reference>(&compute_.operands[i]);
      result.steps.push_back(
          reference == nullptr ? 1 : step_of(*reference, capability.inputs[i].shape, capability.output.shape, result));
    }
    return result;
  }

 private:
  int64_t rows_of(const acg::CapabilityOperand& output) const {
    if (register_bytes_ == 0 || output.shape.size() != 1 || !has_rows_side_by_side(result_)) return 1;
    const auto elements = static_cast<int64_t>(output.shape[0]);
    const int64_t row = last_dimension(result_);
    if (elements <= row || elements % row != 0) return 1;
    const bool all_dense =
        std::all_of(codelet_.surrogates.begin(), codelet_.surrogates.end(), [&](const Surrogate& one) {
          return one.kind != SurrogateKind::kOut || (has_rows_side_by_side(one) && last_dimension(one) == row);
        });
    const bool is_whole = result_.shape.end()[-2].constant().value() % (elements / row) == 0;
    return all_dense && is_whole ? elements / row : 1;
  }

  int64_t step_of(const Reference& reference, const std::vector<uint64_t>& at_once,
                  const std::vector<uint64_t>& made_at_once, const VectorRows& found) const {
    const Surrogate& tensor = *find_surrogate(codelet_, reference.surrogate);
    if (at_once.size() > 1) refuse("a matrix has no rows of vectors", reference);
    const bool has_rows = at_once == made_at_once;
    if (!reference.mentions(found.variable)) return has_rows ? step_of_shared(reference, tensor, found.rows) : 1;
    const size_t rank = reference.indices.size();
    const bool is_row = rank > 1 && !reference.indices.back().mentions(found.variable);
    const int64_t step = is_row ? reference.indices[rank - 2].coefficient(found.variable) : 0;
    const bool is_alike = has_rows_side_by_side(tensor) && last_dimension(tensor) == last_dimension(result_);
    if (!has_rows || step < 1 || !is_alike)
      refuse("the rows of this operand do not lie as those of the result", reference);
    return step;
  }

  /// The step of an operand all of whose rows are the same: it fills registers, or has been repeated
  /// (compiler/binding/repeated_rows.h).
  int64_t step_of_shared(const Reference& reference, const Surrogate& tensor, int64_t rows) const {
    const size_t rank = reference.indices.size();
    const bool is_repeated = !tensor.packing.empty() && rank > 1 && reference.indices[rank - 2] == Expression(0) &&
                             tensor.shape[rank - 2] == Expression(rows);
    if (is_repeated) return 1;
    const int64_t row_bytes = last_dimension(tensor) * static_cast<int64_t>(bytes(tensor.dtype.value()));
    if (row_bytes % register_bytes_ != 0) {
      refuse("a row of this operand, which all rows of a vector share, is no whole register", reference);
    }
    return 0;
  }

  [[noreturn]] void refuse(const std::string& message, const Reference& reference) const {
    throw Failure{diagnose("CDL0041", where_, codelet_.name, message, print(reference), {},
                           "let the tensors of the layer have padded channels")};
  }

  const Codelet& codelet_;
  const Compute& compute_;
  const SourceLocation& where_;
  const Surrogate& result_;
  int64_t register_bytes_ = 0;  ///< 0: the node does not work on registers
};

}  // namespace

VectorRows vector_rows(const Codelet& codelet, const acg::Machine& machine, const Compute& compute,
                       const acg::Capability& capability, const SourceLocation& where) {
  return Finder(codelet, machine, compute, where).run(capability);
}

}  // namespace covenant::compiler::codelet
