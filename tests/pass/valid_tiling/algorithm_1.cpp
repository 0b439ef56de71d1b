#include "tests/pass/valid_tiling/algorithm_1.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/local_layout.h"
#include "compiler/codelet/paths.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler::testing {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::diagnose;
using codelet::Expression;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::SurrogateKind;

std::vector<const Compute*> computes_of(const Codelet& codelet) {
  std::vector<const Compute*> result;
  for_each_operation(codelet.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
    if (const auto* compute = std::get_if<Compute>(&operation.op)) result.push_back(compute);
  });
  return result;
}

class Builder {
 public:
  Builder(const Codelet& source, const Codelet& mapped, const acg::Machine& machine)
      : source_(source), mapped_(mapped), machine_(machine), located_(computes_of(mapped)) {
    check(computes_of(source).size() == located_.size(), "both codelets have the same computes");
  }

  TilingSpace build() {
    size_t number = 0;
    for_each_operation(source_.body, [&](const Operation& operation, const std::vector<const Loop*>& around) {
      if (const auto* loop = std::get_if<Loop>(&operation.op)) add_loop(*loop, operation.where);
      const auto* compute = std::get_if<Compute>(&operation.op);
      if (compute == nullptr) return;
      where_ = operation.where;
      around_ = around;
      add_compute(*compute, *located_.at(number++));
    });
    return std::move(space_);
  }

 private:
  [[noreturn]] void not_tileable(const SourceLocation& where, const std::string& message,
                                 const std::string& what) const {
    throw Failure{diagnose("CDL0050", where, source_.name, message, what, {},
                           "write loops from 0 by 1 to a number, and indices with positive factors")};
  }

  void add_loop(const Loop& loop, const SourceLocation& where) {
    const std::optional<int64_t> trips = loop.upper.constant();
    if (!trips || *trips < 1 || loop.lower != Expression(0) || loop.stride != Expression(1)) {
      not_tileable(where, "a loop must run from 0 by 1 to a number", loop.variable);
    }
    numbers_[&loop] = space_.loops.size();
    space_.loops.push_back({loop.variable, *trips, true});
  }

  void add_compute(const Compute& compute, const Compute& located) {
    const acg::ComputeId node = acg::find_compute(machine_, located.location).value();
    const acg::Capability& capability = capability_of(mapped_, machine_, located);
    const bool in_chunks = !compute.location.empty();
    for (size_t i = 0; i < compute.operands.size(); ++i) {
      const auto* reference = std::get_if<Reference>(&compute.operands[i]);
      if (reference == nullptr) continue;
      const acg::CapabilityOperand& shape = capability.inputs[i];
      if (surrogate(*reference).kind == SurrogateKind::kLocal) continue;  // lies where its writer puts it
      const acg::MemoryId from = home(*reference);
      const OperandPath path = found([&](uint64_t at_once) { return path_to_node(machine_, from, node, i, at_once); },
                                     vector_bytes(*reference, shape));
      require_path(path.is_there, *reference, node);
      add_way(from, path.memories, *reference,
              extents_of(*reference, in_chunks ? shape.shape : std::vector<uint64_t>{}));
    }
    add_result(compute.destination, node, capability.output, in_chunks);
  }

  void add_result(const Reference& reference, acg::ComputeId node, const acg::CapabilityOperand& shape,
                  bool in_chunks) {
    const std::vector<Extent> extents = extents_of(reference, in_chunks ? shape.shape : std::vector<uint64_t>{});
    if (surrogate(reference).kind == SurrogateKind::kLocal) {
      const std::optional<acg::MemoryId> memory = meeting_place(reference, node, vector_bytes(reference, shape));
      require_path(memory.has_value(), reference, node);
      add({reference.surrogate, dtype(reference), std::nullopt, memory.value(), true, extents}, reference);
      return;
    }
    const acg::MemoryId to = home(reference);
    const OperandPath way = found([&](uint64_t at_once) { return path_from_node(machine_, node, to, at_once); },
                                  vector_bytes(reference, shape));
    require_path(way.is_there, reference, node);
    const std::vector<acg::MemoryId>& path = way.memories;
    if (path.empty()) return;
    add({reference.surrogate, dtype(reference), std::nullopt, path.front(), true, extents}, reference);
    for (size_t hop = 1; hop < path.size(); ++hop) {
      add({reference.surrogate, dtype(reference), path[hop - 1], path[hop], true, extents}, reference);
    }
    add({reference.surrogate, dtype(reference), path.back(), to, false, extents}, reference);
  }

