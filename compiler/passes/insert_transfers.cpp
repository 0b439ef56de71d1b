#include "compiler/passes/insert_transfers.h"

#include <algorithm>
#include <limits>
#include <map>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/block.h"
#include "compiler/codelet/local_layout.h"
#include "compiler/codelet/names.h"
#include "compiler/codelet/operand_paths.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/vector_sizes.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::Expression;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::SurrogateKind;
using codelet::Transfer;
using Loops = std::vector<const Loop*>;
using Indices = std::vector<Expression>;

/// Stands for the result of a compute in place of the position of an operand.
constexpr size_t kResult = std::numeric_limits<size_t>::max();
/// Level of operations within the smallest tiles.
constexpr uint32_t kWithin = std::numeric_limits<uint32_t>::max();

uint32_t level_of(const Operation& operation) {
  const auto* loop = std::get_if<Loop>(&operation.op);
  return loop != nullptr && loop->level > 0 ? loop->level : kWithin;
}

int64_t last_value(const Loop& loop) {
  const int64_t lower = loop.lower.constant().value(), stride = loop.stride.constant().value();
  return lower + (loop.upper.constant().value() - lower - 1) / stride * stride;
}

Expression without_offset(const Expression& index) { return index - Expression(index.offset()); }

/// A region of a tensor: its origin and the extents touched from there on, per dimension.
struct Region {
  Indices origin;
  std::vector<int64_t> extents;
};

/// The part of one tensor that the computes of one nest touch, as one operand or as the result.
struct Operand {
  std::string tensor;
  DType dtype = DType::kI32;
  size_t position = kResult;
  std::vector<acg::MemoryId> path;  ///< memories in the direction of the data
  Indices indices;                  ///< with the lowest offsets of all computes
  std::vector<int64_t> extents;     ///< extents of all computes in one iteration
  bool is_sum = false;
  SourceLocation where{};
  Loops loops{};  ///< loops around the nest and in it, outermost first
  // State of the transfers inserted so far.
  std::string local{};
  Indices origin{};

  uint32_t levels() const { return static_cast<uint32_t>(path.size()); }
};

/// Transfers of a result after a loop, or further out if the loop does not index it.
struct Store {
  const Operand* result = nullptr;
  std::vector<Operation> before;
  std::vector<Operation> after;
};

class Inserter {
 public:
  Inserter(const Codelet& source, const acg::Machine& machine) : source_(source), machine_(machine) {
    Loops around;
    for (const Operation& operation : source.body) collect(operation, around, nullptr);
  }

  Codelet run() {
    Codelet result = source_;
    std::erase_if(result.surrogates, [](const auto& one) { return one.kind == SurrogateKind::kLocal; });
    std::vector<Store> outgoing;
    result.body = block(source_.body, 0, outgoing);
    check(outgoing.empty(), "every result is stored");
    return result;
  }

 private:
  /// Collects operands. `nest`: the outermost enclosing operation that is not a tile loop.
  void collect(const Operation& operation, Loops& around, const Operation* nest) {
    if (nest == nullptr && level_of(operation) == kWithin) nest = &operation;
    if (const auto* loop = std::get_if<Loop>(&operation.op)) {
      around.push_back(loop);
      for (const Operation& inner : loop->body) collect(inner, around, nest);
      around.pop_back();
    } else if (const auto* compute = std::get_if<Compute>(&operation.op)) {
      const acg::Capability& capability = capability_of(source_, machine_, *compute);
      for (size_t i = 0; i < compute->operands.size(); ++i) {
        const auto* reference = std::get_if<Reference>(&compute->operands[i]);
        if (reference == nullptr) continue;
        add(*compute, *reference, i, capability, {nest, operation.where, around});
      }
      add(*compute, compute->destination, kResult, capability, {nest, operation.where, around});
    }
  }

  struct Place {
    const Operation* nest;
    const SourceLocation& where;
    const Loops& around;
  };

