#include "compiler/codelet/verify.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/block.h"
#include "compiler/codelet/capability.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/paths.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler::codelet {
namespace {

/// Properties of a name in scope.
struct Known {
  bool is_tensor = false;  ///< false: a number, that is, a param or loop variable
  size_t rank = 0;
  std::optional<DType> dtype;
  std::string location;
  bool is_declared = false;  ///< declared as a surrogate, not made by a transfer
  bool is_input = false;
};

class Verifier {
 public:
  Verifier(const Codelet& codelet, const acg::Machine* machine) : codelet_(codelet), machine_(machine) {}

  void run() {
    for (const Surrogate& surrogate : codelet_.surrogates) declare(surrogate);
    body(codelet_.body);
  }

 private:
  [[noreturn]] void reject(const std::string& code, const std::string& message, const std::string& offending,
                           std::vector<std::string> allowed, const std::string& fix) const {
    throw Failure{{code, where_, codelet_.name, message, offending, std::move(allowed), fix}};
  }

  void define(const std::string& name, Known known) {
    if (!scope_.emplace(name, std::move(known)).second) {
      reject("CDL0011", "this name is defined already", name, {}, "choose another name");
    }
  }

  void declare(const Surrogate& surrogate) {
    where_ = surrogate.where;
    if (dtype_named(surrogate.name)) {
      reject("CDL0011", "this name is a dtype", surrogate.name, {}, "choose another name");
    }
    for (const Expression& extent : surrogate.shape) size(extent);
    names_defined(surrogate.fill);
    if (!surrogate.packing.empty() && surrogate.packing.size() != surrogate.logical_shape.size()) {
      reject("CDL0012", "packing needs one expression for each logical dimension", print(surrogate), {},
             "give packing and logical_shape the same length");
    }
    strides(surrogate);
    location_is_memory(surrogate.location);
    const bool is_param = surrogate.kind == SurrogateKind::kParam;
    define(surrogate.name, {!is_param, surrogate.shape.size(), surrogate.dtype, surrogate.location, true,
                            surrogate.kind == SurrogateKind::kInp});
  }

  void strides(const Surrogate& surrogate) const {
    names_defined(surrogate.offset);
    if (surrogate.strides.empty() && surrogate.offset == Expression(0)) return;
    const bool has_memory = surrogate.kind == SurrogateKind::kInp || surrogate.kind == SurrogateKind::kOut;
    if (!has_memory || surrogate.strides.size() != surrogate.shape.size()) {
      reject("CDL0012", "only an inp or out is a view, with one stride for each dimension", print(surrogate), {},
             "give an inp or out as many strides as dimensions");
    }
    for (const Expression& stride : surrogate.strides) size(stride);
    if (surrogate.offset.constant().value_or(0) < 0) {
      reject("CDL0019", "an offset is below 0", surrogate.offset.print(), {"0 or more"}, "begin within the tensor");
    }
  }

  void size(const Expression& extent) const {
    names_defined(extent);
    if (extent.constant().value_or(1) < 1) {
      reject("CDL0019", "a size is below 1", extent.print(), {"1 or more"}, "give a positive size");
    }
  }

  void names_defined(const Expression& expression) const {
    for (const Term& term : expression.terms()) {
      for (const std::string& name : term.names) {
        const auto found = scope_.find(name);
        if (found == scope_.end()) {
          reject("CDL0010", "this name is not defined here", name, {}, "define it as a param or as a loop around this");
        }
        if (found->second.is_tensor) {
          reject("CDL0010", "a tensor stands where a number is needed", name, {}, "use a param or a loop variable");
        }
      }
    }
  }

  const Known& tensor(const Reference& reference) {
    const SourceLocation operation = where_;
    if (reference.where.line != 0) where_ = reference.where;
    const auto found = scope_.find(reference.surrogate);
    if (found == scope_.end() || !found->second.is_tensor) {
      std::vector<std::string> allowed;
      for (const auto& [name, known] : scope_) {
        if (known.is_tensor) allowed.push_back(name);
      }
      reject("CDL0010", "no tensor of this name is defined here", reference.surrogate, allowed,
             "use a surrogate, or a local made before in the same block or around it");
    }
    if (!reference.indices.empty() && reference.indices.size() != found->second.rank) {
      reject("CDL0012", "wrong number of indices", print(reference), {std::to_string(found->second.rank)},
             "give one index for each dimension");
    }
    for (const Expression& index : reference.indices) names_defined(index);
    where_ = operation;
    return found->second;
  }

