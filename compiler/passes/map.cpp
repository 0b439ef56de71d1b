#include "compiler/passes/map.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <set>

#include "acg/base/failure.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/block.h"
#include "compiler/codelet/capability.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/names.h"
#include "compiler/codelet/nodes.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/roles.h"
#include "compiler/codelet/vector_rows.h"
#include "compiler/codelet/vector_sizes.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::diagnose;
using codelet::Expression;
using codelet::Loop;
using codelet::OperandType;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::SurrogateKind;

constexpr int64_t kMostCommon = int64_t{1} << 40;  ///< more than any tensor has in one dimension

class Mapper {
 public:
  Mapper(const Codelet& source, const acg::Machine& machine) : mapped_(source), machine_(machine), names_(source) {}

  Codelet run() {
    for_each_operation(mapped_.body, [&](Operation& operation) {
      if (auto* compute = std::get_if<Compute>(&operation.op)) choose(*compute, operation.where);
    });
    divide_rows();
    choose_chunks(mapped_.body);
    pad();
    size_t number = 0;
    split(mapped_.body, number);
    rewrite_loops(mapped_.body);
    return std::move(mapped_);
  }

 private:
  [[noreturn]] void cannot_vectorise(const SourceLocation& where, const std::string& message,
                                     const std::string& what) const {
    throw Failure{diagnose("CDL0041", where, mapped_.name, message, what, {},
                           "index the last dimensions by plain loop variables, in nothing but these dimensions")};
  }

  [[noreturn]] void cannot_broadcast(const Compute& compute, const Reference& reference, int64_t elements,
                                     const SourceLocation& where) const {
    throw Failure{diagnose("CDL0040", where, mapped_.name,
                           fmt::format("{} of {} takes one element of this operand for {} of its result",
                                       compute.capability, compute.location, elements),
                           print(reference), {},
                           fmt::format("add a capability of {} to a node of the machine that takes {} elements here",
                                       compute.capability, elements))};
  }

  /// Chooses the node with the largest granularity that takes the operands by their roles, preferably in the codelet's
  /// order. If none does, the first one that takes their dtypes, so that its loops give the diagnostic.
  void choose(Compute& compute, const SourceLocation& where) {
    const acg::Capability* by_dtypes = nullptr;
    for (const std::vector<size_t>& order : codelet::operand_orders(compute)) {
      Compute ordered = compute;
      for (size_t i = 0; i < order.size(); ++i) ordered.operands[i] = compute.operands[order[i]];
      const std::vector<OperandType> types = codelet::operand_types(mapped_, ordered);
      const DType output = codelet::dtype_of(mapped_, compute.destination);
      for (const acg::ComputeId id : codelet::nodes_for(mapped_, machine_, compute.capability, output, types)) {
        const acg::Compute& node = acg::get(machine_, id);
        const acg::Capability& capability = *codelet::find_capability(node, compute.capability, output, types);
        ordered.location = node.name;
        const auto turns = codelet::turned_operands(capability, ordered, [&](const std::string& name) {
          // A codelet that implements an operator of the model reads activations only, whose layout is fixed.
          return mapped_.implements.empty() && find_surrogate(mapped_, name)->kind == SurrogateKind::kInp;
        });
        if (turns) {
          turn(ordered, capability, *turns, where);
          compute = ordered;
          return vectorise(compute, capability, where);
        }
        if (by_dtypes == nullptr && std::ranges::is_sorted(order)) {
          by_dtypes = &capability;
          compute.location = node.name;
        }
      }
    }
    if (by_dtypes == nullptr) cannot_map(compute, where);
    vectorise(compute, *by_dtypes, where);
  }

  [[noreturn]] void cannot_map(const Compute& compute, const SourceLocation& where) const {
    std::vector<std::string_view> names;
    for (const OperandType& type : codelet::operand_types(mapped_, compute)) names.push_back(name(type.dtype));
    const std::string wanted = fmt::format("{}={}({})", name(codelet::dtype_of(mapped_, compute.destination)),
                                           compute.capability, fmt::join(names, ","));
    const std::set<std::string> allowed = codelet::offers(machine_, compute.capability);
    throw Failure{diagnose("CDL0040", where, mapped_.name, "no compute node of '" + machine_.name + "' can do this",
                           wanted, {allowed.begin(), allowed.end()},
                           "add the capability to a node of the machine, or use other dtypes")};
  }

