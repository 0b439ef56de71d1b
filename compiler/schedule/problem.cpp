#include "compiler/schedule/problem.h"

#include <algorithm>
#include <map>

#include "acg/base/failure.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "acg/operations/resumption.h"
#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/block.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/local_layout.h"
#include "compiler/codelet/operand_paths.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/schedule/chain.h"
#include "compiler/schedule/no_memory.h"
#include "compiler/schedule/overlaps.h"

namespace covenant::compiler {
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

/// How a node resumes a reduction. A node whose unit has no operation of its own for it accumulates in memory. A sum of
/// f32 depends on the order of its parts, so it is never split.
acg::Resumes resumes(const acg::Compute& node, const Compute& compute, DType result) {
  if (result == DType::kF32) return acg::Resumes::kNever;
  if (const std::optional<acg::Resumes> known = acg::resumes(node.unit, compute.capability)) return *known;
  return codelet::accumulates(compute.capability) ? acg::Resumes::kFreely : acg::Resumes::kNever;
}

class Builder {
 public:
  Builder(const Codelet& source, const acg::Machine& machine, size_t choice, SplitReductions reductions)
      : source_(source), machine_(machine), choice_(choice), reductions_(reductions), paths_(machine) {}

  TileProblem build() {
    problem_.name = source_.name;
    const Chain outer = chain_of(source_.body);
    const auto* single = outer.body->size() == 1 ? std::get_if<Compute>(&outer.body->front().op) : nullptr;
    std::vector<const Loop*> own;
    for (const Loop* loop : outer.loops) {
      if (single != nullptr && !single->destination.mentions(loop->variable)) {
        own.push_back(loop);  // a reduction around one compute: its order does not matter
      } else {
        add_loop(*loop, true);
      }
    }
    problem_.shared = problem_.loops.size();
    for (const Operation& operation : *outer.body) add_nest(operation, own);
    for (TileNest& nest : problem_.nests) place(nest);
    return std::move(problem_);
  }

 private:
  [[noreturn]] void not_tileable(const SourceLocation& where, const std::string& message,
                                 const std::string& what) const {
    throw Failure{diagnose("CDL0050", where, source_.name, message, what, {},
                           "write the codelet as loops around nests of one compute each, with affine indices")};
  }

  size_t add_loop(const Loop& loop, bool splittable) {
    const std::optional<int64_t> trips = loop.upper.constant();
    if (!trips || *trips < 1 || loop.lower != Expression(0) || loop.stride != Expression(1)) {
      not_tileable({}, "a loop must run from 0 by 1 to a number", loop.variable);
    }
    problem_.loops.push_back({loop.variable, *trips, splittable});
    return problem_.loops.size() - 1;
  }

  void add_nest(const Operation& operation, const std::vector<const Loop*>& own) {
    TileNest nest;
    nest.where = operation.where;
    std::vector<const Loop*> loops = own;
    const Operation* innermost = &operation;
    if (const auto* loop = std::get_if<Loop>(&operation.op)) {
      const Chain chain = chain_of(loop->body);
      loops.push_back(loop);
      loops.insert(loops.end(), chain.loops.begin(), chain.loops.end());
      if (chain.body->size() != 1)
        not_tileable(operation.where, "a nest holds more than one operation", loop->variable);
      innermost = &chain.body->front();
    }
    const auto* compute = std::get_if<Compute>(&innermost->op);
    if (compute == nullptr) not_tileable(innermost->where, "an operation is no compute", "transfer");
    nest.compute = *compute;
    // A loop that indexes the result may only write pieces of what other nodes take at once: one tile holds them all.
    const bool is_resumed = can_resume(nest);
    const bool is_product = nest.compute.operands.size() > 1;
    for (const Loop* loop : loops) {
      nest.loops.push_back(add_loop(*loop, is_resumed && !compute->destination.mentions(loop->variable)));
      // Elements past the end of a window may lie inside of its tensor: only in a product are they multiplied by the
      // fill of another operand.
      if (!is_product) problem_.loops.back().may_overhang = false;
    }
    for (size_t i = 0; i < problem_.shared; ++i) {
      const std::string& variable = problem_.loops[i].variable;
      if (!compute->destination.mentions(variable)) {
        not_tileable(nest.where, "a loop around several computes does not index all of their results", variable);
      }
    }
    problem_.nests.push_back(std::move(nest));
  }