  void is_written(const Reference& reference, const Known& known) {
    if (!known.is_input) return;
    if (reference.where.line != 0) where_ = reference.where;
    reject("CDL0023", "an input is written", reference.surrogate, {"an out", "a local"}, "declare it as out");
  }

  void location_is_memory(const std::string& location) const {
    if (location.empty() || machine_ == nullptr || acg::find_memory(*machine_, location)) return;
    std::vector<std::string> allowed;
    for (const acg::Memory& memory : machine_->memories) allowed.push_back(memory.name);
    reject("CDL0013", "the machine has no such memory", location, allowed, "name a memory of the machine");
  }

  void body(const std::vector<Operation>& operations) {
    const std::map<std::string, Known> outer = scope_;
    for (const Operation& operation : operations) {
      where_ = operation.where;
      std::visit([this](const auto& one) { check_operation(one); }, operation.op);
    }
    scope_ = outer;
  }

  void check_operation(const Loop& loop) {
    names_defined(loop.lower);
    names_defined(loop.upper);
    names_defined(loop.stride);
    if (const std::optional<int64_t> stride = loop.stride.constant(); stride && *stride <= 0) {
      reject("CDL0017", "a loop must advance", loop.stride.print(), {"1 or more"}, "give a positive stride");
    }
    const std::map<std::string, Known> outer = scope_;
    define(loop.variable, {});
    body(loop.body);
    scope_ = outer;
  }

  void check_operation(const Transfer& transfer) {
    for (const Expression& extent : transfer.shape) size(extent);
    location_is_memory(transfer.location);
    Known local{true, transfer.shape.size(), std::nullopt, transfer.location, false};
    if (const auto* constant = std::get_if<Constant>(&transfer.source)) {
      if (transfer.destination) {
        reject("CDL0018", "a constant cannot be copied into a tensor", print(*constant), {"a reference"},
               "make a new local of it");
      }
      local.dtype = constant->dtype;
      return define(transfer.local, local);
    }
    const Known source = tensor(std::get<Reference>(transfer.source));
    rank_is(transfer, source.rank);
    local.dtype = source.dtype;
    if (!transfer.destination) {
      along_edge(source.location, transfer.location);
      return define(transfer.local, local);
    }
    const Known destination = tensor(*transfer.destination);
    rank_is(transfer, destination.rank);
    if (source.dtype && destination.dtype && source.dtype != destination.dtype) {
      reject("CDL0018", "a transfer does not convert", std::string(name(*source.dtype)),
             {std::string(name(*destination.dtype))}, "compute MOVE between them");
    }
    along_edge(source.location, destination.location);
    is_written(*transfer.destination, destination);
  }

  void rank_is(const Transfer& transfer, size_t rank) const {
    if (transfer.shape.size() == rank) return;
    reject("CDL0018", "a transfer needs one size for each dimension", std::to_string(transfer.shape.size()),
           {std::to_string(rank)}, "write 1 for dimensions of which one element is copied");
  }

  void along_edge(const std::string& from, const std::string& to) const {
    if (machine_ == nullptr || from.empty() || to.empty() || from == to) return;
    const acg::MemoryId first = acg::find_memory(*machine_, from).value();
    const acg::MemoryId last = acg::find_memory(*machine_, to).value();
    if (acg::edge_between(*machine_, first, last) || leads_through_caches(*machine_, first, last)) return;
    reject("CDL0015", "the machine has no edge for this transfer", from + " -> " + to, {},
           "go along the edges of the machine, with a local in each memory on the way");
  }

  void check_operation(const Compute& compute) {
    const Known destination = tensor(compute.destination);
    bool typed = destination.dtype.has_value();
    std::vector<OperandType> types;
    std::vector<std::string> locations;
    for (const auto& operand : compute.operands) {
      if (const auto* constant = std::get_if<Constant>(&operand)) {
        types.push_back(type_of(*constant));
        continue;
      }
      const auto& reference = std::get<Reference>(operand);
      const auto found = scope_.find(reference.surrogate);
      if (found != scope_.end() && !found->second.is_tensor && reference.indices.empty()) {
        typed = false;  // a param: its dtype is known only when it is bound
        continue;
      }
      const Known& known = tensor(reference);
      typed = typed && known.dtype;
      types.push_back({known.dtype.value_or(DType::kI32), false});
      if (!known.is_declared) locations.push_back(known.location);
    }
    for (const auto& [name, value] : compute.attributes) names_defined(value);
    attributes_present(compute);
    if (!compute.location.empty()) check_node(compute, destination, typed, types, locations);
    is_written(compute.destination, destination);
  }

