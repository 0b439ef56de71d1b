#include "compiler/families/vliw/compute_size.h"

#include <algorithm>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/families/vliw/selection.h"

namespace covenant::compiler::vliw {
namespace {

/// Registers of a node that hold values which nothing computes, as placeholders.
class NoValues {
 public:
  NoValues(Writer& writer, uint64_t register_bytes) : writer_(writer), register_bytes_(register_bytes) {}

  std::vector<Name> operator()(uint64_t bytes) {
    std::vector<Name> names;
    for (uint64_t i = 0; i < ceil_divide(bytes, register_bytes_); ++i) names.push_back(writer_.vector());
    return names;
  }
  std::vector<Name> of(const TileBuffer& buffer) {
    return (*this)(codelet::elements_of(buffer.vector_shape) * bytes(buffer.dtype));
  }

 private:
  Writer& writer_;
  uint64_t register_bytes_;
};

SelectedOperand operand_of(const codelet::Constant& constant, NoValues& values) {
  if (constant.table.empty()) return {constant.dtype, constant};
  return {constant.dtype, values(constant.table.size())};
}

}  // namespace

size_t instructions_of(const TileProblem& problem, const TileNest& nest, const acg::Machine& machine) {
  const acg::Compute& node = acg::get(machine, acg::find_compute(machine, nest.compute.location).value());
  Writer writer(machine);
  NoValues values(writer, acg::get(machine, acg::role(machine, node, "registers")).unit_bytes());
  const TileBuffer& result = problem.buffers[nest.destination];
  SelectedCompute selected{nest.compute, result.dtype, values.of(result), {}};
  for (size_t i = 0; i < nest.operands.size(); ++i) {
    const size_t operand = nest.operands[i];
    if (operand == kNone) {
      selected.operands.push_back(operand_of(std::get<codelet::Constant>(nest.compute.operands[i]), values));
    } else {
      selected.operands.push_back({problem.buffers[operand].dtype, values.of(problem.buffers[operand])});
    }
  }
  BroadcastCache broadcasts;
  std::vector<CodeStep> steps;
  return select(selected, writer, broadcasts, steps) ? std::max<size_t>(1, steps.size()) : 1;
}

}  // namespace covenant::compiler::vliw