  /// True if the reduction of `nest` may be split over tiles.
  bool can_resume(const TileNest& nest) const {
    const acg::Resumes how = resumes(acg::get(machine_, node_of(nest)), nest.compute,
                                     capability_of(source_, machine_, nest.compute).output.dtype);
    return how == acg::Resumes::kFreely || (how == acg::Resumes::kAtACost && reductions_ == SplitReductions::kAll);
  }

  void place(TileNest& nest) {
    const acg::Capability& capability = capability_of(source_, machine_, nest.compute);
    for (size_t i = 0; i < nest.compute.operands.size(); ++i) {
      const auto* reference = std::get_if<Reference>(&nest.compute.operands[i]);
      nest.operands.push_back(reference == nullptr ? kNone : operand(nest, *reference, i, capability));
    }
    nest.destination = destination(nest, capability);
  }

  const Surrogate& surrogate(const TileNest& nest, const Reference& reference) const {
    const Surrogate* found = find_surrogate(source_, reference.surrogate);
    if (found == nullptr) not_tileable(nest.where, "tiles of tiles cannot be made", reference.surrogate);
    return *found;
  }

  size_t operand(const TileNest& nest, const Reference& reference, size_t position, const acg::Capability& capability) {
    const Surrogate& tensor = surrogate(nest, reference);
    if (tensor.kind == SurrogateKind::kLocal) {
      const auto found = intermediates_.find(tensor.name);
      if (found == intermediates_.end()) not_tileable(nest.where, "a local is read before it is written", tensor.name);
      if (!covers(problem_.buffers[found->second], nest, reference,
                  codelet::block_of(nest.compute, position, capability))) {
        not_tileable(nest.where, "a local is read at other indices than it is written", print(reference));
      }
      return found->second;
    }
    if (tensor.kind != SurrogateKind::kInp) not_tileable(nest.where, "an output is read", tensor.name);
    TileBuffer buffer = buffer_of(nest, reference, position, capability);
    buffer.home = home_of(tensor);
    buffer.memories = paths_.to_node(tensor.name, buffer.home, node_of(nest), position, vector_bytes(buffer)).memories;
    require_path(nest, buffer, position);
    return add(std::move(buffer));
  }

  /// True if the reader's tiles begin where the writer's do and end no later, whatever each takes at once. In registers
  /// the end of a vector may be padding that was never written.
  bool covers(const TileBuffer& written, const TileNest& nest, const Reference& reference,
              const codelet::Block& block) const {
    if (written.reference == reference) return true;
    const size_t rank = reference.indices.size();
    if (written.extents.size() != rank || block.extents.size() > rank) return false;
    const std::vector<int64_t> touched = codelet::touched_by(block, rank);
    const bool is_in_registers = !written.memories.empty() &&
                                 acg::get(machine_, written.memories.front()).kind == acg::MemoryKind::kRegisterFile;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t base = touched[d];
      const Extent read = with_whole_loops(extent_of(nest, reference.indices[d], base));
      const Extent made = with_whole_loops(written.extents[d]);
      const bool is_padded = is_in_registers && d + 1 == rank && read.base == base;
      if ((read.base > made.base && !is_padded) || read.factors != made.factors ||
          reference.indices[d].offset() != written.reference.indices[d].offset()) {
        return false;
      }
    }
    return true;
  }

  /// The extent with loops of one tile made part of the base.
  Extent with_whole_loops(const Extent& extent) const {
    Extent result{extent.base, {}};
    for (const auto& [loop, factor] : extent.factors) {
      if (problem_.loops[loop].splittable) {
        result.factors.emplace_back(loop, factor);
      } else {
        result.base += factor * (problem_.loops[loop].trips - 1);
      }
    }
    return result;
  }

  size_t destination(const TileNest& nest, const acg::Capability& capability) {
    const Reference& reference = nest.compute.destination;
    const Surrogate& tensor = surrogate(nest, reference);
    if (written_[tensor.name]++ > 0) not_tileable(nest.where, "a tensor is written by two computes", tensor.name);
    TileBuffer buffer = buffer_of(nest, reference, std::nullopt, capability);
    if (tensor.kind == SurrogateKind::kLocal) {
      buffer.role = TileRole::kIntermediate;
      buffer.memories = intermediate_memory(nest, reference, vector_bytes(buffer));
      buffer.row_alignment = codelet::row_alignment(vectors_of(nest, tensor));
    } else if (tensor.kind == SurrogateKind::kOut) {
      buffer.home = home_of(tensor);
      buffer.memories = paths_.from_node(tensor.name, buffer.home, node_of(nest), vector_bytes(buffer)).memories;
    } else {
      not_tileable(nest.where, "an input is written", tensor.name);
    }
    require_path(nest, buffer, std::nullopt);
    const size_t added = add(std::move(buffer));
    if (tensor.kind == SurrogateKind::kLocal) intermediates_[tensor.name] = added;
    return added;
  }