  /// Exchanges the last two dimensions of the operands in `turns`: a matrix is packed in that order, a vector is read
  /// across its tensor.
  void turn(Compute& compute, const acg::Capability& capability, const std::vector<bool>& turns,
            const SourceLocation& where) {
    for (size_t i = 0; i < turns.size(); ++i) {
      auto* reference = std::get_if<Reference>(&compute.operands[i]);
      if (reference == nullptr) continue;
      const auto [known, is_new] = turned_.emplace(reference->surrogate, turns[i]);
      if (known->second != turns[i]) {
        throw Failure{diagnose("CDL0042", where, mapped_.name, "a constant is read in two ways", reference->surrogate,
                               {}, "give each use a tensor of its own")};
      }
      if (!turns[i]) continue;
      *reference = codelet::turned(*reference);
      if (is_new) turn(*find_surrogate(mapped_, reference->surrogate), capability.inputs[i].shape.size() > 1);
    }
  }

  static void turn(Surrogate& surrogate, bool packs) {
    const size_t rank = surrogate.shape.size();
    if (packs && surrogate.strides.empty()) {
      surrogate.logical_shape = constants(surrogate.shape);
      for (size_t d = 0; d < rank; ++d) surrogate.packing.push_back(Expression::variable(fmt::format("p{}", d)));
      std::swap(surrogate.packing[rank - 1], surrogate.packing[rank - 2]);
    } else {
      const std::vector<int64_t> strides = element_strides(surrogate);
      surrogate.strides.assign(strides.begin(), strides.end());
      std::swap(surrogate.strides[rank - 1], surrogate.strides[rank - 2]);
    }
    std::swap(surrogate.shape[rank - 1], surrogate.shape[rank - 2]);
  }

  void vectorise(Compute& compute, const acg::Capability& capability, const SourceLocation& where) {
    const codelet::VectorRows found = codelet::vector_rows(mapped_, machine_, compute, capability, where);
    if (found.rows > 1) codelet::set_rows(compute, found.rows, found.steps);
    own_chunks_.emplace_back();
    leaves_rest_.push_back(stays_in_registers(compute));
    row_variables_.push_back(found.variable);
    vectorise(compute, compute.destination, block_of(compute, std::nullopt, capability), where);
    for (size_t i = 0; i < compute.operands.size(); ++i) {
      const auto* reference = std::get_if<Reference>(&compute.operands[i]);
      if (reference != nullptr) vectorise(compute, *reference, block_of(compute, i, capability), where);
    }
  }

  /// True if the result is a local that the node holds in registers. Registers hold something even where nothing was
  /// written.
  bool stays_in_registers(const Compute& compute) const {
    const bool is_local = find_surrogate(mapped_, compute.destination.surrogate)->kind == SurrogateKind::kLocal;
    const std::optional<acg::ComputeId> node = acg::find_compute(machine_, compute.location);
    return is_local && node && acg::register_file(machine_, acg::get(machine_, *node));
  }

  /// Makes the loops that index the last dimensions of `reference` step by the block's extents and rows (their chunks).
  void vectorise(const Compute& compute, const Reference& reference, const codelet::Block& block,
                 const SourceLocation& where) {
    const size_t rank = reference.indices.size();
    if (rank < block.extents.size()) {
      cannot_vectorise(where, "fewer indices than the capability's operand has dimensions", print(reference));
    }
    const size_t leading = rank - block.extents.size();
    for (size_t d = 0; d < block.extents.size(); ++d) {
      const Expression& index = reference.indices[leading + d];
      if (const std::string variable = codelet::variable_of(index); !variable.empty()) {
        take(compute, reference, variable, block.extents[d], where);
      } else if (block.extents[d] != 1) {
        cannot_vectorise(where, "this index is not a plain loop variable", print(reference));
      }
    }
    std::vector<int64_t> shape = block.extents;
    if (block.rows > 1 && block.step > 0) {
      take(compute, reference, row_variables_.back(), block.rows, where);
      shape.insert(shape.begin(), block.rows);
    }
    uses_.push_back({reference, shape, own_chunks_.size() - 1, where});
  }

  /// Records that the compute takes `extent` elements of a loop at once.
  void take(const Compute& compute, const Reference& reference, const std::string& variable, int64_t extent,
            const SourceLocation& where) {
    const auto [own, is_new] = own_chunks_.back().emplace(variable, extent);
    if (!is_new && own->second > 1 && extent == 1) cannot_broadcast(compute, reference, own->second, where);
    if (!is_new && own->second != extent) {
      cannot_vectorise(where, "operands of one compute take different numbers of elements of this loop at once",
                       variable);
    }
    chunks_.emplace(variable, 1);
  }

