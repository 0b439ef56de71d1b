#include "compiler/passes/parallelise.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/capability.h"
#include "compiler/codelet/operand_paths.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::Expression;
using codelet::Loop;
using codelet::OperandType;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::Transfer;

/// Sets of nodes are tried one by one: 2^8 of them.
constexpr size_t kMostNodes = 8;

struct Tensor {
  DType dtype = DType::kI32;
  std::string location;
  bool is_local = false;  ///< made by a transfer: must lie next to the node
};

/// A node, and how many elements it takes at once.
struct Worker {
  acg::ComputeId node;
  int64_t elements = 1;
};

/// Nodes that share a loop, those that take the rest, and how long both take.
struct Sharing {
  std::vector<Worker> together;
  std::vector<Worker> rest;
  int64_t steps = 0;
};

int64_t elements_of(const std::vector<Worker>& workers) {
  int64_t sum = 0;
  for (const Worker& worker : workers) sum += worker.elements;
  return sum;
}

/// The number of elements that an elementwise capability takes of every operand; 0 for other capabilities.
int64_t elementwise_extent(const acg::Capability& capability, const Compute& compute) {
  if (capability.output.shape.size() != 1) return 0;
  for (size_t i = 0; i < compute.operands.size(); ++i) {
    if (std::holds_alternative<Constant>(compute.operands[i])) continue;
    if (capability.inputs[i].shape != capability.output.shape) return 0;
  }
  return static_cast<int64_t>(capability.output.shape[0]);
}

