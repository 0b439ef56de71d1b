#include "compiler/passes/transfers.h"

#include <algorithm>
#include <iterator>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/local_layout.h"
#include "compiler/codelet/names.h"
#include "compiler/codelet/operand_paths.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::diagnose;
using codelet::Expression;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::Transfer;

bool accumulates(const Compute& compute) {
  const auto function = codelet::function_named(compute.capability);
  return function && function->accumulates;
}

/// What a compute takes of `reference` at once, in every dimension of its tensor.
std::vector<int64_t> shape_at_once(const Reference& reference, const acg::CapabilityOperand& operand) {
  std::vector<int64_t> shape(reference.indices.size() - operand.shape.size(), 1);
  shape.insert(shape.end(), operand.shape.begin(), operand.shape.end());
  return shape;
}

/// What a compute gave up to the blocks around it.
struct Pending {
  size_t depth = 0;  ///< loops around the block that takes it
  std::vector<Operation> before;
  std::vector<Operation> after;
};

class Inserter {
 public:
  Inserter(const Codelet& source, const acg::Machine& machine) : result_(source), machine_(machine), names_(source) {
    for (Surrogate& surrogate : result_.surrogates) {
      if (surrogate.location.empty()) surrogate.location = acg::get(machine, home_of(surrogate)).name;
    }
  }

  Codelet run() {
    std::vector<Operation> body = block(result_.body);
    result_.body = std::move(first_);
    result_.body.insert(result_.body.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
    return std::move(result_);
  }

 private:
  std::vector<Operation> block(const std::vector<Operation>& source) {
    std::vector<Operation> made;
    for (const Operation& operation : source) {
      if (const auto* loop = std::get_if<Loop>(&operation.op)) {
        loops_.push_back(loop);
        Loop copy = *loop;
        copy.body = block(loop->body);
        loops_.pop_back();
        take_pending(made, {copy, operation.where});
      } else if (const auto* compute = std::get_if<Compute>(&operation.op)) {
        insert(*compute, operation.where, made);
      } else {
        made.push_back(operation);
      }
    }
    return made;
  }

  /// Puts a loop into its block, between what its reductions need in front of it and behind it.
  void take_pending(std::vector<Operation>& made, Operation loop) {
    std::vector<Operation> after;
    std::erase_if(pending_, [&](Pending& pending) {
      if (pending.depth != loops_.size()) return false;
      made.insert(made.end(), pending.before.begin(), pending.before.end());
      after.insert(after.end(), pending.after.begin(), pending.after.end());
      return true;
    });
    made.push_back(std::move(loop));
    made.insert(made.end(), after.begin(), after.end());
  }

  void insert(const Compute& source, const SourceLocation& where, std::vector<Operation>& made) {
    const auto node = acg::find_compute(machine_, source.location);
    check(node.has_value(), "transfers are inserted around located computes");
    const acg::Capability& capability = capability_of(result_, machine_, source);
    Compute compute = source;
    for (size_t i = 0; i < compute.operands.size(); ++i) {
      auto* reference = std::get_if<Reference>(&compute.operands[i]);
      if (reference != nullptr) load(*reference, capability.inputs[i], node.value(), i, where, made);
    }
    Pending store = store_of(compute, capability, node.value(), where);
    if (!accumulates(source)) {
      first_.insert(first_.end(), store.before.begin(), store.before.end());
      store.before.clear();
    }
    const bool here = !accumulates(source) || store.depth == loops_.size();
    if (here) made.insert(made.end(), store.before.begin(), store.before.end());
    made.push_back({compute, where});
    if (here) {
      made.insert(made.end(), store.after.begin(), store.after.end());
    } else {
      pending_.push_back(std::move(store));
    }
  }

  /// Off-chip memory, or, for locals that some node cannot reach from there, the last memory next to all of their nodes
  /// that holds them whole.
  acg::MemoryId home_of(const Surrogate& surrogate) const {
    const acg::MemoryId outermost = acg::outermost_memory(machine_);
    if (serves(outermost, surrogate, false)) return outermost;
    uint64_t size = bits(surrogate.dtype.value());
    for (const int64_t extent : constants(surrogate.shape)) size *= static_cast<uint64_t>(extent);
    for (auto i = static_cast<uint32_t>(machine_.memories.size()); i-- > 0;) {
      if (size <= machine_.memories[i].buffer_bits() && serves({i}, surrogate, true)) return {i};
    }
    return outermost;
  }

  /// True if every compute that reads or writes the surrogate has a way from and to `memory`, or works on it directly.
  bool serves(acg::MemoryId memory, const Surrogate& surrogate, bool directly) const {
    bool all = true;
    for_each_operation(result_.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
      const auto* compute = std::get_if<Compute>(&operation.op);
      if (compute == nullptr) return;
      const acg::ComputeId node = acg::find_compute(machine_, compute->location).value();
      const acg::Capability& capability = capability_of(result_, machine_, *compute);
      const auto is_served = [&](const std::vector<acg::MemoryId>& path, bool is_read) {
        return path.empty() ? is_next_to(machine_, memory, node, is_read) : !directly;
      };
      if (compute->destination.surrogate == surrogate.name) {
        const uint64_t at_once = vector_bytes(compute->destination, capability.output);
        all = all && is_served(path_from_node(machine_, node, memory, at_once), false);
      }
      for (size_t i = 0; i < compute->operands.size(); ++i) {
        const auto* reference = std::get_if<Reference>(&compute->operands[i]);
        if (reference == nullptr || reference->surrogate != surrogate.name) continue;
        const uint64_t at_once = vector_bytes(*reference, capability.inputs[i]);
        all = all && is_served(path_to_node(machine_, memory, node, i, at_once), true);
      }
    });
    return all;
  }