  void attributes_present(const Compute& compute) const {
    const std::optional<FunctionInfo> function = function_named(compute.capability);
    if (!function || !function->quantizes) return;
    for (const char* attribute : {"lowest", "highest"}) {
      if (!compute.attributes.contains(attribute)) {
        reject("CDL0014", compute.capability + " lacks an attribute", "none", {attribute}, "give lowest and highest");
      }
    }
  }

  void check_node(const Compute& compute, const Known& destination, bool typed, const std::vector<OperandType>& types,
                  const std::vector<std::string>& locations) const {
    const auto node = machine_ == nullptr ? std::nullopt : acg::find_compute(*machine_, compute.location);
    if (!node) {
      std::vector<std::string> allowed;
      for (size_t i = 0; machine_ != nullptr && i < machine_->computes.size(); ++i) {
        allowed.push_back(machine_->computes[i].name);
      }
      reject("CDL0013", "the machine has no such compute node", compute.location, allowed,
             "name a node of the machine");
    }
    if (typed) {
      const acg::Compute& unit = acg::get(*machine_, *node);
      const acg::Capability* capability = find_capability(unit, compute.capability, destination.dtype.value(), types);
      if (capability == nullptr) {
        std::set<std::string> names;
        for (const acg::Capability& one : unit.capabilities) names.insert(one.name);
        reject("CDL0014", compute.location + " cannot do this on these dtypes", compute.capability,
               {names.begin(), names.end()}, "choose another node, or add the capability to the machine");
      }
      fits_rank(compute, *capability);
    }
    for (const std::string& location : locations) next_to(location, compute.location, *node, true);
    if (!destination.is_declared) next_to(destination.location, compute.location, *node, false);
  }

  void fits_rank(const Compute& compute, const acg::Capability& capability) const {
    const int64_t rows = rows_of(compute);
    const uint64_t at_once = capability.output.shape.size() == 1 ? capability.output.shape[0] : 1;
    if (rows < 1 || (rows > 1 && at_once % static_cast<uint64_t>(rows) != 0)) {
      reject("CDL0014", "vectors of " + compute.location + " do not have so many rows",
             compute.attributes.at("rows").print(), {"a divisor of " + std::to_string(at_once)},
             "leave the attribute 'rows' out");
    }
    const auto require = [&](const Reference& reference, const Block& block) {
      const size_t wanted = block.reach() > 1 ? 2 : block.extents.size();
      if (scope_.at(reference.surrogate).rank >= wanted) return;
      reject("CDL0012", "fewer dimensions than the capability takes", print(reference),
             {std::to_string(wanted) + " or more"}, "declare the surrogate with more dimensions");
    };
    require(compute.destination, block_of(compute, std::nullopt, capability));
    for (size_t i = 0; i < compute.operands.size(); ++i) {
      const auto* reference = std::get_if<Reference>(&compute.operands[i]);
      if (reference != nullptr) require(*reference, block_of(compute, i, capability));
    }
  }

  void next_to(const std::string& memory, const std::string& node, acg::ComputeId id, bool is_read) const {
    if (memory.empty()) return;
    const acg::NodeId other = acg::find_memory(*machine_, memory).value();
    const auto edge = is_read ? acg::edge_between(*machine_, other, id) : acg::edge_between(*machine_, id, other);
    if (edge) return;
    reject("CDL0016", is_read ? "the node cannot read this memory" : "the node cannot write this memory",
           is_read ? memory + " -> " + node : node + " -> " + memory, {},
           "put the local into a memory next to the node");
  }

  const Codelet& codelet_;
  const acg::Machine* machine_;
  SourceLocation where_;
  std::map<std::string, Known> scope_;
};

}  // namespace

Status verify_size(const Codelet& codelet) {
  constexpr size_t kMostOperations = 1000;
  size_t operations = 0;
  for_each_operation(codelet.body, [&](const Operation&, const auto&) { ++operations; });
  if (operations <= kMostOperations) return Done{};
  return diagnose("CDL0004", codelet.where, codelet.name, "a codelet has too many operations",
                  std::to_string(operations), {fmt::format("1 to {}", kMostOperations)},
                  "write loops in the place of repeated lines, or a codelet for each part");
}

Status verify(const Codelet& codelet, const acg::Machine* machine) {
  return guarded<Done>([&] {
    Verifier(codelet, machine).run();
    return Done{};
  });
}

}  // namespace covenant::compiler::codelet
