#include "compiler/passes/tile.h"

#include <set>

#include "acg/graph/queries.h"
#include "compiler/schedule/splits.h"
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
using codelet::SurrogateKind;
using codelet::Transfer;

/// What the parts of a codelet have in common.
struct Names {
  std::set<std::string> used;
  std::vector<std::vector<std::string>> locals;  ///< per buffer, one for each memory on its way
};

/// Writes down one part of the tiled codelet: a problem and its tiling. Buffers that are `kept` use the locals of the
/// part before.
class Emitter {
 public:
  Emitter(const acg::Machine& machine, const Part& part, const std::vector<bool>& kept, Names& names)
      : machine_(machine), problem_(part.problem), tiling_(part.tiling), kept_(kept), names_(names) {}

  std::vector<Operation> emit() {
    for (const TileLoop& loop : problem_.loops) names_.used.insert(loop.variable);
    names_.locals.resize(problem_.buffers.size());
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      if (kept_[i]) continue;
      const TileBuffer& buffer = problem_.buffers[i];
      names_.locals[i].clear();
      for (size_t hop = 0; hop < buffer.memories.size(); ++hop)
        names_.locals[i].push_back(fresh(buffer.reference.surrogate));
    }
    for (size_t i = 0; i < problem_.loops.size(); ++i) {
      inner_.push_back(is_split(i) ? fresh(problem_.loops[i].variable) : problem_.loops[i].variable);
    }
    return shared_block(0, 0);
  }

 private:
  bool is_split(size_t loop) const { return tiling_[loop] < problem_.loops[loop].trips; }

  /// `name` with the first number behind it that makes it new.
  std::string fresh(const std::string& name) {
    for (int i = 1;; ++i) {
      std::string candidate = name + std::to_string(i);
      if (names_.used.insert(candidate).second) return candidate;
    }
  }

  Loop tile_loop(size_t loop, std::vector<Operation> body) const {
    const TileLoop& range = problem_.loops[loop];
    return {range.variable, range.first, range.first + range.trips, tiling_[loop], std::move(body)};
  }

  /// What stands inside of `level` tile loops, from shared loop `loop` on.
  std::vector<Operation> shared_block(size_t loop, size_t level) {
    std::vector<Operation> block;
    while (loop < problem_.shared && !is_split(loop)) ++loop;
    allocations(level, block);
    for (const TileNest& nest : problem_.nests) loads(nest, level, block);
    if (loop < problem_.shared) {
      std::vector<Operation> body = shared_block(loop + 1, level + 1);
      block.push_back({tile_loop(loop, std::move(body)), {}});
    } else {
      for (const TileNest& nest : problem_.nests) nest_block(nest, 0, level, level, block);
    }
    stores(level, block);
    return block;
  }

  /// One nest inside of its own tile loops: its reduction over several tiles.
  void nest_block(const TileNest& nest, size_t own, size_t level, size_t shared_level, std::vector<Operation>& block) {
    while (own < nest.loops.size() && !is_split(nest.loops[own])) ++own;
    if (level > shared_level) loads(nest, level, block);
    if (own == nest.loops.size()) {
      block.push_back(compute_nest(nest));
      return;
    }
    std::vector<Operation> body;
    nest_block(nest, own + 1, level + 1, shared_level, body);
    block.push_back({tile_loop(nest.loops[own], std::move(body)), {}});
  }

  void allocations(size_t level, std::vector<Operation>& block) const {
    for (const TileNest& nest : problem_.nests) {
      const TileBuffer& buffer = problem_.buffers[nest.destination];
      if (tile_loops_around(problem_, tiling_, buffer, nest) != level) continue;
      Transfer transfer;
      transfer.source = Constant{buffer.dtype, 0, 0};
      make_local(nest.destination, 0, transfer);
      block.push_back({transfer, nest.where});
    }
  }

  void make_local(size_t buffer, size_t hop, Transfer& transfer) const {
    const TileBuffer& info = problem_.buffers[buffer];
    transfer.local = names_.locals[buffer][hop];
    transfer.location = acg::get(machine_, info.memories[hop]).name;
    for (const int64_t extent : info.shape(tiling_)) transfer.shape.emplace_back(extent);
  }

  void loads(const TileNest& nest, size_t level, std::vector<Operation>& block) const {
    for (const size_t operand : nest.operands) {
      if (operand == kNone || problem_.buffers[operand].role != TileRole::kLoad || kept_[operand]) continue;
      const TileBuffer& buffer = problem_.buffers[operand];
      if (tile_loops_around(problem_, tiling_, buffer, nest) != level) continue;
      for (size_t hop = 0; hop < buffer.memories.size(); ++hop) {
        Transfer transfer;
        transfer.source = hop == 0 ? origin(buffer, nest) : Reference{names_.locals[operand][hop - 1], {}};
        make_local(operand, hop, transfer);
        block.push_back({transfer, nest.where});
      }
    }
  }

  void stores(size_t level, std::vector<Operation>& block) const {
    for (const TileNest& nest : problem_.nests) {
      const TileBuffer& buffer = problem_.buffers[nest.destination];
      if (buffer.role != TileRole::kStore || tile_loops_around(problem_, tiling_, buffer, nest) != level) continue;
      const std::vector<std::string>& locals = names_.locals[nest.destination];
      for (size_t hop = 1; hop < locals.size(); ++hop) {
        Transfer transfer;
        transfer.source = Reference{locals[hop - 1], {}};
        make_local(nest.destination, hop, transfer);
        block.push_back({transfer, nest.where});
      }
      Transfer transfer;
      transfer.source = Reference{locals.back(), {}};
      transfer.destination = origin(buffer, nest);
      for (const int64_t extent : buffer.shape(tiling_)) transfer.shape.emplace_back(extent);
      block.push_back({transfer, nest.where});
    }
  }

  /// The tile's first element: loops that one tile holds whole stand at their first iteration.
  Reference origin(const TileBuffer& buffer, const TileNest& nest) const {
    Reference result = buffer.reference;
    for_loops_of(nest, [&](size_t loop) {
      if (is_split(loop)) return;
      for (Expression& index : result.indices)
        index = index.substitute(problem_.loops[loop].variable, problem_.loops[loop].first);
    });
    return result;
  }

  /// The element inside of the tile.
  Reference inner(size_t buffer, size_t hop, const TileNest& nest, const Reference& whole) const {
    Reference result{names_.locals[buffer][hop], whole.indices};
    for (Expression& index : result.indices) index = index - index.offset();
    for_loops_of(nest, [&](size_t loop) {
      const Expression by = tiling_[loop] == 1 ? Expression(0) : Expression::variable(inner_[loop]);
      for (Expression& index : result.indices) index = index.substitute(problem_.loops[loop].variable, by);
    });
    return result;
  }

  template <typename Visit>
  void for_loops_of(const TileNest& nest, Visit visit) const {
    for (size_t loop = 0; loop < problem_.shared; ++loop) visit(loop);
    for (const size_t loop : nest.loops) visit(loop);
  }

  Operation compute_nest(const TileNest& nest) const {
    Compute compute = nest.compute;
    compute.destination = inner(nest.destination, 0, nest, nest.compute.destination);
    for (size_t i = 0; i < compute.operands.size(); ++i) {
      if (nest.operands[i] == kNone) continue;
      compute.operands[i] = inner(nest.operands[i], names_.locals[nest.operands[i]].size() - 1, nest,
                                  std::get<Reference>(nest.compute.operands[i]));
    }
    std::vector<size_t> loops;
    for_loops_of(nest, [&](size_t loop) {
      if (tiling_[loop] > 1) loops.push_back(loop);
    });
    Operation operation{compute, nest.where};
    for (size_t i = loops.size(); i-- > 0;) {
      operation = {Loop{inner_[loops[i]], 0, tiling_[loops[i]], 1, {operation}}, {}};
    }
    return operation;
  }

  const acg::Machine& machine_;
  const TileProblem& problem_;
  const Tiling& tiling_;
  const std::vector<bool>& kept_;  ///< per buffer
  Names& names_;
  std::vector<std::string> inner_;  ///< per loop
};

}  // namespace

Codelet tile_as(const Codelet& source, const acg::Machine& machine, const ScheduleSearch& search) {
  const Schedule& best = search.simulated.front();
  Codelet tiled;
  tiled.name = source.name;
  Names names;
  for (const Surrogate& surrogate : source.surrogates) {
    names.used.insert(surrogate.name);
    if (surrogate.kind != SurrogateKind::kLocal) tiled.surrogates.push_back(surrogate);
  }
  std::vector<bool> kept(search.problem.buffers.size());
  for (const Part& part : parts_of(search.problem, best)) {
    for (Operation& operation : Emitter(machine, part, kept, names).emit()) tiled.body.push_back(std::move(operation));
    if (best.split) kept = kept_buffers(search.problem, best);
  }
  return tiled;
}

}  // namespace covenant::compiler