  acg::MemoryId home(const std::string& name) const {
    return acg::find_memory(machine_, find_surrogate(result_, name)->location).value();
  }
  DType dtype(const std::string& name) const { return find_surrogate(result_, name)->dtype.value(); }

  uint64_t vector_bytes(const Reference& reference, const acg::CapabilityOperand& operand) const {
    uint64_t product = bytes(dtype(reference.surrogate));
    for (const uint64_t extent : operand.shape) product *= extent;
    return product;
  }

  void require_path(bool is_there, const Reference& reference, acg::ComputeId node, const SourceLocation& where) const {
    if (is_there) return;
    throw Failure{
        diagnose("CDL0052", where, result_.name,
                 "'" + machine_.name + "' has no way between this tensor and " + acg::get(machine_, node).name,
                 reference.surrogate, {}, "add edges through a memory next to the node")};
  }

  Transfer new_local(const std::string& of, acg::MemoryId memory, const std::vector<int64_t>& shape) {
    Transfer transfer;
    transfer.local = names_.fresh(of);
    transfer.location = acg::get(machine_, memory).name;
    transfer.shape.assign(shape.begin(), shape.end());
    return transfer;
  }

  /// Moves the operand and makes `reference` the local next to the node.
  void load(Reference& reference, const acg::CapabilityOperand& operand, acg::ComputeId node, size_t position,
            const SourceLocation& where, std::vector<Operation>& made) {
    const acg::MemoryId from = home(reference.surrogate);
    const auto path = path_to_node(machine_, from, node, position, vector_bytes(reference, operand));
    require_path(!path.empty() || is_next_to(machine_, from, node, true), reference, node, where);
    const std::string name = reference.surrogate;
    const std::vector<int64_t> shape = shape_at_once(reference, operand);
    for (const acg::MemoryId memory : path) {
      Transfer transfer = new_local(name, memory, shape);
      transfer.source = reference;
      reference = {transfer.local, {}};
      made.push_back({transfer, where});
    }
  }

  /// The allocation of the result, and its way back; the compute writes the local.
  Pending store_of(Compute& compute, const acg::Capability& capability, acg::ComputeId node,
                   const SourceLocation& where) {
    const Reference destination = compute.destination;
    Pending store{accumulates(compute) ? depth_of_result(compute, where) : loops_.size(), {}, {}};
    const acg::MemoryId to = home(destination.surrogate);
    const auto path = path_from_node(machine_, node, to, vector_bytes(destination, capability.output));
    require_path(!path.empty() || is_next_to(machine_, to, node, false), destination, node, where);
    if (path.empty()) return store;
    const std::vector<int64_t> shape = shape_at_once(destination, capability.output);
    Reference local;
    for (const acg::MemoryId memory : path) {
      Transfer transfer = new_local(destination.surrogate, memory, shape);
      if (local.surrogate.empty()) {
        transfer.source = Constant{dtype(destination.surrogate), 0, 0};
        compute.destination = {transfer.local, std::vector<Expression>(shape.size())};
        store.before.push_back({transfer, where});
      } else {
        transfer.source = local;
        store.after.push_back({transfer, where});
      }
      local = {transfer.local, {}};
    }
    Transfer back;
    back.source = local;
    back.destination = destination;
    back.shape.assign(shape.begin(), shape.end());
    store.after.push_back({back, where});
    return store;
  }

  /// Loops around the place where an accumulated result is complete: all loops but its reduction.
  size_t depth_of_result(const Compute& compute, const SourceLocation& where) const {
    size_t depth = loops_.size();
    while (depth > 0 && !compute.destination.mentions(loops_[depth - 1]->variable)) --depth;
    for (size_t i = 0; i < depth; ++i) {
      if (!compute.destination.mentions(loops_[i]->variable)) not_movable(compute, where, loops_[i]->variable);
    }
    if (depth < loops_.size()) {
      int uses = 0;
      for_each_operation(loops_[depth]->body, [&](const Operation& operation, const std::vector<const Loop*>&) {
        const auto* other = std::get_if<Compute>(&operation.op);
        if (other == nullptr) return;
        uses += other->destination.surrogate == compute.destination.surrogate ? 1 : 0;
        for (const auto& operand : other->operands) {
          const auto* reference = std::get_if<Reference>(&operand);
          uses += reference != nullptr && reference->surrogate == compute.destination.surrogate ? 1 : 0;
        }
      });
      if (uses > 1) not_movable(compute, where, loops_[depth]->variable);
    }
    return depth;
  }

  [[noreturn]] void not_movable(const Compute& compute, const SourceLocation& where,
                                const std::string& variable) const {
    throw Failure{diagnose("CDL0054", where, result_.name,
                           "the sum in '" + print(compute.destination) + "' is not complete after one loop nest",
                           variable, {},
                           "put reduction loops inside of all others, with nothing else that uses the sum")};
  }

  Codelet result_;
  const acg::Machine& machine_;
  Names names_;
  std::vector<const Loop*> loops_;
  std::vector<Operation> first_;  ///< allocations in front of everything
  std::vector<Pending> pending_;
};

}  // namespace

Result<Codelet> insert_transfers(const Codelet& source, const acg::Machine& machine) {
  return guarded<Codelet>([&] { return Inserter(source, machine).run(); });
}

}  // namespace covenant::compiler
