#include "compiler/families/stream/cost_model.h"

#include <algorithm>
#include <map>

#include "compiler/families/stream/block.h"
#include "compiler/families/stream/double_buffer.h"

namespace covenant::compiler::stream {
namespace {

/// Most words that an engine may have in a split layer: two parts fit an instruction memory of this depth.
constexpr uint64_t kInstructionDepth = 256;

}  // namespace

StreamCostModel::StreamCostModel(const acg::Machine& machine) : StreamCostModel(machine, expression_limits(machine)) {}

StreamCostModel::StreamCostModel(const acg::Machine& machine, const ExpressionLimits& limits)
    : CostModel(machine), machine_costs_(machine), limits_(limits) {}

std::unique_ptr<ProblemCosts> StreamCostModel::costs_of(const TileProblem& problem) const {
  return std::make_unique<TileCosts>(problem, machine_costs_, limits_);
}

bool StreamCostModel::holds_two_parts() const {
  const std::vector<acg::Memory>& memories = machine().memories;
  return std::any_of(memories.begin(), memories.end(), [](const acg::Memory& memory) {
    return memory.kind == acg::MemoryKind::kInstruction && memory.depth >= kInstructionDepth;
  });
}

Prediction StreamCostModel::simulate_parts(const TiledProblem& first, const TiledProblem& second,
                                           const std::vector<bool>& kept) const {
  constexpr uint64_t kParts = 2;
  TileCosts before(first.problem, machine_costs_, limits_, kParts);
  TileCosts after(second.problem, machine_costs_, limits_, kParts);
  before.select(first.tiling);
  after.select(second.tiling);
  return after.simulate_after(before, first.order, second.order, kept);
}

Status StreamCostModel::check_emittable(const codelet::Codelet& tiled) const {
  const Result<codelet::Codelet> buffered = double_buffer(tiled, machine());
  if (!buffered) return buffered.error();
  std::map<std::string, uint64_t> addresses;  // no addresses yet
  for (const codelet::Surrogate& surrogate : buffered->surrogates) addresses[surrogate.name] = 0;
  const Result<BlockCode> code = generate(*buffered, machine(), addresses, buffered->name);
  return code ? Status(Done{}) : Status(code.error());
}

}  // namespace covenant::compiler::stream