  /// Bytes that the writer of a local and its readers take at once.
  std::vector<uint64_t> vectors_of(const TileNest& writer, const Surrogate& local) const {
    std::vector<uint64_t> sizes;
    const auto add = [&](const acg::CapabilityOperand& operand) {
      sizes.push_back(packed_bytes(local.dtype.value(), codelet::elements_of(operand.shape)));
    };
    add(capability_of(source_, machine_, writer.compute).output);
    for_each_reader(local.name, [&](const TileNest& reader, size_t operand) {
      add(capability_of(source_, machine_, reader.compute).inputs[operand]);
    });
    return sizes;
  }

  /// Calls `visit` with each nest that reads a tensor, and the position of the operand.
  template <typename Visit>
  void for_each_reader(const std::string& tensor, Visit&& visit) const {
    for (const TileNest& reader : problem_.nests) {
      for (size_t i = 0; i < reader.compute.operands.size(); ++i) {
        const auto* operand = std::get_if<Reference>(&reader.compute.operands[i]);
        if (operand != nullptr && operand->surrogate == tensor) visit(reader, i);
      }
    }
  }

  /// Memories that the writer can write and every reader can read.
  std::vector<acg::MemoryId> intermediate_memory(const TileNest& writer, const Reference& reference,
                                                 uint64_t bytes_at_once) const {
    std::vector<acg::MemoryId> memories = output_memories(machine_, node_of(writer), bytes_at_once);
    for_each_reader(reference.surrogate, [&](const TileNest& reader, size_t operand) {
      const std::vector<acg::MemoryId> readable = input_memories(machine_, node_of(reader), operand, bytes_at_once);
      std::erase_if(memories, [&](acg::MemoryId memory) {
        return std::find(readable.begin(), readable.end(), memory) == readable.end();
      });
    });
    if (memories.empty()) return {};
    const size_t from_end = std::min(choice_, memories.size() - 1);
    return {memories[memories.size() - 1 - from_end]};
  }

  acg::ComputeId node_of(const TileNest& nest) const {
    const auto node = acg::find_compute(machine_, nest.compute.location);
    check(node.has_value(), "a compute is not mapped");
    return node.value();
  }

  static uint64_t vector_bytes(const TileBuffer& buffer) {
    return packed_bytes(buffer.dtype, codelet::elements_of(buffer.vector_shape));
  }

  /// The memory that `place` has chosen.
  acg::MemoryId home_of(const Surrogate& tensor) const {
    const std::optional<acg::MemoryId> memory = acg::find_memory(machine_, tensor.location);
    check(memory.has_value(), "a tensor is not placed");
    return memory.value();
  }

  /// `position`: that of the operand; nothing for the result.
  void require_path(const TileNest& nest, const TileBuffer& buffer, std::optional<size_t> position) const {
    if (!buffer.memories.empty()) return;
    const uint64_t size = vector_bytes(buffer);
    const std::vector<acg::MemoryId> near = position ? input_memories(machine_, node_of(nest), *position, size)
                                                     : output_memories(machine_, node_of(nest), size);
    const bool has_room = buffer.role != TileRole::kIntermediate && !near.empty();
    const std::string& tensor = buffer.reference.surrogate;
    Diagnostic missing = has_room ? no_way(machine_, {buffer.home}, node_of(nest), position, near, tensor)
                                  : no_memory(machine_, node_of(nest), position, nest.compute.capability, tensor, size);
    missing.where = nest.where;
    missing.subject = source_.name;
    throw Failure{std::move(missing)};
  }

  size_t add(TileBuffer buffer) {
    problem_.buffers.push_back(std::move(buffer));
    return problem_.buffers.size() - 1;
  }