  void add(const Compute& compute, const Reference& reference, size_t position, const acg::Capability& capability,
           const Place& place) {
    const auto& surrogate = *find_surrogate(source_, reference.surrogate);
    Operand operand{surrogate.name, surrogate.dtype.value(), position, {}, {}, {}};
    operand.indices = reference.indices;
    operand.indices.resize(surrogate.shape.size());
    const auto of_operand = position == kResult ? std::nullopt : std::optional(position);
    operand.extents = codelet::touched_by(codelet::block_of(compute, of_operand, capability), surrogate.shape.size());
    operand.is_sum = position == kResult && codelet::accumulates(compute.capability);
    operand.where = place.where;
    operand.loops = place.around;
    if (surrogate.kind == SurrogateKind::kLocal) {
      add_to_local(operand, place.nest);
      return;
    }
    const acg::CapabilityOperand& at_once = of_operand ? capability.inputs[position] : capability.output;
    const uint64_t vector_bytes = packed_bytes(operand.dtype, codelet::elements_of(at_once.shape));
    const acg::ComputeId node = acg::find_compute(machine_, compute.location).value();
    const acg::MemoryId home = acg::find_memory(machine_, surrogate.location).value();
    const OperandPath path = position == kResult ? paths_.from_node(operand.tensor, home, node, vector_bytes)
                                                 : paths_.to_node(operand.tensor, home, node, position, vector_bytes);
    check(path.is_there, "there is a way between '" + surrogate.name + "' and " + compute.location);
    operand.path = path.memories;
    std::vector<Operand>& operands = operands_[place.nest];
    const auto same = std::find_if(operands.begin(), operands.end(), [&](const Operand& other) {
      return other.tensor == operand.tensor && other.position == operand.position && other.path == operand.path &&
             is_shifted(other.indices, operand.indices);
    });
    // Computes that share a step touch the same tile.
    if (same != operands.end()) {
      unite(*same, operand);
    } else {
      operands.push_back(std::move(operand));
    }
  }

  /// True if the indices differ only in offsets.
  static bool is_shifted(const Indices& a, Indices b) {
    b.resize(a.size());
    return std::ranges::equal(a, b, {}, without_offset, without_offset);
  }

  static void unite(Operand& all, const Operand& other) {
    for (size_t d = 0; d < all.indices.size(); ++d) {
      const int64_t first = std::min(all.indices[d].offset(), other.indices[d].offset());
      const int64_t end =
          std::max(all.indices[d].offset() + all.extents[d], other.indices[d].offset() + other.extents[d]);
      all.indices[d] = without_offset(all.indices[d]) + Expression(first);
      all.extents[d] = end - first;
    }
  }

  /// A local is allocated in the innermost block around all of its computes; its writer determines the size of its
  /// tile. All that is read at once lies within the tile; its end may be padding that was never written.
  void add_to_local(const Operand& operand, const Operation* nest) {
    const auto [found, is_new] = locals_.try_emplace(operand.tensor, operand);
    if (is_new) first_uses_[nest].push_back(operand.tensor);
    Operand& local = found->second;
    const size_t common = static_cast<size_t>(
        std::mismatch(local.loops.begin(), local.loops.end(), operand.loops.begin(), operand.loops.end()).first -
        local.loops.begin());
    if (operand.position == kResult && !is_new) {
      check(is_shifted(local.indices, operand.indices), "a local is written at one place");
      unite(local, operand);
    }
    if (operand.position == kResult) writers_[operand.tensor] = operand.loops;
    int64_t& at_once = read_at_once_[operand.tensor];
    at_once = std::max(at_once, operand.extents.empty() ? 1 : operand.extents.back());
    local.loops.resize(common);
  }

  /// The region of the operand that `loops` from `depth` on touch: its first element and its extents.
  static Region region(const Operand& operand, const Loops& loops, size_t depth) {
    Region result{operand.indices, operand.extents};
    for (size_t i = depth; i < loops.size(); ++i) {
      for (size_t d = 0; d < result.origin.size(); ++d) {
        const int64_t lower = loops[i]->lower.constant().value();
        result.extents[d] += (last_value(*loops[i]) - lower) * result.origin[d].coefficient(loops[i]->variable);
        result.origin[d] = result.origin[d].substitute(loops[i]->variable, lower);
      }
    }
    return result;
  }

  /// The element of `local` that has `indices` in the tensor. Without indices, its first element.
  static Reference within(const std::string& local, const Indices& indices, const Indices& origin) {
    Reference result{local, {}};
    bool is_first = true;
    for (size_t d = 0; d < indices.size(); ++d) {
      result.indices.push_back(origin.empty() ? indices[d] : indices[d] - origin[d]);
      is_first = is_first && result.indices.back() == Expression(0);
    }
    if (is_first && !origin.empty()) result.indices.clear();
    return result;
  }