  /// A compute that works on single rows within a loop over rows is repeated for each row.
  void divide_rows() {
    for (const Use& use : uses_) {
      for (const std::string& variable : row_variables_) {
        if (!variable.empty() && use.reference.mentions(variable)) own_chunks_[use.compute].emplace(variable, 1);
      }
    }
  }

  /// Computes that share a loop use the least common multiple of what they take at once as its chunk. A loop shorter
  /// than that has one chunk, in which each compute runs as many pieces as it needs: those that write results of the
  /// codelet up to their end, the others as far as these read, or as far as their own results are needed.
  void choose_chunks(const std::vector<Operation>& body) {
    for (const Operation& operation : body) {
      const auto* loop = std::get_if<Loop>(&operation.op);
      if (loop == nullptr) continue;
      choose_chunks(loop->body);
      const auto chunk = chunks_.find(loop->variable);
      if (chunk == chunks_.end()) continue;
      int64_t common = 1;
      for (const auto& extents : own_chunks_) {
        const auto own = extents.find(loop->variable);
        if (own == extents.end()) continue;
        if (common > kMostCommon / own->second) {
          cannot_vectorise(operation.where,
                           "computes of this loop work on numbers of elements with too large a multiple",
                           loop->variable);
        }
        common = std::lcm(common, own->second);
      }
      chunk->second = common;
      const std::optional<int64_t> trips = loop->upper.constant();
      if (trips && *trips <= common) chunk->second = choose_pieces(loop->variable, *trips);
    }
  }

  /// For a loop of one chunk: chooses the pieces of each compute. Returns the span of the chunk.
  int64_t choose_pieces(const std::string& variable, int64_t trips) {
    int64_t written = trips;
    for (const Use& use : uses_) {
      if (!is_result(use, variable)) continue;
      const int64_t extent = own_chunks_[use.compute].at(variable);
      pieces_[{use.compute, variable}] = ceil_divide(trips, extent);
      written = std::max(written, round_up(trips, extent));
    }
    int64_t span = 1;
    for (size_t i = 0; i < own_chunks_.size(); ++i) {
      const auto own = own_chunks_[i].find(variable);
      if (own == own_chunks_[i].end()) continue;
      const int64_t needed = leaves_rest_[i] ? trips : written;
      const auto [pieces, is_new] = pieces_.emplace(std::pair{i, variable}, ceil_divide(needed, own->second));
      span = std::max(span, pieces->second * own->second);
    }
    return span;
  }

  /// One reference of a compute, with the shape that it reads or writes at once.
  struct Use {
    Reference reference;
    std::vector<int64_t> shape;
    size_t compute = 0;  ///< index of the compute, in order
    SourceLocation where;
  };

  /// True if the compute writes a tensor of the codelet whose last dimension `variable` indexes.
  bool is_result(const Use& use, const std::string& variable) const {
    const Surrogate* surrogate = find_surrogate(mapped_, use.reference.surrogate);
    return surrogate->kind == SurrogateKind::kOut && !use.shape.empty() &&
           use.reference.indices.back().mentions(variable);
  }

  /// Number of times that a compute runs within one chunk of a loop.
  int64_t pieces(size_t compute, const std::string& variable) const {
    const auto chosen = pieces_.find({compute, variable});
    return chosen != pieces_.end() ? chosen->second : chunks_.at(variable) / own_chunks_[compute].at(variable);
  }

  void pad() {
    for (const Use& use : uses_) {
      const size_t leading = use.reference.indices.size() - use.shape.size();
      for (size_t d = 0; d < leading; ++d) {
        for (const auto& [variable, chunk] : chunks_) {
          const auto own = own_chunks_[use.compute].find(variable);
          const bool is_piece = own != own_chunks_[use.compute].end() && own->second == 1;
          if (chunk > 1 && !is_piece && use.reference.indices[d].mentions(variable)) {
            cannot_vectorise(use.where, "a vectorised loop indexes another dimension too", print(use.reference));
          }
        }
      }
      if (use.shape.size() == 1) pad_vector(use);
    }
    for (const Use& use : uses_) cover(use);
  }

  void pad_last(Surrogate& surrogate, int64_t padded) {
    if (!surrogate.strides.empty()) return;  // a view of memory as it is: a vector may read past its end
    const std::vector<int64_t> shape = constants(surrogate.shape);
    if (padded == shape.back()) return;
    if (surrogate.kind != SurrogateKind::kLocal && surrogate.logical_shape.empty()) surrogate.logical_shape = shape;
    surrogate.shape.back() = padded;
  }