  /// The paper knows no units of memories: where no memory is addressed by whole vectors, any will do.
  template <typename Find>
  static OperandPath found(Find find, uint64_t vector_bytes) {
    const OperandPath path = find(vector_bytes);
    return path.is_there ? path : find(0);
  }

  void add_way(acg::MemoryId from, const std::vector<acg::MemoryId>& path, const Reference& reference,
               const std::vector<Extent>& extents) {
    for (const acg::MemoryId memory : path) {
      add({reference.surrogate, dtype(reference), from, memory, true, extents}, reference);
      from = memory;
    }
  }

  /// A tile that several computes read is moved once.
  void add(TiledTransfer transfer, const Reference& reference) {
    const std::string source = transfer.source ? acg::get(machine_, *transfer.source).name : "";
    const std::string key = print(reference) + source + ">" + acg::get(machine_, transfer.destination).name;
    if (known_.insert(key).second) space_.transfers.push_back(std::move(transfer));
  }

  /// The last memory that the writer of a local writes and all of its readers read.
  std::optional<acg::MemoryId> meeting_place(const Reference& local, acg::ComputeId writer,
                                             uint64_t bytes_at_once) const {
    std::vector<acg::MemoryId> memories = output_memories(machine_, writer, bytes_at_once);
    for (const Compute* reader : located_) {
      const acg::ComputeId node = acg::find_compute(machine_, reader->location).value();
      for (size_t i = 0; i < reader->operands.size(); ++i) {
        const auto* operand = std::get_if<Reference>(&reader->operands[i]);
        if (operand == nullptr || operand->surrogate != local.surrogate) continue;
        const std::vector<acg::MemoryId> readable = input_memories(machine_, node, i, bytes_at_once);
        std::erase_if(memories, [&](acg::MemoryId memory) {
          return std::find(readable.begin(), readable.end(), memory) == readable.end();
        });
      }
    }
    if (memories.empty()) return std::nullopt;
    return memories.back();
  }

  const Surrogate& surrogate(const Reference& reference) const {
    const Surrogate* found = find_surrogate(source_, reference.surrogate);
    if (found == nullptr) not_tileable(where_, "tiles of tiles cannot be made", reference.surrogate);
    return *found;
  }
  DType dtype(const Reference& reference) const { return surrogate(reference).dtype.value(); }

  acg::MemoryId home(const Reference& reference) const {
    const std::string& location = surrogate(reference).location;
    return location.empty() ? acg::outermost_memory(machine_) : acg::find_memory(machine_, location).value();
  }

  uint64_t vector_bytes(const Reference& reference, const acg::CapabilityOperand& operand) const {
    uint64_t product = bytes(dtype(reference));
    for (const uint64_t extent : operand.shape) product *= extent;
    return product;
  }

  void require_path(bool is_there, const Reference& reference, acg::ComputeId node) const {
    if (is_there) return;
    throw Failure{
        diagnose("CDL0052", where_, source_.name,
                 "'" + machine_.name + "' has no memory between this tensor and " + acg::get(machine_, node).name,
                 reference.surrogate, {}, "add edges through a memory next to the node")};
  }

  std::vector<Extent> extents_of(const Reference& reference, const std::vector<uint64_t>& vector_shape) const {
    std::vector<Extent> extents;
    const size_t leading = reference.indices.size() - vector_shape.size();
    for (size_t d = 0; d < reference.indices.size(); ++d) {
      Extent extent{d < leading ? 1 : static_cast<int64_t>(vector_shape[d - leading]), {}};
      for (const codelet::Term& term : reference.indices[d].terms()) {
        if (term.names.empty()) continue;
        if (term.names.size() != 1 || term.coefficient < 0) {
          not_tileable(where_, "an index is not affine with positive factors", reference.indices[d].print());
        }
        extent.factors.emplace_back(number_of(term.names[0]), term.coefficient);
      }
      extents.push_back(std::move(extent));
    }
    return extents;
  }

  size_t number_of(const std::string& variable) const {
    const auto loop =
        std::find_if(around_.begin(), around_.end(), [&](const Loop* one) { return one->variable == variable; });
    check(loop != around_.end(), "an index names a loop around it: verify first");
    return numbers_.at(*loop);
  }