  Transfer new_local(const std::string& name, acg::MemoryId memory, const std::vector<int64_t>& extents) const {
    Transfer transfer;
    transfer.local = name;
    transfer.location = acg::get(machine_, memory).name;
    transfer.shape.assign(extents.begin(), extents.end());
    return transfer;
  }

  std::vector<Operation> block(const std::vector<Operation>& source, uint32_t passed, std::vector<Store>& outgoing) {
    std::vector<Operation> made;
    for (const Operation& operation : source) place(operation, passed, made, outgoing);
    return made;
  }

  /// Places one operation of a block within tiles of the levels up to `passed`, between the transfers of further
  /// levels.
  void place(const Operation& operation, uint32_t passed, std::vector<Operation>& made, std::vector<Store>& outgoing) {
    const uint32_t level = level_of(operation);
    std::vector<Operation> loads = allocations(operation);
    std::vector<Store> stores;
    for (Operand* operand : operands_below(operation)) {
      const uint32_t last = std::min(operand->levels(), level - 1);
      if (passed >= last) continue;
      if (operand->position == kResult) {
        stores.push_back(store(*operand, passed + 1, last));
      } else {
        for (uint32_t hop = passed + 1; hop <= last; ++hop) load(*operand, hop, loads);
      }
    }
    Operation inner = operation;
    if (level == kWithin) {
      rewrite(inner, operands_[&operation]);
    } else {
      auto& loop = std::get<Loop>(inner.op);
      loop.level = 0;
      depth_.push_back(&std::get<Loop>(operation.op));
      loop.body = block(depth_.back()->body, std::max(passed, level - 1), stores);
      depth_.pop_back();
    }
    made.insert(made.end(), loads.begin(), loads.end());
    for (size_t i = 0; i < stores.size();) {
      if (!goes_out(*stores[i].result)) {
        made.insert(made.end(), stores[i].before.begin(), stores[i].before.end());
        ++i;
        continue;
      }
      outgoing.push_back(std::move(stores[i]));
      stores.erase(stores.begin() + static_cast<std::ptrdiff_t>(i));
    }
    made.push_back(std::move(inner));
    for (size_t i = stores.size(); i-- > 0;) {
      made.insert(made.end(), stores[i].after.begin(), stores[i].after.end());
    }
  }

  /// A sum is complete after the tile loops that do not index it.
  bool goes_out(const Operand& result) const {
    const auto is_indexed = [&](const Loop* loop) {
      return std::any_of(result.indices.begin(), result.indices.end(),
                         [&](const Expression& index) { return index.mentions(loop->variable); });
    };
    if (!result.is_sum || depth_.empty()) return false;
    if (!is_indexed(depth_.back())) return true;
    check(std::all_of(depth_.begin(), depth_.end(), is_indexed), "a sum is complete where it is stored");
    return false;
  }

  static std::vector<const Operation*> nests_below(const Operation& operation) {
    if (level_of(operation) == kWithin) return {&operation};
    std::vector<const Operation*> result;
    for (const Operation& inner : std::get<Loop>(operation.op).body) {
      for (const Operation* nest : nests_below(inner)) result.push_back(nest);
    }
    return result;
  }

  std::vector<Operand*> operands_below(const Operation& operation) {
    std::vector<Operand*> result;
    for (const Operation* nest : nests_below(operation)) {
      for (Operand& operand : operands_[nest]) result.push_back(&operand);
    }
    return result;
  }

  /// Allocations of declared locals that belong to this block, before the first operation that uses them.
  std::vector<Operation> allocations(const Operation& operation) {
    std::vector<Operation> result;
    for (const Operation* nest : nests_below(operation)) {
      for (const std::string& name : first_uses_[nest]) {
        Operand& local = locals_.at(name);
        if (local.loops != depth_) continue;
        const acg::MemoryId memory = acg::find_memory(machine_, find_surrogate(source_, name)->location).value();
        Region tile = region(local, writers_.at(name), depth_.size());
        if (!tile.extents.empty()) tile.extents.back() = std::max(tile.extents.back(), read_at_once_[name]);
        Transfer transfer = new_local(name, memory, tile.extents);
        transfer.source = Constant{local.dtype, 0, 0};
        local.local = name;
        local.origin = tile.origin;
        result.push_back({std::move(transfer), local.where});
      }
    }
    return result;
  }