  /// If a loop runs over the padded end of a result, its other operands are padded as far.
  void cover(const Use& use) {
    const Expression& index = use.reference.indices.back();
    if (use.shape.empty() || index.terms().empty()) return;
    const std::string& variable = index.terms()[0].names[0];
    const auto trips = trips_.find(variable);
    const bool is_one_chunk = pieces_.contains({use.compute, variable});
    if (trips == trips_.end() && !is_one_chunk) return;
    Surrogate& surrogate = *find_surrogate(mapped_, use.reference.surrogate);
    const int64_t last = constants(surrogate.shape).back();
    const int64_t extent = use.shape.back();
    const int64_t needed = is_one_chunk ? pieces(use.compute, variable) * extent : trips->second * chunks_.at(variable);
    if (round_up(last, extent) < needed) pad_last(surrogate, needed);
  }

  /// A compute that takes fewer elements at once than others in its loop runs over them in a loop of its own.
  void split(std::vector<Operation>& body, size_t& number) {
    for (Operation& operation : body) {
      if (auto* loop = std::get_if<Loop>(&operation.op)) split(loop->body, number);
      if (!std::holds_alternative<Compute>(operation.op)) continue;
      const size_t compute = number++;
      for (const auto& chunk : own_chunks_.at(compute)) {
        const std::string& variable = chunk.first;
        const int64_t count = pieces(compute, variable);
        if (count == 1) continue;
        const std::string piece = names_.fresh(variable);
        std::vector<Operation> inner{operation};
        // The loop's variable is multiplied by the chunk afterwards, together with all other uses.
        const Expression by = Expression::variable(variable) + Expression::variable(piece) * chunk.second;
        for_each_expression(inner, [&](Expression& index) { index = index.substitute(variable, by); });
        operation.op = Loop{piece, 0, count, 1, std::move(inner)};
      }
    }
  }

  void pad_vector(const Use& use) {
    Surrogate& surrogate = *find_surrogate(mapped_, use.reference.surrogate);
    const int64_t at_once = use.shape[0];
    const int64_t last = constants(surrogate.shape).back();
    const DType dtype = surrogate.dtype.value();
    const bool is_alone = surrogate.kind == SurrogateKind::kLocal || !codelet::is_written(machine_, dtype);
    const auto padded = is_alone
                            ? round_up(last, at_once)
                            : static_cast<int64_t>(codelet::padded_size(machine_, dtype, static_cast<uint64_t>(last)));
    if (surrogate.kind == SurrogateKind::kOut) {
      const Expression& index = use.reference.indices.back();
      const auto chunk = index.terms().empty() ? chunks_.end() : chunks_.find(index.terms()[0].names[0]);
      const bool is_one_chunk = chunk != chunks_.end() && pieces_.contains({use.compute, chunk->first});
      if (!is_one_chunk && padded % (chunk == chunks_.end() ? at_once : chunk->second) != 0) {
        cannot_vectorise(use.where, "the padded size is no multiple of what the node writes at once", surrogate.name);
      }
      if (chunk != chunks_.end() && !is_one_chunk) trips_[chunk->first] = padded / chunk->second;
    }
    pad_last(surrogate, padded);
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
      loop->upper = trips != trips_.end() ? trips->second : ceil_divide(loop->upper.constant().value(), chunk->second);
      const Expression by = Expression::variable(loop->variable) * chunk->second;
      for_each_expression(loop->body, [&](Expression& index) { index = index.substitute(loop->variable, by); });
    }
  }

  Codelet mapped_;
  const acg::Machine& machine_;
  std::map<std::string, int64_t> chunks_;  ///< by loop variable: elements that all computes take in one iteration
  std::vector<std::map<std::string, int64_t>> own_chunks_;    ///< the same for each compute, in order
  std::map<std::pair<size_t, std::string>, int64_t> pieces_;  ///< number of pieces of a compute, for loops of one chunk
  std::vector<bool> leaves_rest_;           ///< by compute: elements that lie only in padding need not be computed
  std::vector<std::string> row_variables_;  ///< by compute: variable of the loop over the rows of its vectors, or empty
  std::map<std::string, int64_t> trips_;    ///< trips of loops over a padded dimension of an `out`
  std::map<std::string, bool> turned_;      ///< by tensor that a compute reads: its last two dimensions are exchanged
  std::vector<Use> uses_;
  Names names_;
};

}  // namespace

Result<Codelet> map(const Codelet& source, const acg::Machine& machine) {
  return guarded<Codelet>([&] { return Mapper(source, machine).run(); });
}

}  // namespace covenant::compiler
