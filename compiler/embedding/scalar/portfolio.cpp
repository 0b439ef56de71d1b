#include "compiler/embedding/scalar/portfolio.h"

#include <algorithm>
#include <array>
#include <utility>

#include "acg/base/check.h"
#include "compiler/embedding/scalar/verify.h"

namespace covenant::compiler::embedding::scalar {
namespace {

constexpr std::array<std::pair<std::string_view, Strategy>, 4> kNames{{{"none", Strategy::kNone},
                                                                       {"A", Strategy::kAssets},
                                                                       {"B", Strategy::kBounds},
                                                                       {"AB", Strategy::kAssetsAndBounds}}};

bool has_bounds(Strategy strategy) { return strategy == Strategy::kBounds || strategy == Strategy::kAssetsAndBounds; }
bool has_assets(Strategy strategy) { return strategy == Strategy::kAssets || strategy == Strategy::kAssetsAndBounds; }

/// All ordered choices of `count` of these axes, in lexicographic order.
void append_choices(const AxisOrder& axes, size_t count, AxisOrder& chosen, std::vector<AxisOrder>& choices) {
  if (chosen.size() == count) {
    choices.push_back(chosen);
    return;
  }
  for (const size_t axis : axes) {
    if (std::ranges::count(chosen, axis) > 0) continue;
    chosen.push_back(axis);
    append_choices(axes, count, chosen, choices);
    chosen.pop_back();
  }
}

/// Choices of axes of the workload for those of the instruction that have several elements.
std::vector<AxisOrder> choices_of(const Workload& workload, const Instruction& instruction, bool is_reduction) {
  AxisOrder axes;
  for (size_t axis = 0; axis < workload.axes.size(); ++axis) {
    if (workload.axes[axis].is_reduction == is_reduction) axes.push_back(axis);
  }
  const auto needs_one = [&](const InstructionAxis& axis) {
    return axis.size > 1 && axis.is_reduction == is_reduction;
  };
  const auto count = static_cast<size_t>(std::ranges::count_if(instruction.axes, needs_one));
  std::vector<AxisOrder> choices;
  AxisOrder chosen;
  append_choices(axes, std::min(count, axes.size()), chosen, choices);
  return choices;
}

int64_t longest_axis(const Instruction& instruction) {
  int64_t longest = 1;
  for (const InstructionAxis& axis : instruction.axes) longest = std::max(longest, axis.size);
  return longest;
}

void add(const Effort& part, Effort& sum) {
  sum.nodes += part.nodes;
  sum.fails += part.fails;
  sum.depth = std::max(sum.depth, part.depth);
}

/// Searches that take turns. The first one that ends, ends all: each of them sees every solution.
ScalarSearch run_in_turns(std::vector<Search> searches, const Problem& problem, const SearchLimits& limits) {
  check(limits.slice > 0, "a slice without nodes");
  ScalarSearch result;
  result.assets = searches.size();
  uint64_t left = limits.most_nodes;
  SearchState state = SearchState::kOpen;
  for (size_t turn = 0; state == SearchState::kOpen && left > 0; turn = (turn + 1) % searches.size()) {
    Search& search = searches[turn];
    const uint64_t before = search.effort().nodes;
    state = search.run(std::min(left, searches.size() == 1 ? left : limits.slice));
    left -= search.effort().nodes - before;
    if (state == SearchState::kSolution) result.solution = search.solution();
  }
  for (const Search& search : searches) add(search.effort(), result.effort);
  if (result.solution) verify(problem, *result.solution);
  result.stop = result.solution ? Stop::kSolution : state == SearchState::kExhausted ? Stop::kExhausted : Stop::kNodes;
  return result;
}

}  // namespace

std::string_view name_of(Strategy strategy) {
  return std::ranges::find(kNames, strategy, &decltype(kNames)::value_type::second)->first;
}

std::optional<Strategy> strategy_named(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &decltype(kNames)::value_type::first);
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

ScalarSearch search_scalars(const Problem& problem, Strategy strategy, const AxisOrder& order,
                            const SearchLimits& limits) {
  const Problem cut = has_bounds(strategy) ? bounded(problem, longest_axis(problem.instruction)) : problem;
  std::vector<Search> searches;
  if (has_assets(strategy)) {
    for (AxisOrder& one : assets_of(problem.workload, problem.instruction, order)) {
      searches.emplace_back(cut, std::move(one));
    }
  } else {
    searches.emplace_back(cut, order);
  }
  ScalarSearch result = run_in_turns(std::move(searches), cut, limits);
  const bool is_whole =
      cut.instances == problem.instances && cut.output == problem.output && cut.inputs == problem.inputs;
  result.is_complete = result.stop == Stop::kExhausted && is_whole;
  return result;
}

AllSolutions all_solutions(const Problem& problem, uint64_t most_nodes) {
  AllSolutions all;
  Search search(problem, plain_order(problem.workload));
  SearchState state = SearchState::kSolution;
  while (state == SearchState::kSolution) {
    state = search.run(most_nodes - search.effort().nodes);
    if (state != SearchState::kSolution) break;
    all.solutions.push_back(search.solution());
    verify(problem, all.solutions.back());
  }
  all.effort = search.effort();
  all.is_complete = state == SearchState::kExhausted;
  std::ranges::sort(all.solutions);
  const auto twice = std::ranges::unique(all.solutions);
  all.solutions.erase(twice.begin(), twice.end());
  return all;
}

std::vector<AxisOrder> assets_of(const Workload& workload, const Instruction& instruction, const AxisOrder& order) {
  std::vector<AxisOrder> assets;
  for (const AxisOrder& spatial : choices_of(workload, instruction, false)) {
    for (const AxisOrder& reductions : choices_of(workload, instruction, true)) {
      AxisOrder fast = reductions;
      fast.insert(fast.end(), spatial.begin(), spatial.end());
      AxisOrder& asset = assets.emplace_back();
      std::ranges::copy_if(order, std::back_inserter(asset),
                           [&](size_t axis) { return std::ranges::count(fast, axis) == 0; });
      asset.insert(asset.end(), fast.begin(), fast.end());
    }
  }
  return assets;
}

}  // namespace covenant::compiler::embedding::scalar