  void load(Operand& operand, uint32_t level, std::vector<Operation>& made) {
    const Region tile = region(operand, operand.loops, depth_.size());
    Transfer transfer = new_local(names_.fresh(operand.tensor), operand.path[level - 1], tile.extents);
    transfer.source = within(operand.local.empty() ? operand.tensor : operand.local, tile.origin, operand.origin);
    operand.local = transfer.local;
    operand.origin = tile.origin;
    made.push_back({std::move(transfer), operand.where});
  }

  /// The result's local of level `last`, and its transfers from there to the memory outside of level `first`.
  Store store(Operand& result, uint32_t first, uint32_t last) {
    const Region tile = region(result, result.loops, depth_.size());
    const auto memory = [&](uint32_t level) { return result.path[result.path.size() - level]; };
    Transfer back;
    back.destination = within(result.local.empty() ? result.tensor : result.local, tile.origin, result.origin);
    Transfer allocation = new_local(names_.fresh(result.tensor), memory(last), tile.extents);
    allocation.source = Constant{result.dtype, 0, 0};
    result.local = allocation.local;
    result.origin = tile.origin;
    Store made{&result, {{allocation, result.where}}, {}};
    std::string local = allocation.local;
    for (uint32_t level = last - 1; level >= first; --level) {
      Transfer hop = new_local(names_.fresh(result.tensor), memory(level), tile.extents);
      hop.source = Reference{local, {}};
      local = hop.local;
      made.after.push_back({std::move(hop), result.where});
    }
    back.source = Reference{local, {}};
    back.shape = allocation.shape;
    made.after.push_back({std::move(back), result.where});
    return made;
  }

  /// Makes the computes of a nest work on the locals.
  void rewrite(Operation& operation, const std::vector<Operand>& operands) const {
    if (auto* loop = std::get_if<Loop>(&operation.op)) {
      for (Operation& inner : loop->body) rewrite(inner, operands);
      return;
    }
    auto* compute = std::get_if<Compute>(&operation.op);
    check(compute != nullptr, "a strip-mined codelet has loops and computes");
    for (size_t i = 0; i < compute->operands.size(); ++i) {
      if (auto* reference = std::get_if<Reference>(&compute->operands[i])) rewrite(*reference, i, operands);
    }
    rewrite(compute->destination, kResult, operands);
  }

  void rewrite(Reference& reference, size_t position, const std::vector<Operand>& operands) const {
    const auto declared = locals_.find(reference.surrogate);
    const Operand* operand = declared == locals_.end() ? nullptr : &declared->second;
    for (const Operand& one : operands) {
      const bool is_it = one.tensor == reference.surrogate && one.position == position;
      if (is_it && operand == nullptr && is_shifted(one.indices, reference.indices)) operand = &one;
    }
    check(operand != nullptr, "every operand is known");
    if (operand->local.empty()) return;  // the node works on the tensor itself
    reference.surrogate = operand->local;
    reference.indices.resize(operand->origin.size());
    for (size_t d = 0; d < operand->origin.size(); ++d) {
      reference.indices[d] = reference.indices[d] - operand->origin[d];
    }
  }

  const Codelet& source_;
  const acg::Machine& machine_;
  Names names_{source_};
  OperandPaths paths_{machine_};
  Loops depth_;                                                      ///< enclosing tile loops
  std::map<const Operation*, std::vector<Operand>> operands_;        ///< operands of each nest; for look-up only
  std::map<const Operation*, std::vector<std::string>> first_uses_;  ///< declared locals, by nest; for look-up only
  std::map<std::string, Operand> locals_;                            ///< declared locals
  std::map<std::string, Loops> writers_;         ///< loops around the compute that writes a declared local
  std::map<std::string, int64_t> read_at_once_;  ///< elements of the last dimension of a local that one compute reads
};

}  // namespace

Codelet insert_transfers(const Codelet& source, const acg::Machine& machine) { return Inserter(source, machine).run(); }

}  // namespace covenant::compiler