  /// `position`: that of the operand; nothing for the result.
  TileBuffer buffer_of(const TileNest& nest, const Reference& reference, std::optional<size_t> position,
                       const acg::Capability& capability) {
    const Surrogate& tensor = surrogate(nest, reference);
    const codelet::Block block = codelet::block_of(nest.compute, position, capability);
    TileBuffer buffer;
    buffer.role = position ? TileRole::kLoad : TileRole::kStore;
    buffer.reference = reference;
    buffer.dtype = tensor.dtype.value();
    buffer.vector_shape = position ? capability.inputs[*position].shape : capability.output.shape;
    buffer.tensor_shape = constants(tensor.shape);
    buffer.tensor_strides = element_strides(tensor);
    const size_t rank = buffer.tensor_shape.size();
    if (reference.indices.size() != rank) not_tileable(nest.where, "a reference lacks indices", print(reference));
    const std::vector<int64_t> touched = codelet::touched_by(block, rank);
    // Vectors that reach past a view's last element are cut off when they are stored, which only a whole tile can do.
    const bool is_cut_short = !position && !tensor.strides.empty() && !block.extents.empty() &&
                              buffer.tensor_shape.back() % block.extents.back() != 0;
    for (size_t d = 0; d < rank; ++d) {
      buffer.extents.push_back(extent_of(nest, reference.indices[d], touched[d]));
      const int64_t first = reference.indices[d].offset();
      if (d + 1 == rank && first < 0) not_tileable(nest.where, "the last dimension begins before 0", print(reference));
      buffer.first.push_back(first);
      for (const auto& [loop, factor] : buffer.extents[d].factors) {
        buffer.loops.push_back(loop);
        if (d + 1 < rank) continue;
        problem_.loops[loop].may_overhang = false;
        if (is_cut_short) problem_.loops[loop].splittable = false;
      }
    }
    if (buffer.role == TileRole::kStore && !tensor.strides.empty() && !tensor.logical_shape.empty()) {
      keep_order(nest, buffer);
    }
    std::sort(buffer.loops.begin(), buffer.loops.end());
    buffer.loops.erase(std::unique(buffer.loops.begin(), buffer.loops.end()), buffer.loops.end());
    return buffer;
  }

  /// For a view whose rows are written past their ends: keeps the order of its rows.
  void keep_order(const TileNest& nest, const TileBuffer& buffer) {
    std::vector<size_t> loops;
    for (const size_t d : written_in_order(buffer.tensor_shape, buffer.tensor_strides)) {
      for (const auto& [loop, factor] : buffer.extents[d].factors) {
        if (problem_.loops[loop].trips > 1) loops.push_back(loop);
      }
    }
    if (!std::ranges::is_sorted(loops)) {
      not_tileable(nest.where, "rows that are written over one another are not in ascending order",
                   print(buffer.reference));
    }
    // The rows of a tile, those of the innermost loop, are stored in order.
    for (const size_t loop : loops) {
      problem_.loops[loop].in_order = true;
      problem_.loops[loop].is_one_by_one = loop != loops.back();
    }
  }

  Extent extent_of(const TileNest& nest, const Expression& index, int64_t base) const {
    Extent extent{base, {}};
    for (const codelet::Term& term : index.terms()) {
      if (term.names.empty()) continue;
      const std::optional<size_t> loop = term.names.size() == 1 ? find_loop(nest, term.names[0]) : std::nullopt;
      if (!loop || term.coefficient < 0) {
        not_tileable(nest.where, "an index is not affine in the loops around it with positive factors", index.print());
      }
      extent.factors.emplace_back(*loop, term.coefficient);
    }
    return extent;
  }

  std::optional<size_t> find_loop(const TileNest& nest, const std::string& variable) const {
    for (size_t i = 0; i < problem_.shared; ++i) {
      if (problem_.loops[i].variable == variable) return i;
    }
    for (const size_t i : nest.loops) {
      if (problem_.loops[i].variable == variable) return i;
    }
    return std::nullopt;
  }

  const Codelet& source_;
  const acg::Machine& machine_;
  size_t choice_;
  SplitReductions reductions_;
  OperandPaths paths_;
  TileProblem problem_;
  std::map<std::string, size_t> intermediates_;  ///< index of the buffer of each local
  std::map<std::string, int> written_;
};

}  // namespace

Result<TileProblem> tile_problem(const Codelet& source, const acg::Machine& machine, size_t choice,
                                 SplitReductions reductions) {
  return guarded<TileProblem>([&] { return Builder(source, machine, choice, reductions).build(); });
}

}  // namespace covenant::compiler
