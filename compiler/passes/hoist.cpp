#include "compiler/passes/hoist.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Transfer;

/// Kinds of operations, in their order within a block.
enum class Kind : uint8_t { kAllocation, kLoad, kWork, kStore };

class Hoister {
 public:
  explicit Hoister(const Codelet& source) : result_(source) {
    for_each_operation(source.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
      if (const auto* transfer = std::get_if<Transfer>(&operation.op)) note(*transfer);
      if (const auto* compute = std::get_if<Compute>(&operation.op)) note(*compute);
    });
  }

  Codelet run() {
    result_.body = arranged(std::move(result_.body));
    return std::move(result_);
  }

 private:
  void note(const Transfer& transfer) {
    const auto* source = std::get_if<Reference>(&transfer.source);
    if (transfer.local.empty() || source == nullptr) return;
    const codelet::Surrogate* tensor = find_surrogate(result_, source->surrogate);
    readers_[source->surrogate].insert("memory " + transfer.location);
    const bool is_input = tensor != nullptr && tensor->kind == codelet::SurrogateKind::kInp;
    if (is_input || loaded_.contains(source->surrogate)) loaded_.insert(transfer.local);
  }

  void note(const Compute& compute) {
    for (const auto& operand : compute.operands) {
      if (const auto* reference = std::get_if<Reference>(&operand)) {
        readers_[reference->surrogate].insert(compute.location);
      }
    }
  }

  Kind kind_of(const Operation& operation) const {
    const auto* transfer = std::get_if<Transfer>(&operation.op);
    if (transfer == nullptr) return Kind::kWork;
    if (std::holds_alternative<Constant>(transfer->source)) return Kind::kAllocation;
    return loaded_.contains(transfer->local) ? Kind::kLoad : Kind::kStore;
  }

  bool stores(const Operation& operation) const {
    const auto* loop = std::get_if<Loop>(&operation.op);
    if (loop == nullptr) return kind_of(operation) == Kind::kStore;
    return std::any_of(loop->body.begin(), loop->body.end(), [&](const Operation& inner) { return stores(inner); });
  }

  /// Arranges a block together with the loads that are hoisted out of its loops.
  std::vector<Operation> arranged(std::vector<Operation> body) {
    std::vector<Operation> block;
    for (Operation& operation : body) {
      if (auto* loop = std::get_if<Loop>(&operation.op)) {
        loop->body = arranged(std::move(loop->body));
        let_go(*loop, block);
      }
      block.push_back(std::move(operation));
    }
    return ordered(std::move(block));
  }

  /// Moves those loads of `loop` that it does not index to the end of `block`.
  void let_go(Loop& loop, std::vector<Operation>& block) const {
    std::set<std::string> staying;
    std::vector<Operation> kept;
    for (Operation& operation : loop.body) {
      const bool is_load = kind_of(operation) == Kind::kLoad;
      const auto* transfer = std::get_if<Transfer>(&operation.op);
      const auto* source = is_load ? std::get_if<Reference>(&transfer->source) : nullptr;
      if (is_load && !source->mentions(loop.variable) && !staying.contains(source->surrogate)) {
        block.push_back(std::move(operation));
        continue;
      }
      if (is_load) staying.insert(transfer->local);
      kept.push_back(std::move(operation));
    }
    loop.body = std::move(kept);
  }

  /// Orders a block: allocations, loads, work, stores; and again after the stores of each part.
  std::vector<Operation> ordered(std::vector<Operation> block) const {
    std::vector<Operation> result;
    size_t earlier = 0;  // number of operations in the parts before
    for (auto first = block.begin(); first != block.end();) {
      auto end = std::find_if(first, block.end(), [&](const Operation& one) { return stores(one); });
      while (end != block.end() && stores(*end)) ++end;
      std::stable_sort(first, end, [&](const Operation& a, const Operation& b) { return kind_of(a) < kind_of(b); });
      for (; first != end; ++first) {
        const std::string* local = loaded_already(*first, std::span<const Operation>(result).first(earlier));
        if (local == nullptr) {
          result.push_back(std::move(*first));
        } else {
          const std::string name = std::get<Transfer>(first->op).local;
          for (auto later = first + 1; later != block.end(); ++later) rename(*later, name, *local);
        }
      }
      earlier = result.size();
    }
    return result;
  }

  /// The local that the same load for the same nodes among `earlier` has filled. Null if there is none.
  const std::string* loaded_already(const Operation& operation, std::span<const Operation> earlier) const {
    if (kind_of(operation) != Kind::kLoad) return nullptr;
    const auto& load = std::get<Transfer>(operation.op);
    for (const Operation& one : earlier) {
      if (kind_of(one) != Kind::kLoad) continue;
      const auto& other = std::get<Transfer>(one.op);
      const bool is_same = other.source == load.source && other.location == load.location && other.shape == load.shape;
      if (is_same && readers(other.local) == readers(load.local)) return &other.local;
    }
    return nullptr;
  }

  std::set<std::string> readers(const std::string& local) const {
    const auto found = readers_.find(local);
    return found == readers_.end() ? std::set<std::string>{} : found->second;
  }

  static void rename(Operation& operation, const std::string& from, const std::string& to) {
    const auto change = [&](Reference& reference) {
      if (reference.surrogate == from) reference.surrogate = to;
    };
    if (auto* loop = std::get_if<Loop>(&operation.op)) {
      for (Operation& inner : loop->body) rename(inner, from, to);
    } else if (auto* transfer = std::get_if<Transfer>(&operation.op)) {
      if (auto* source = std::get_if<Reference>(&transfer->source)) change(*source);
    } else {
      for (auto& operand : std::get<Compute>(operation.op).operands) {
        if (auto* reference = std::get_if<Reference>(&operand)) change(*reference);
      }
    }
  }

  Codelet result_;
  std::set<std::string> loaded_;                          ///< locals that hold data loaded from a tensor
  std::map<std::string, std::set<std::string>> readers_;  ///< by surrogate: nodes that read it, and memories that it
                                                          ///< moves on to
};

}  // namespace

Codelet hoist(const Codelet& source) { return Hoister(source).run(); }

}  // namespace covenant::compiler
