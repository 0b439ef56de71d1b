#include "compiler/passes/map.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

#include "acg/graph/queries.h"
#include "compiler/codelet/capability.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/print.h"
#include "compiler/passes/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::diagnose;
using codelet::Expression;
using codelet::Loop;
using codelet::OperandType;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::SurrogateKind;

/// Thrown inside of this file only, turned into a Result by `map`.
struct Failure {
  Diagnostic diagnostic;
};

/// Elements that the machine writes at once in `dtype`, at most; 0 if it writes none.
int64_t written_at_once(const acg::Machine& machine, DType dtype) {
  uint64_t largest = 0;
  for (const acg::Compute& node : machine.computes) {
    for (const acg::Capability& capability : node.capabilities) {
      if (capability.output.dtype == dtype && !capability.output.shape.empty()) {
        largest = std::max(largest, capability.output.shape.back());
      }
    }
  }
  return static_cast<int64_t>(largest);
}

int64_t round_up(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

class Mapper {
 public:
  Mapper(const Codelet& source, const acg::Machine& machine) : mapped_(source), machine_(machine) {}

  Codelet run() {
    for_each_operation(mapped_.body, [&](Operation& operation) {
      if (auto* compute = std::get_if<Compute>(&operation.op)) choose(*compute, operation.where);
    });
    pad();
    rewrite_loops(mapped_.body);
    return std::move(mapped_);
  }

 private:
  [[noreturn]] void cannot_vectorise(const SourceLocation& where, const std::string& message,
                                     const std::string& what) const {
    throw Failure{diagnose("CDL0041", where, mapped_.name, message, what, {},
                           "index the last dimensions by plain loop variables, in nothing but these dimensions")};
  }

  DType dtype_of(const Reference& reference) const {
    const Surrogate* surrogate = find_surrogate(mapped_, reference.surrogate);
    check(surrogate != nullptr && surrogate->dtype.has_value(), "'" + reference.surrogate + "' is not bound");
    return *surrogate->dtype;
  }

  void choose(Compute& compute, const SourceLocation& where) {
    std::vector<OperandType> types;
    std::vector<DType> dtypes;
    for (const auto& operand : compute.operands) {
      const auto* constant = std::get_if<Constant>(&operand);
      dtypes.push_back(constant != nullptr ? constant->dtype : dtype_of(std::get<Reference>(operand)));
      types.push_back({dtypes.back(), constant != nullptr});
    }
    const DType output = dtype_of(compute.destination);
    for (const acg::CapabilityMatch& match : acg::find_capability(machine_, compute.capability, output, dtypes)) {
      const acg::Compute& node = acg::get(machine_, match.compute);
      if (!codelet::fits(node.capabilities[match.capability], compute.capability, output, types)) continue;
      compute.location = node.name;
      // The node is chosen by this capability; which of the node's own is meant, the whole compiler decides alike.
      return vectorise(compute, *codelet::find_capability(node, compute.capability, output, types), where);
    }
    std::vector<std::string_view> names;
    for (const DType dtype : dtypes) names.push_back(name(dtype));
    const std::string wanted = fmt::format("{}={}({})", name(output), compute.capability, fmt::join(names, ","));
    std::set<std::string> allowed;
    for (const acg::Compute& node : machine_.computes) {
      for (const acg::Capability& capability : node.capabilities) allowed.insert(capability.name);
    }
    throw Failure{diagnose("CDL0040", where, mapped_.name, "no compute node of '" + machine_.name + "' can do this",
                           wanted, {allowed.begin(), allowed.end()},
                           "add the capability to a node of the machine, or use other dtypes")};
  }

  void vectorise(const Compute& compute, const acg::Capability& capability, const SourceLocation& where) {
    vectorise(compute.destination, capability.output, where);
    for (size_t i = 0; i < compute.operands.size(); ++i) {
      const auto* reference = std::get_if<Reference>(&compute.operands[i]);
      if (reference != nullptr) vectorise(*reference, capability.inputs[i], where);
    }
  }

  /// The loops that index the last dimensions of `reference` take its operand's extents as their chunks.
  void vectorise(const Reference& reference, const acg::CapabilityOperand& operand, const SourceLocation& where) {
    const size_t rank = reference.indices.size();
    if (rank < operand.shape.size()) {
      cannot_vectorise(where, "fewer indices than the capability's operand has dimensions", print(reference));
    }
    const size_t leading = rank - operand.shape.size();
    for (size_t d = 0; d < operand.shape.size(); ++d) {
      const auto extent = static_cast<int64_t>(operand.shape[d]);
      const Expression& index = reference.indices[leading + d];
      const bool is_variable =
          index.terms().size() == 1 && index.terms()[0].names.size() == 1 && index.terms()[0].coefficient == 1;
      if (!is_variable) {
        if (extent == 1) continue;
        cannot_vectorise(where, "this index is not a plain loop variable", print(reference));
      }
      const std::string& variable = index.terms()[0].names[0];
      const auto [entry, is_new] = chunks_.emplace(variable, extent);
      if (!is_new && entry->second != extent) {
        cannot_vectorise(where, "the computes that share this loop work on different numbers of elements at once",
                         variable);
      }
    }
    uses_.push_back({reference, operand.shape, where});
  }

  /// One reference of a compute, with the shape that is read or written at once.
  struct Use {
    Reference reference;
    std::vector<uint64_t> shape;
    SourceLocation where;
  };

  void pad() {
    for (const Use& use : uses_) {
      const size_t leading = use.reference.indices.size() - use.shape.size();
      for (size_t d = 0; d < leading; ++d) {
        for (const auto& [variable, chunk] : chunks_) {
          if (chunk > 1 && use.reference.indices[d].mentions(variable)) {
            cannot_vectorise(use.where, "a vectorised loop indexes another dimension too", print(use.reference));
          }
        }
      }
      if (use.shape.size() == 1) pad_vector(use);
    }
  }

  void pad_vector(const Use& use) {
    Surrogate& surrogate = *find_surrogate(mapped_, use.reference.surrogate);
    const auto at_once = static_cast<int64_t>(use.shape[0]);
    int64_t multiple = written_at_once(machine_, *surrogate.dtype);
    if (multiple == 0 || surrogate.kind == SurrogateKind::kLocal) multiple = at_once;
    const std::vector<int64_t> logical = constants(surrogate.shape);
    const int64_t padded = round_up(logical.back(), multiple);
    if (surrogate.kind == SurrogateKind::kOut) {
      if (padded % at_once != 0) {
        cannot_vectorise(use.where, "the padded size is no multiple of what the node writes at once", surrogate.name);
      }
      const Expression& index = use.reference.indices.back();
      if (!index.terms().empty()) trips_[index.terms()[0].names[0]] = padded / at_once;
    }
    if (padded == logical.back()) return;
    if (surrogate.kind != SurrogateKind::kLocal) surrogate.logical_shape = logical;
    surrogate.shape.back() = padded;
  }

  void rewrite_loops(std::vector<Operation>& body) {
    for (Operation& operation : body) {
      auto* loop = std::get_if<Loop>(&operation.op);
      if (loop == nullptr) continue;
      rewrite_loops(loop->body);
      const auto chunk = chunks_.find(loop->variable);
      if (chunk == chunks_.end() || chunk->second == 1) continue;
      if (loop->lower != Expression(0) || loop->stride != Expression(1) || !loop->upper.constant()) {
        cannot_vectorise(operation.where, "a vectorised loop must run from 0 by 1 to a number", loop->variable);
      }
      const auto trips = trips_.find(loop->variable);
      loop->upper =
          trips != trips_.end() ? trips->second : (*loop->upper.constant() + chunk->second - 1) / chunk->second;
      const Expression by = Expression::variable(loop->variable) * chunk->second;
      for_each_expression(loop->body, [&](Expression& index) { index = index.substitute(loop->variable, by); });
    }
  }

  Codelet mapped_;
  const acg::Machine& machine_;
  std::map<std::string, int64_t> chunks_;  ///< by loop variable: elements at once
  std::map<std::string, int64_t> trips_;   ///< of loops over a padded dimension of an `out`
  std::vector<Use> uses_;
};

}  // namespace

Result<Codelet> map(const Codelet& source, const acg::Machine& machine) {
  try {
    return Mapper(source, machine).run();
  } catch (const Failure& failure) {
    return failure.diagnostic;
  }
}

}  // namespace covenant::compiler
