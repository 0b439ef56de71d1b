#include "compiler/passes/strip_mine.h"

#include <map>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/names.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Expression;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::SurrogateKind;

/// Generates the code of one part of a layer.
class StripMiner {
 public:
  StripMiner(const Codelet& source, const acg::Machine& machine, const Part& part, Names& names, Codelet& result)
      : source_(source), machine_(machine), problem_(part.problem), part_(part), names_(names), result_(result) {
    tilings_.push_back(part.tiling);
    tilings_.insert(tilings_.end(), part.inner.begin(), part.inner.end());
  }

  void run() {
    place_locals();
    for (size_t i = 0; i < problem_.loops.size(); ++i) name_loops(i);
    for (Operation& operation : shared_block(0)) result_.body.push_back(std::move(operation));
  }

 private:
  /// Gives each result that stays on chip a local of this part, in the memory chosen by the problem.
  void place_locals() {
    for (const TileBuffer& buffer : problem_.buffers) {
      if (buffer.role != TileRole::kIntermediate) continue;
      Surrogate local = *find_surrogate(source_, buffer.reference.surrogate);
      local.location = acg::get(machine_, buffer.memories.front()).name;
      local.name = locals_[local.name] = names_.fresh(local.name);
      result_.surrogates.push_back(std::move(local));
    }
  }

  int64_t step(size_t loop) const {
    if (!part_.together || part_.together->loop != loop) return 1;
    int64_t sum = 0;
    for (const NodeShare& share : part_.together->shares) sum += share.iterations;
    return sum;
  }

  /// Iterations within one tile of this level; for level 0, all.
  int64_t size(size_t loop, size_t level) const {
    return level == 0 ? problem_.loops[loop].trips : tilings_[level - 1][loop];
  }
  bool is_split(size_t loop, size_t level) const { return size(loop, level) < size(loop, level - 1); }
  /// A loop that nodes share is kept even if it has one iteration.
  bool turns_within(size_t loop) const {
    return (part_.together && part_.together->loop == loop) || size(loop, tilings_.size()) > 1;
  }

  /// Names the loops that one loop is split into; their sum replaces its variable in every index.
  void name_loops(size_t loop) {
    const TileLoop& range = problem_.loops[loop];
    std::vector<std::string> variables(tilings_.size() + 1);
    Expression sum = is_split(loop, 1) ? Expression(0) : Expression(range.first);
    bool is_first = true;
    for (size_t level = 1; level <= tilings_.size() + 1; ++level) {
      const bool is_there = level <= tilings_.size() ? is_split(loop, level) : turns_within(loop);
      if (level > 1 && level <= tilings_.size()) {
        check(size(loop, level - 1) % size(loop, level) == 0, "a tile is not a whole number of smaller ones");
      }
      if (!is_there) continue;
      variables[level - 1] = is_first ? range.variable : names_.fresh(range.variable);
      sum = sum + Expression::variable(variables[level - 1]);
      is_first = false;
    }
    check(size(loop, tilings_.size()) % step(loop) == 0, "a tile is not a whole number of steps");
    variables_.push_back(std::move(variables));
    indices_.push_back(std::move(sum));
  }

  Operation tile_loop(size_t loop, size_t level, std::vector<Operation> body) const {
    const TileLoop& range = problem_.loops[loop];
    const int64_t first = level == 1 ? range.first : 0;
    return {Loop{variables_[loop][level - 1], first, first + size(loop, level - 1), size(loop, level), std::move(body),
                 static_cast<uint32_t>(level)},
            {}};
  }

  /// Shared tile loops from `loop` on, around all nests.
  std::vector<Operation> shared_block(size_t loop) {
    while (loop < problem_.shared && !is_split(loop, 1)) ++loop;
    std::vector<Operation> block;
    if (loop < problem_.shared) {
      block.push_back(tile_loop(loop, 1, shared_block(loop + 1)));
    } else {
      for (const TileNest& nest : problem_.nests) {
        for (Operation& operation : nest_of(nest)) block.push_back(std::move(operation));
      }
    }
    return block;
  }

  /// One compute in its own tile loops, the loops of further levels, and those within tiles.
  std::vector<Operation> nest_of(const TileNest& nest) const {
    std::vector<size_t> loops;
    for (size_t loop = 0; loop < problem_.shared; ++loop) loops.push_back(loop);
    loops.insert(loops.end(), nest.loops.begin(), nest.loops.end());
    std::vector<Operation> body = computes(nest, loops);
    for (size_t i = loops.size(); i-- > 0;) {
      const size_t loop = loops[i];
      if (!turns_within(loop)) continue;
      Loop within{variables_[loop].back(), 0, size(loop, tilings_.size()), step(loop), std::move(body)};
      body = {Operation{std::move(within), {}}};
    }
    for (size_t level = tilings_.size(); level > 0; --level) {
      const std::vector<size_t>& around = level == 1 ? nest.loops : loops;
      for (size_t i = around.size(); i-- > 0;) {
        if (is_split(around[i], level)) body = {tile_loop(around[i], level, std::move(body))};
      }
    }
    return body;
  }

  /// The compute of a nest, once for each node that shares its iterations.
  std::vector<Operation> computes(const TileNest& nest, const std::vector<size_t>& loops) const {
    std::vector<Operation> result;
    if (!part_.together) return {{indexed(nest.compute, loops, 0), nest.where}};
    int64_t offset = 0;
    for (const NodeShare& share : part_.together->shares) {
      Compute compute = indexed(nest.compute, loops, offset);
      compute.location = share.node;
      result.push_back({std::move(compute), nest.where});
      offset += share.iterations;
    }
    return result;
  }

  Compute indexed(Compute compute, const std::vector<size_t>& loops, int64_t offset) const {
    index(compute.destination, loops, offset);
    for (auto& operand : compute.operands) {
      if (auto* reference = std::get_if<Reference>(&operand)) index(*reference, loops, offset);
    }
    return compute;
  }

  void index(Reference& reference, const std::vector<size_t>& loops, int64_t offset) const {
    const auto local = locals_.find(reference.surrogate);
    if (local != locals_.end()) reference.surrogate = local->second;
    for (const size_t loop : loops) {
      const bool is_shared = part_.together && part_.together->loop == loop;
      const Expression by = indices_[loop] + Expression(is_shared ? offset : 0);
      for (Expression& one : reference.indices) one = one.substitute(problem_.loops[loop].variable, by);
    }
  }

  const Codelet& source_;
  const acg::Machine& machine_;
  const TileProblem& problem_;
  const Part& part_;
  Names& names_;
  Codelet& result_;
  std::vector<Tiling> tilings_;                      ///< by level, from 1
  std::map<std::string, std::string> locals_;        ///< declared local -> local of this part
  std::vector<std::vector<std::string>> variables_;  ///< per loop: its variable at each level, then within tiles
  std::vector<Expression> indices_;                  ///< per loop: the expression that replaces its variable
};

}  // namespace

Codelet strip_mine(const Codelet& source, const acg::Machine& machine, const std::vector<Part>& parts) {
  Codelet result = source;
  result.body.clear();
  std::erase_if(result.surrogates, [](const Surrogate& one) { return one.kind == SurrogateKind::kLocal; });
  Names names(source);
  for (const Part& part : parts) StripMiner(source, machine, part, names, result).run();
  return result;
}

}  // namespace covenant::compiler
