#include "compiler/families/stream/block_plan.h"

#include <algorithm>
#include <functional>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "compiler/codelet/capability.h"
#include "compiler/codelet/local_layout.h"
#include "compiler/families/stream/live_ranges.h"

namespace covenant::compiler::stream {
namespace {

using codelet::Compute;
using codelet::Constant;
using codelet::Operation;
using codelet::Reference;
using codelet::Transfer;

Diagnostic no_engine(const Operation& operation, const std::string& what, const std::string& offending) {
  return Diagnostic{"GEN0001",
                    operation.where,
                    "",
                    what,
                    offending,
                    {},
                    "give the machine an edge or a compute node that does it, or map the operation elsewhere"};
}

/// Names of the surrogates that an operation reads, and of the one that it writes (empty if none).
struct Touched {
  std::vector<std::string> reads;
  std::string writes;
};

Touched touched(const Operation& operation) {
  Touched result;
  if (const auto* transfer = std::get_if<Transfer>(&operation.op)) {
    if (const auto* source = std::get_if<Reference>(&transfer->source)) {
      result.reads.push_back(source->surrogate);
      result.writes = transfer->destination ? transfer->destination->surrogate : transfer->local;
    }
  } else if (const auto* compute = std::get_if<Compute>(&operation.op)) {
    for (const auto& operand : compute->operands) {
      if (const auto* reference = std::get_if<Reference>(&operand)) result.reads.push_back(reference->surrogate);
    }
    result.writes = compute->destination.surrogate;
  }
  return result;
}

/// Calls `visit(operation, depth)` for every transfer and compute, in order.
void walk(const std::vector<Operation>& body, size_t depth,
          const std::function<void(const Operation&, size_t)>& visit) {
  for (const Operation& operation : body) {
    if (const auto* loop = std::get_if<codelet::Loop>(&operation.op)) {
      walk(loop->body, depth + 1, visit);
    } else {
      visit(operation, depth);
    }
  }
}

Layout layout_of(const codelet::Surrogate& surrogate) {
  const auto element = static_cast<int64_t>(bits(surrogate.dtype.value()));
  Layout layout = row_major(numbers(surrogate.shape), element);
  if (surrogate.strides.empty()) return layout;
  layout.strides = numbers(surrogate.strides);
  for (int64_t& stride : layout.strides) stride *= element;
  return layout;
}

Layout layout_of(const LocalLayout& local) {
  Layout layout{local.shape, {}, bits(local.dtype)};
  for (const uint64_t stride : local.bit_strides) layout.strides.push_back(static_cast<int64_t>(stride));
  return layout;
}

/// Elements along a new local's last dimension that its source fills.
int64_t filled_of(const BlockPlan& plan, const Transfer& transfer, const Layout& layout) {
  if (layout.shape.empty()) return 0;
  const auto* source = std::get_if<Reference>(&transfer.source);
  if (source == nullptr) return layout.shape.back();
  const bool is_whole = source->indices.empty() || source->indices.back() == codelet::Expression(0);
  if (!is_whole) return layout.shape.back();
  const auto tensor = plan.tensors.find(source->surrogate);
  const int64_t there =
      tensor != plan.tensors.end() ? tensor->second.layout.shape.back() : plan.locals.at(source->surrogate).filled;
  return std::min(layout.shape.back(), there);
}

const acg::Capability* match(const acg::Machine& machine, const Compute& compute,
                             const std::function<DType(const std::string&)>& type_of) {
  const auto node = acg::find_compute(machine, compute.location);
  if (!node) return nullptr;
  std::vector<codelet::OperandType> operands;
  for (const auto& operand : compute.operands) {
    const auto* reference = std::get_if<Reference>(&operand);
    operands.push_back(reference != nullptr ? codelet::OperandType{type_of(reference->surrogate), false}
                                            : codelet::type_of(std::get<Constant>(operand)));
  }
  return codelet::find_capability(acg::get(machine, *node), compute.capability, type_of(compute.destination.surrogate),
                                  operands);
}

Status name_users(BlockPlan& plan, const acg::Machine& machine, const std::vector<Operation>& body) {
  std::optional<Diagnostic> error;
  const auto refuse = [&](const Operation& operation, const std::string& what, const std::string& local) {
    if (!error) {
      error = Diagnostic{"GEN0002",
                         operation.where,
                         "",
                         what,
                         local,
                         {},
                         "give each engine a local of its own: one fills a channel, one empties it"};
    }
  };
  const auto set_once = [&](std::optional<uint32_t>& place, uint32_t engine) {
    if (place && *place != engine) return false;
    place = engine;
    return true;
  };
  walk(body, 0, [&](const Operation& operation, size_t) {
    const std::optional<uint32_t> engine = engine_of(plan, machine, operation);
    if (!engine) return;
    const auto found = plan.locals.find(touched(operation).writes);
    if (found != plan.locals.end() && !set_once(found->second.producer, *engine)) {
      refuse(operation, "a local is filled by two engines", found->first);
    }
  });
  walk(body, 0, [&](const Operation& operation, size_t) {
    const std::optional<uint32_t> engine = engine_of(plan, machine, operation);
    if (!engine) return;
    for (const std::string& name : touched(operation).reads) {
      const auto found = plan.locals.find(name);
      if (found == plan.locals.end() || found->second.producer == engine) continue;
      if (!found->second.producer) refuse(operation, "a local is read and never filled", name);
      if (!set_once(found->second.consumer, *engine)) refuse(operation, "a local is emptied by two engines", name);
    }
  });
  if (error) return *error;
  return Done{};
}

/// Two locals may share a channel if the same engines fill and empty both, one after the other, or if only the filler
/// uses them.
Status check_channels(const BlockPlan& plan, const codelet::Codelet& codelet) {
  const std::map<std::string, LiveRange> lives = live_ranges(codelet);
  std::map<std::pair<acg::MemoryId, uint32_t>, std::vector<const Local*>> channels;
  for (const auto& [name, local] : plan.locals) {
    for (const Local* other : channels[{local.memory, local.slot}]) {
      const bool is_apart =
          lives.at(name).is_before(lives.at(other->name)) || lives.at(other->name).is_before(lives.at(name));
      const bool has_same_users = local.producer == other->producer && local.consumer == other->consumer;
      if (has_same_users && (is_apart || !local.consumer)) continue;
      return Diagnostic{"GEN0003",
                        {},
                        "",
                        "two locals share one channel of a memory: " + other->name + " and " + name,
                        "slot " + std::to_string(local.slot),
                        {},
                        "give each its own slot"};
    }
    channels[{local.memory, local.slot}].push_back(&local);
  }
  return Done{};
}

/// Refuses a local that two engines fill and empty inside of the same inner loop: neither could tell its iterations
/// apart.
Status check_scopes(const BlockPlan& plan, const acg::Machine& machine, const std::vector<Operation>& body) {
  for (const Operation& declaration : body) {
    const auto* transfer = std::get_if<Transfer>(&declaration.op);
    if (transfer == nullptr || transfer->local.empty()) continue;
    const Local& local = plan.locals.at(transfer->local);
    if (!local.consumer) continue;
    for (const Operation& operation : body) {
      if (!std::holds_alternative<codelet::Loop>(operation.op)) continue;
      if (uses(plan, machine, operation, local.producer.value(), local.name) &&
          uses(plan, machine, operation, *local.consumer, local.name)) {
        return Diagnostic{"GEN0002",
                          operation.where,
                          "",
                          "a local is filled and emptied within one loop below its scope",
                          local.name,
                          {},
                          "declare it inside that loop"};
      }
    }
  }
  for (const Operation& operation : body) {
    const auto* loop = std::get_if<codelet::Loop>(&operation.op);
    if (loop == nullptr) continue;
    if (Status status = check_scopes(plan, machine, loop->body); !status) return status;
  }
  return Done{};
}

}  // namespace

int64_t number(const codelet::Expression& expression) {
  const std::optional<int64_t> value = expression.constant();
  check(value.has_value(), "a scheduled codelet has constant shapes and bounds");
  return value.value();
}

std::vector<int64_t> numbers(const std::vector<codelet::Expression>& expressions) {
  std::vector<int64_t> result;
  for (const codelet::Expression& expression : expressions) result.push_back(number(expression));
  return result;
}

LoopRange range_of(const codelet::Loop& loop) {
  LoopRange range{loop.variable, number(loop.lower), number(loop.stride), 0};
  check(range.step > 0, "loops advance");
  const int64_t span = number(loop.upper) - range.lower;
  range.trips = span <= 0 ? 0 : static_cast<uint64_t>(ceil_divide(span, range.step));
  return range;
}

std::optional<uint32_t> engine_of(const BlockPlan& plan, const acg::Machine& machine, const Operation& operation) {
  if (const auto* compute = std::get_if<Compute>(&operation.op)) {
    return acg::find_engine(plan.engines, compute->location);
  }
  const auto* transfer = std::get_if<Transfer>(&operation.op);
  if (transfer == nullptr || std::holds_alternative<Constant>(transfer->source)) return std::nullopt;
  const auto place = [&](const std::string& name) -> acg::NodeId {
    const auto local = plan.locals.find(name);
    return local == plan.locals.end() ? plan.tensors.at(name).memory : local->second.memory;
  };
  const acg::NodeId from = place(std::get<Reference>(transfer->source).surrogate);
  const acg::NodeId to = place(transfer->destination ? transfer->destination->surrogate : transfer->local);
  const std::optional<uint32_t> edge = acg::edge_between(machine, from, to);
  for (uint32_t i = 0; edge && i < plan.engines.size(); ++i) {
    if (plan.engines[i].edge == edge) return i;
  }
  return std::nullopt;
}

const acg::Capability* capability_of(const BlockPlan& plan, const acg::Machine& machine, const Compute& compute) {
  return match(machine, compute, [&](const std::string& name) {
    const auto local = plan.locals.find(name);
    return local == plan.locals.end() ? plan.tensors.at(name).dtype : local->second.dtype;
  });
}

bool uses(const BlockPlan& plan, const acg::Machine& machine, const Operation& operation, uint32_t engine,
          const std::string& local) {
  if (const auto* loop = std::get_if<codelet::Loop>(&operation.op)) {
    for (const Operation& inner : loop->body) {
      if (uses(plan, machine, inner, engine, local)) return true;
    }
    return false;
  }
  if (engine_of(plan, machine, operation) != engine) return false;
  const Touched names = touched(operation);
  for (const std::string& name : names.reads) {
    if (name == local) return true;
  }
  return names.writes == local;
}

Result<BlockPlan> plan_block(const codelet::Codelet& codelet, const acg::Machine& machine,
                             const std::map<std::string, uint64_t>& addresses) {
  BlockPlan result;
  result.engines = acg::engines(machine);
  for (const codelet::Surrogate& surrogate : codelet.surrogates) {
    if (surrogate.kind == codelet::SurrogateKind::kParam) continue;
    check(surrogate.dtype.has_value(), "surrogates of a scheduled codelet have types");
    check(addresses.contains(surrogate.name), "every surrogate has an address");
    const DType dtype = surrogate.dtype.value();
    const uint64_t first_bit =
        addresses.at(surrogate.name) * 8 + static_cast<uint64_t>(number(surrogate.offset)) * bits(dtype);
    const std::optional<acg::MemoryId> memory = acg::find_memory(machine, surrogate.location);
    check(memory.has_value(), "a tensor is not placed");
    result.tensors[surrogate.name] =
        Tensor{memory.value(), dtype, layout_of(surrogate), first_bit, number(surrogate.fill)};
  }
  const std::map<std::string, LocalLayout> layouts = local_layouts(codelet, machine);
  walk(codelet.body, 0, [&](const Operation& operation, size_t depth) {
    const auto* transfer = std::get_if<Transfer>(&operation.op);
    if (transfer == nullptr || transfer->local.empty()) return;
    check(transfer->slot.has_value() && transfer->offset.has_value(), "locals of a scheduled codelet are placed");
    check(!result.locals.contains(transfer->local), "every local has a name of its own");
    const LocalLayout& layout = layouts.at(transfer->local);
    result.locals[transfer->local] = Local{transfer->local,
                                           layout.memory,
                                           layout.dtype,
                                           layout_of(layout),
                                           *transfer->slot,
                                           static_cast<int64_t>(*transfer->offset * layout.unit_bytes),
                                           depth,
                                           {},
                                           {},
                                           filled_of(result, *transfer, layout_of(layout))};
  });
  std::optional<Diagnostic> error;
  walk(codelet.body, 0, [&](const Operation& operation, size_t) {
    const auto* transfer = std::get_if<Transfer>(&operation.op);
    const bool allocates = transfer != nullptr && std::holds_alternative<Constant>(transfer->source);
    if (!error && !allocates && !engine_of(result, machine, operation)) {
      error = no_engine(operation, "no engine of the machine does this operation",
                        transfer != nullptr ? "transfer" : std::get<Compute>(operation.op).capability);
    }
  });
  if (error) return *error;
  if (Status status = name_users(result, machine, codelet.body); !status) return status.error();
  if (Status status = check_channels(result, codelet); !status) return status.error();
  if (Status status = check_scopes(result, machine, codelet.body); !status) return status.error();
  return result;
}

}  // namespace covenant::compiler::stream