class Paralleliser {
 public:
  Paralleliser(const Codelet& source, const acg::Machine& machine) : result_(source), machine_(machine) {
    for (const Surrogate& surrogate : source.surrogates) {
      if (surrogate.dtype) tensors_[surrogate.name] = {*surrogate.dtype, surrogate.location, false};
    }
    for_each_operation(source.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
      const auto* transfer = std::get_if<Transfer>(&operation.op);
      if (transfer == nullptr || transfer->destination) return;
      const auto* constant = std::get_if<Constant>(&transfer->source);
      const DType dtype =
          constant != nullptr ? constant->dtype : tensors_.at(std::get<Reference>(transfer->source).surrogate).dtype;
      tensors_[transfer->local] = {dtype, transfer->location, true};
    });
  }

  Codelet run() {
    share(result_.body);
    return std::move(result_);
  }

 private:
  void share(std::vector<Operation>& body) {
    std::vector<Operation> made;
    for (Operation& operation : body) {
      auto* loop = std::get_if<Loop>(&operation.op);
      if (loop != nullptr) share(loop->body);
      const std::optional<Sharing> sharing = loop == nullptr ? std::nullopt : sharing_of(*loop);
      if (sharing) {
        emit(*loop, operation.where, *sharing, made);
      } else {
        made.push_back(std::move(operation));
      }
    }
    body = std::move(made);
  }

  /// How a loop is best shared; nothing if it cannot be, or becomes no shorter.
  std::optional<Sharing> sharing_of(const Loop& loop) const {
    const auto length = loop.upper.constant();
    const auto stride = loop.stride.constant();
    if (loop.lower != Expression(0) || !length || !stride || *length < 1 || loop.body.size() != 1) return std::nullopt;
    const auto* compute = std::get_if<Compute>(&loop.body.front().op);
    if (compute == nullptr || !is_elementwise(*compute, loop.variable)) return std::nullopt;
    if (*stride != present_elements(*compute)) return std::nullopt;
    const std::vector<Worker> workers = workers_for(*compute);
    std::optional<Sharing> best;
    for (size_t set = 1; set < (size_t{1} << workers.size()); ++set) {
      std::vector<Worker> together;
      for (size_t i = 0; i < workers.size(); ++i) {
        if ((set >> i & 1U) != 0) together.push_back(workers[i]);
      }
      std::optional<Sharing> sharing = complete(together, workers, *length);
      if (!sharing || !have_common_memory(together, *compute)) continue;
      const auto cost = [](const Sharing& one) { return std::make_tuple(one.steps, one.together.size()); };
      if (!best || cost(*sharing) < cost(*best)) best = std::move(sharing);
    }
    const int64_t steps_before = ceil_divide(*length, *stride);
    if (!best || best->steps >= steps_before) return std::nullopt;
    return best;
  }

  /// Every reference is indexed by `variable` as it is, in its last dimension only, and none reads what another step
  /// writes.
  bool is_elementwise(const Compute& compute, const std::string& variable) const {
    const auto follows = [&](const Reference& reference) {
      if (reference.indices.empty() || !tensors_.contains(reference.surrogate)) return false;
      for (size_t d = 0; d + 1 < reference.indices.size(); ++d) {
        if (reference.indices[d].mentions(variable)) return false;
      }
      const Expression rest = reference.indices.back() - Expression::variable(variable);
      return !rest.mentions(variable);
    };
    if (!follows(compute.destination)) return false;
    return std::all_of(compute.operands.begin(), compute.operands.end(), [&](const auto& operand) {
      const auto* reference = std::get_if<Reference>(&operand);
      if (reference == nullptr) return true;
      const bool is_safe = reference->surrogate != compute.destination.surrogate || *reference == compute.destination;
      return is_safe && follows(*reference);
    });
  }

  std::vector<OperandType> types_of(const Compute& compute) const {
    std::vector<OperandType> types;
    for (const auto& operand : compute.operands) {
      const auto* constant = std::get_if<Constant>(&operand);
      types.push_back(
          {constant != nullptr ? constant->dtype : tensors_.at(std::get<Reference>(operand).surrogate).dtype,
           constant != nullptr});
    }
    return types;
  }

  int64_t elements_on(const acg::Compute& node, const Compute& compute) const {
    const acg::Capability* capability = codelet::find_capability(
        node, compute.capability, tensors_.at(compute.destination.surrogate).dtype, types_of(compute));
    return capability == nullptr ? 0 : elementwise_extent(*capability, compute);
  }

  int64_t present_elements(const Compute& compute) const {
    if (compute.location.empty()) return 1;
    const auto node = acg::find_compute(machine_, compute.location);
    check(node.has_value(), "a compute lies on a node of the machine");
    return elements_on(acg::get(machine_, node.value()), compute);
  }

  /// Nodes that can do the compute where its locals lie, largest first.
  std::vector<Worker> workers_for(const Compute& compute) const {
    std::vector<Worker> workers;
    for (uint32_t i = 0; i < machine_.computes.size(); ++i) {
      const int64_t elements = elements_on(machine_.computes[i], compute);
      if (elements > 0 && reaches_locals({i}, compute)) workers.push_back({{i}, elements});
    }
    std::stable_sort(workers.begin(), workers.end(),
                     [](const Worker& a, const Worker& b) { return a.elements > b.elements; });
    workers.resize(std::min(workers.size(), kMostNodes));
    return workers;
  }

  bool reaches_locals(acg::ComputeId node, const Compute& compute) const {
    const auto reaches = [&](const Reference& reference, bool is_read) {
      const Tensor& tensor = tensors_.at(reference.surrogate);
      if (!tensor.is_local || tensor.location.empty()) return true;
      return is_next_to(machine_, *acg::find_memory(machine_, tensor.location), node, is_read);
    };
    if (!reaches(compute.destination, false)) return false;
    return std::all_of(compute.operands.begin(), compute.operands.end(), [&](const auto& operand) {
      const auto* reference = std::get_if<Reference>(&operand);
      return reference == nullptr || reaches(*reference, true);
    });
  }

  /// One memory feeds all of them.
  bool have_common_memory(const std::vector<Worker>& workers, const Compute& compute) const {
    if (workers.size() == 1 || compute.operands.empty()) return true;
    for (uint32_t memory = 0; memory < machine_.memories.size(); ++memory) {
      const bool feeds_all = std::all_of(workers.begin(), workers.end(), [&](const Worker& worker) {
        return is_next_to(machine_, {memory}, worker.node, true);
      });
      if (feeds_all) return true;
    }
    return false;
  }

  /// `together` share `length` elements, `all` take what is left over, one after the other.
  static std::optional<Sharing> complete(const std::vector<Worker>& together, const std::vector<Worker>& all,
                                         int64_t length) {
    const int64_t at_once = elements_of(together);
    if (at_once > length) return std::nullopt;
    Sharing sharing{together, {}, length / at_once};
    int64_t left = length % at_once;
    while (left > 0) {
      const auto worker = std::find_if(all.begin(), all.end(), [&](const Worker& one) { return one.elements <= left; });
      if (worker == all.end()) return std::nullopt;
      sharing.rest.push_back(*worker);
      left -= worker->elements;
    }
    sharing.steps += static_cast<int64_t>(sharing.rest.size());
    return sharing;
  }

  Operation moved(const Operation& source, const Worker& worker, const std::string& variable,
                  const Expression& to) const {
    std::vector<Operation> one{source};
    std::get<Compute>(one.front().op).location = acg::get(machine_, worker.node).name;
    for_each_expression(one, [&](Expression& index) { index = index.substitute(variable, to); });
    return one.front();
  }

  void emit(const Loop& loop, const SourceLocation& where, const Sharing& sharing, std::vector<Operation>& made) const {
    const Operation& compute = loop.body.front();
    const int64_t at_once = elements_of(sharing.together);
    const int64_t shared = loop.upper.constant().value() / at_once * at_once;
    Loop result = loop;
    result.upper = shared;
    result.stride = at_once;
    result.body.clear();
    int64_t offset = 0;
    for (const Worker& worker : sharing.together) {
      result.body.push_back(moved(compute, worker, loop.variable, Expression::variable(loop.variable) + offset));
      offset += worker.elements;
    }
    made.push_back({result, where});
    offset = shared;
    for (const Worker& worker : sharing.rest) {
      made.push_back(moved(compute, worker, loop.variable, offset));
      offset += worker.elements;
    }
  }

  Codelet result_;
  const acg::Machine& machine_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace

Result<Codelet> parallelise(const Codelet& source, const acg::Machine& machine) {
  return Paralleliser(source, machine).run();
}

}  // namespace covenant::compiler