  const Codelet& source_;
  const Codelet& mapped_;
  const acg::Machine& machine_;
  std::vector<const Compute*> located_;
  TilingSpace space_;
  std::map<const Loop*, size_t> numbers_;  ///< looked up only
  std::vector<const Loop*> around_;
  std::set<std::string> known_;
  SourceLocation where_;
};

std::vector<int64_t> factors(int64_t trips) {
  std::vector<int64_t> result;
  for (int64_t factor = trips; factor >= 1; --factor) {
    if (trips % factor == 0) result.push_back(factor);
  }
  return result;
}

/// Calls `visit` with every combination of factors.
void for_each_tiling(const TilingSpace& space, const std::function<void(const Tiling&)>& visit) {
  std::vector<std::vector<int64_t>> choices;
  for (const TileLoop& loop : space.loops) choices.push_back(factors(loop.trips));
  Tiling tiling(space.loops.size(), 1);
  const std::function<void(size_t)> descend = [&](size_t loop) {
    if (loop == choices.size()) return visit(tiling);
    for (const int64_t factor : choices[loop]) {
      tiling[loop] = factor;
      descend(loop + 1);
    }
  };
  descend(0);
}

uint64_t tile_bits(const TiledTransfer& transfer, const Tiling& tiling) {
  uint64_t product = bits(transfer.dtype);
  for (const Extent& extent : transfer.extents) product *= static_cast<uint64_t>(extent.evaluate(tiling));
  return product;
}

/// Bits that one address selects in all banks of a memory.
uint64_t addressable_bits(const acg::Memory& memory) {
  return (memory.granularity == 0 ? memory.data_width : memory.granularity) * memory.banks;
}

bool is_valid(const TilingSpace& space, const acg::Machine& machine, const Tiling& tiling) {
  std::vector<uint64_t> storage(machine.memories.size());
  for (const TiledTransfer& transfer : space.transfers) {
    const uint64_t moved = tile_bits(transfer, tiling);
    const acg::Memory& to = acg::get(machine, transfer.destination);
    if (transfer.source && moved % addressable_bits(acg::get(machine, *transfer.source)) != 0) return false;
    if (moved % addressable_bits(to) != 0) return false;
    if (!transfer.allocates) continue;
    storage[transfer.destination.value] += moved;
    if (storage[transfer.destination.value] > to.buffer_bits()) return false;
  }
  return true;
}

/// The product of the factors of the loops that the transfer's offsets name: p_t of the paper.
uint64_t printed_bits(const TiledTransfer& transfer, const Tiling& tiling) {
  std::set<size_t> loops;
  for (const Extent& extent : transfer.extents) {
    for (const auto& [loop, factor] : extent.factors) loops.insert(loop);
  }
  uint64_t product = bits(transfer.dtype);
  for (const size_t loop : loops) product *= static_cast<uint64_t>(tiling[loop]);
  return product;
}

}  // namespace

Result<TilingSpace> tiling_space(const Codelet& source, const Codelet& mapped, const acg::Machine& machine) {
  return guarded<TilingSpace>([&] { return Builder(source, mapped, machine).build(); });
}

std::vector<Tiling> valid_tiling(const TilingSpace& space, const acg::Machine& machine) {
  std::vector<Tiling> valid;
  for_each_tiling(space, [&](const Tiling& tiling) {
    if (is_valid(space, machine, tiling)) valid.push_back(tiling);
  });
  return valid;
}

std::vector<Tiling> valid_tiling_as_printed(const TilingSpace& space, const acg::Machine& machine) {
  std::vector<Tiling> valid;
  for_each_tiling(space, [&](const Tiling& tiling) {
    std::vector<uint64_t> storage(machine.memories.size());
    for (const TiledTransfer& transfer : space.transfers) {
      const uint64_t moved = printed_bits(transfer, tiling);
      uint64_t& stored = storage[transfer.destination.value];
      stored += moved;
      const bool is_aligned = !transfer.source || moved % acg::get(machine, *transfer.source).data_width == 0;
      if (!is_aligned || stored > acg::capacity_bytes(acg::get(machine, transfer.destination)) * 8) break;
      valid.push_back(tiling);
    }
  });
  return valid;
}

}  // namespace covenant::compiler::testing
