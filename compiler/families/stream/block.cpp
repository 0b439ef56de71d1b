#include "compiler/families/stream/block.h"

#include "acg/base/check.h"
#include "acg/isa/word_limits.h"
#include "compiler/families/stream/block_plan.h"
#include "compiler/families/stream/dma.h"
#include "compiler/families/stream/operand_values.h"
#include "compiler/families/stream/sequencer.h"
#include "compiler/families/stream/simd_array.h"
#include "compiler/families/stream/systolic_array.h"

namespace covenant::compiler::stream {
namespace {

using codelet::Compute;
using codelet::Loop;
using codelet::Operation;
using codelet::Transfer;

/// Appends `from` to `to`.
void append(std::vector<Step>& to, std::vector<Step> from) {
  for (Step& step : from) to.push_back(std::move(step));
}

/// The slice of a codelet that one engine executes.
class Slice {
 public:
  Slice(const BlockPlan& plan, const acg::Machine& machine, uint32_t engine, SimdTables tables)
      : plan_(plan), machine_(machine), engine_(engine), tables_(std::move(tables)) {}

  Result<std::vector<Step>> block(const std::vector<Operation>& body) {
    const std::vector<const Local*> shared = shared_locals(body);
    std::vector<Step> steps;
    for (size_t i = 0; i < body.size(); ++i) {
      Result<std::vector<Step>> own = operation(body[i]);
      if (!own) return own.error();
      if (own->empty()) continue;
      for (const Local* local : shared) {
        if (first_use(body, *local) == i) steps.push_back(Step{token(acg::Operation::kWait, *local)});
      }
      append(steps, std::move(*own));
      for (const Local* local : shared) {
        if (last_use(body, *local) == i) steps.push_back(Step{token(acg::Operation::kPost, *local)});
      }
    }
    return steps;
  }

 private:
  /// Locals declared in `body` that this engine shares with another one.
  std::vector<const Local*> shared_locals(const std::vector<Operation>& body) const {
    std::vector<const Local*> result;
    for (const Operation& operation : body) {
      const auto* transfer = std::get_if<Transfer>(&operation.op);
      if (transfer == nullptr || transfer->local.empty()) continue;
      const Local& local = plan_.locals.at(transfer->local);
      if (local.consumer && (local.producer == engine_ || local.consumer == engine_)) result.push_back(&local);
    }
    return result;
  }

  size_t first_use(const std::vector<Operation>& body, const Local& local) const {
    for (size_t i = 0; i < body.size(); ++i) {
      if (uses(plan_, machine_, body[i], engine_, local.name)) return i;
    }
    return body.size();
  }

  size_t last_use(const std::vector<Operation>& body, const Local& local) const {
    for (size_t i = body.size(); i-- > 0;) {
      if (uses(plan_, machine_, body[i], engine_, local.name)) return i;
    }
    return body.size();
  }

  Token token(acg::Operation action, const Local& local) const {
    const bool is_producer = local.producer == engine_;
    const bool is_wait = action == acg::Operation::kWait;
    const acg::Token state = is_producer == is_wait ? acg::Token::kFree : acg::Token::kFull;
    return Token{instruction(
        action, {{"memory", local.memory.value}, {"slot", local.slot}, {"token", static_cast<int64_t>(state)}})};
  }

  Result<std::vector<Step>> operation(const Operation& operation) {
    std::vector<LoopRange> nest;
    if (const Compute* compute = nest_of(operation, nest)) return this->compute(*compute, nest);
    if (const auto* loop = std::get_if<Loop>(&operation.op)) return tile_loop(*loop);
    if (engine_of(plan_, machine_, operation) != engine_) return std::vector<Step>{};
    return dma_steps(plan_, machine_, open_, std::get<Transfer>(operation.op));
  }

  /// The compute at the bottom of a perfect loop nest; stores its loops in `nest`, outermost first.
  static const Compute* nest_of(const Operation& operation, std::vector<LoopRange>& nest) {
    const Operation* inner = &operation;
    while (const auto* loop = std::get_if<Loop>(&inner->op)) {
      if (loop->body.size() != 1) return nullptr;
      nest.push_back(range_of(*loop));
      inner = &loop->body.front();
    }
    return std::get_if<Compute>(&inner->op);
  }

  Result<std::vector<Step>> compute(const Compute& compute, const std::vector<LoopRange>& nest) {
    if (plan_.engines[engine_].name != compute.location) return std::vector<Step>{};
    for (const LoopRange& loop : nest) {
      if (loop.trips == 0) return std::vector<Step>{};
    }
    const acg::UnitKind unit = plan_.engines[engine_].unit;
    if (unit == acg::UnitKind::kSystolicArray) return systolic_steps(plan_, machine_, open_, nest, compute);
    if (unit == acg::UnitKind::kSimdArray) return simd_steps(plan_, machine_, open_, nest, compute, tables_);
    return Diagnostic{
        "GEN0010",
        {},
        "",
        "there is no code generation for this kind of unit",
        std::string(name_of(unit)),
        {std::string(name_of(acg::UnitKind::kSystolicArray)), std::string(name_of(acg::UnitKind::kSimdArray))},
        "map the operation to another node"};
  }

  Result<std::vector<Step>> tile_loop(const Loop& loop) {
    const OpenLoop open{range_of(loop), next_level(open_)};
    if (open.range.trips == 0) return std::vector<Step>{};
    open_.push_back(open);
    Result<std::vector<Step>> body = block(loop.body);
    open_.pop_back();
    if (!body || body->empty() || open.range.trips == 1) return body;
    const int64_t most_trips = acg::word_limits(machine_).tile_trips;
    if (open.level >= acg::kTileLoops || open.range.trips > static_cast<uint64_t>(most_trips)) {
      return Diagnostic{"GEN0004",
                        {},
                        "",
                        "tile loops are too deep or too long",
                        loop.variable,
                        {std::to_string(acg::kTileLoops) + " levels", std::to_string(most_trips) + " iterations"},
                        "choose larger tiles"};
    }
    return std::vector<Step>{Step{StepLoop{open.level, open.range.trips, std::move(*body)}}};
  }

  const BlockPlan& plan_;  // outlives the slice, as does the machine
  const acg::Machine& machine_;
  uint32_t engine_;
  SimdTables tables_;
  std::vector<OpenLoop> open_;
};

}  // namespace

Result<BlockCode> generate(const codelet::Codelet& codelet, const acg::Machine& machine,
                           const std::map<std::string, uint64_t>& addresses, const std::string& layer) {
  const auto about_layer = [&](Diagnostic diagnostic) {
    diagnostic.subject = layer;
    return diagnostic;
  };
  Result<BlockPlan> planned = plan_block(codelet, machine, addresses);
  if (!planned) return about_layer(planned.error());
  BlockCode code;
  for (uint32_t engine = 0; engine < planned->engines.size(); ++engine) {
    Slice slice(*planned, machine, engine, tables_for(codelet));
    Result<std::vector<Step>> steps = slice.block(codelet.body);
    if (!steps) return about_layer(steps.error());
    Result<std::vector<acg::Instruction>> words = sequence(*steps, acg::word_parts(machine));
    if (!words) return about_layer(words.error());
    code.push_back(std::move(*words));
  }
  return code;
}

}  // namespace covenant::compiler::stream
