#include "compiler/passes/unroll.h"

#include <algorithm>
#include <map>
#include <optional>

#include "acg/graph/queries.h"
#include "compiler/codelet/names.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::Expression;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::Transfer;

/// A local, or a surrogate, as transfers see it.
struct Tensor {
  DType dtype = DType::kI32;
  std::string location;
  std::vector<int64_t> shape;
};

/// Where a block grows with the steps of a loop: along `dimension`, by `step` elements for each value of its variable.
struct Growth {
  size_t dimension = 0;
  int64_t step = 0;
};

uint64_t block_bits(DType dtype, const std::vector<int64_t>& shape) {
  uint64_t product = bits(dtype);
  for (const int64_t extent : shape) product *= static_cast<uint64_t>(extent);
  return product;
}

class Unroller {
 public:
  Unroller(const Codelet& source, const acg::Machine& machine) : result_(source), machine_(machine), names_(source) {
    for (const Surrogate& surrogate : source.surrogates) {
      tensors_[surrogate.name] = {surrogate.dtype.value(), surrogate.location, constants(surrogate.shape)};
    }
    for_each_operation(source.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
      const auto* transfer = std::get_if<Transfer>(&operation.op);
      if (transfer == nullptr || transfer->destination) return;
      const auto* constant = std::get_if<Constant>(&transfer->source);
      const DType dtype =
          constant != nullptr ? constant->dtype : tensors_.at(std::get<Reference>(transfer->source).surrogate).dtype;
      tensors_[transfer->local] = {dtype, transfer->location, constants(transfer->shape)};
      locals_.push_back(transfer->local);
    });
  }

  Codelet run() {
    unroll(result_.body);
    return std::move(result_);
  }

 private:
  void unroll(std::vector<Operation>& body) {
    for (Operation& operation : body) {
      auto* loop = std::get_if<Loop>(&operation.op);
      if (loop == nullptr) continue;
      unroll(loop->body);
      if (const std::optional<std::map<std::string, Growth>> growth = growth_of(*loop)) grow(*loop, *growth);
    }
  }

  /// The locals of a loop of the right form that grow with its steps; nothing for other loops.
  std::optional<std::map<std::string, Growth>> growth_of(const Loop& loop) const {
    if (loop.lower != Expression(0) || !loop.upper.constant() || !loop.stride.constant()) return std::nullopt;
    std::map<std::string, Growth> growth;
    const Compute* compute = nullptr;
    std::vector<std::string> read;
    std::optional<std::string> written;
    for (const Operation& operation : loop.body) {
      if (const auto* one = std::get_if<Compute>(&operation.op)) {
        if (compute != nullptr) return std::nullopt;
        compute = one;
        continue;
      }
      const auto* transfer = std::get_if<Transfer>(&operation.op);
      if (transfer == nullptr || !std::holds_alternative<Reference>(transfer->source)) return std::nullopt;
      const auto& source = std::get<Reference>(transfer->source);
      if (transfer->destination) {
        if (written) return std::nullopt;
        written = transfer->destination->surrogate;
        if (!grows(loop, *transfer->destination, *transfer, source.surrogate, true, growth)) return std::nullopt;
      } else if (compute == nullptr) {
        read.push_back(source.surrogate);
        if (!follows(source, *transfer, growth) && !grows(loop, source, *transfer, transfer->local, false, growth)) {
          return std::nullopt;
        }
      } else {
        return std::nullopt;  // a result that crosses several memories
      }
    }
    const bool depends = written && std::find(read.begin(), read.end(), *written) != read.end();
    if (compute == nullptr || depends || growth.empty() || !is_plain(*compute)) return std::nullopt;
    // A result that stays is summed over the loop; one that leaves with every step must grow with it.
    if (written && !growth.contains(compute->destination.surrogate)) return std::nullopt;
    for (const auto& [local, how] : growth) {
      if (uses_of(local, result_.body) != uses_of(local, loop.body)) return std::nullopt;
    }
    return growth;
  }

  /// Operations that read or write a local; its allocation is none.
  static size_t uses_of(const std::string& local, const std::vector<Operation>& body) {
    size_t uses = 0;
    for_each_operation(body, [&](const Operation& operation, const std::vector<const Loop*>&) {
      const auto note = [&](const Reference& reference) { uses += reference.surrogate == local ? 1 : 0; };
      if (const auto* transfer = std::get_if<Transfer>(&operation.op)) {
        if (const auto* source = std::get_if<Reference>(&transfer->source)) note(*source);
        if (transfer->destination) note(*transfer->destination);
      } else if (const auto* compute = std::get_if<Compute>(&operation.op)) {
        note(compute->destination);
        for (const auto& operand : compute->operands) {
          if (const auto* reference = std::get_if<Reference>(&operand)) note(*reference);
        }
      }
    });
    return uses;
  }

  /// The compute works on whole locals from their first element.
  bool is_plain(const Compute& compute) const {
    const auto from_zero = [](const Reference& reference) {
      return std::all_of(reference.indices.begin(), reference.indices.end(),
                         [](const Expression& index) { return index == Expression(0); });
    };
    if (!from_zero(compute.destination)) return false;
    return std::all_of(compute.operands.begin(), compute.operands.end(), [&](const auto& operand) {
      const auto* reference = std::get_if<Reference>(&operand);
      return reference == nullptr || from_zero(*reference);
    });
  }

  /// A transfer from a local that grows: the next one on the way grows likewise.
  bool follows(const Reference& source, const Transfer& transfer, std::map<std::string, Growth>& growth) const {
    const auto found = growth.find(source.surrogate);
    if (found == growth.end()) return false;
    growth[transfer.local] = found->second;
    return true;
  }

  /// Notes how the block of `reference` grows with the loop; false if it does in a way that is not one longer block.
  bool grows(const Loop& loop, const Reference& reference, const Transfer& transfer, const std::string& local,
             bool is_store, std::map<std::string, Growth>& growth) const {
    std::optional<Growth> found;
    for (size_t d = 0; d < reference.indices.size(); ++d) {
      if (!reference.indices[d].mentions(loop.variable)) continue;
      const int64_t step = reference.indices[d].coefficient(loop.variable);
      if (found || step <= 0) return false;
      found = {d, step};
    }
    if (!found) return !is_store;
    // A store writes all of its block: it may neither leave gaps nor overlap.
    const int64_t extent = transfer.shape[found->dimension].constant().value();
    if (is_store && found->step * loop.stride.constant().value() != extent) return false;
    growth[local] = *found;
    return true;
  }

  void grow(Loop& loop, const std::map<std::string, Growth>& growth) {
    const int64_t stride = loop.stride.constant().value();
    const int64_t length = loop.upper.constant().value();
    if (length % stride != 0) return;
    const int64_t trips = length / stride;
    int64_t steps = 1;
    for (int64_t candidate = 2; candidate <= trips; ++candidate) {
      if (trips % candidate == 0 && fits(loop, growth, candidate)) steps = candidate;
    }
    if (steps == 1) return;
    for (const auto& [local, how] : growth) tensors_.at(local).shape = shape_after(local, how, stride, steps);
    resize(result_.body, growth);
    const std::string inner = names_.fresh(loop.variable);
    for (Operation& operation : loop.body) {
      auto* compute = std::get_if<Compute>(&operation.op);
      if (compute == nullptr) continue;
      move_along(compute->destination, inner, growth);
      for (auto& operand : compute->operands) {
        if (auto* reference = std::get_if<Reference>(&operand)) move_along(*reference, inner, growth);
      }
      operation.op = Loop{inner, 0, steps * stride, stride, {operation}};
    }
    loop.stride = stride * steps;
  }

  std::vector<int64_t> shape_after(const std::string& local, const Growth& how, int64_t stride, int64_t steps) const {
    std::vector<int64_t> shape = tensors_.at(local).shape;
    shape[how.dimension] += how.step * stride * (steps - 1);
    return shape;
  }

  /// One operation of each edge carries its block, one buffer of each memory holds all locals.
  bool fits(const Loop& loop, const std::map<std::string, Growth>& growth, int64_t steps) const {
    const int64_t stride = loop.stride.constant().value();
    std::map<std::string, uint64_t> used;
    for (const std::string& local : locals_) {
      const auto how = growth.find(local);
      const Tensor& tensor = tensors_.at(local);
      used[tensor.location] +=
          block_bits(tensor.dtype, how == growth.end() ? tensor.shape : shape_after(local, how->second, stride, steps));
    }
    for (const auto& [name, total] : used) {
      if (total > acg::get(machine_, acg::find_memory(machine_, name).value()).buffer_bits()) return false;
    }
    return std::all_of(loop.body.begin(), loop.body.end(), [&](const Operation& operation) {
      const auto* transfer = std::get_if<Transfer>(&operation.op);
      if (transfer == nullptr) return true;
      const std::string& source = std::get<Reference>(transfer->source).surrogate;
      const auto how = growth.find(transfer->destination ? source : transfer->local);
      if (how == growth.end()) return true;
      const std::string& to =
          transfer->destination ? tensors_.at(transfer->destination->surrogate).location : transfer->location;
      const uint32_t bandwidth = bandwidth_between(tensors_.at(source).location, to);
      const std::vector<int64_t> shape = shape_after(how->first, how->second, stride, steps);
      return bandwidth == 0 || block_bits(tensors_.at(source).dtype, shape) <= bandwidth;
    });
  }

  uint32_t bandwidth_between(const std::string& from, const std::string& to) const {
    const auto edge =
        acg::edge_between(machine_, acg::find_memory(machine_, from).value(), acg::find_memory(machine_, to).value());
    check(edge.has_value(), "a transfer goes along an edge");
    return machine_.edges[edge.value()].bandwidth;
  }

  /// Every transfer that makes, fills or empties a local takes its new shape.
  void resize(std::vector<Operation>& body, const std::map<std::string, Growth>& growth) const {
    for_each_operation(body, [&](Operation& operation) {
      auto* transfer = std::get_if<Transfer>(&operation.op);
      if (transfer == nullptr) return;
      const auto* source = std::get_if<Reference>(&transfer->source);
      const std::string& local = transfer->destination && source != nullptr ? source->surrogate : transfer->local;
      if (!growth.contains(local)) return;
      const std::vector<int64_t>& shape = tensors_.at(local).shape;
      transfer->shape.assign(shape.begin(), shape.end());
    });
  }

  void move_along(Reference& reference, const std::string& variable,
                  const std::map<std::string, Growth>& growth) const {
    const auto how = growth.find(reference.surrogate);
    if (how == growth.end()) return;
    reference.indices.resize(tensors_.at(reference.surrogate).shape.size());
    Expression& index = reference.indices[how->second.dimension];
    index = index + Expression::variable(variable) * how->second.step;
  }

  Codelet result_;
  const acg::Machine& machine_;
  Names names_;
  std::map<std::string, Tensor> tensors_;
  std::vector<std::string> locals_;
};

}  // namespace

Result<Codelet> unroll(const Codelet& source, const acg::Machine& machine) { return Unroller(source, machine).run(); }

}  // namespace covenant::compiler
