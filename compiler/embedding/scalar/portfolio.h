/// Strategies of search, the first solution of one, and all solutions.
///
/// Source: Rieber, Acosta and Fröning, "The Programming of Deep Learning Accelerators as a Constraint Satisfaction
/// Problem", section 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/embedding/scalar/problem.h"
#include "compiler/embedding/scalar/search.h"

namespace covenant::compiler::embedding::scalar {

enum class Strategy : uint8_t {
  kNone,            ///< one search in the given order of axes
  kAssets,          ///< A: a portfolio of searches in the orders of Equation 12, in lock step
  kBounds,          ///< B: domains cut to what the instruction needs, Equation 11
  kAssetsAndBounds  ///< AB
};

/// As the paper writes them: "none", "A", "B", "AB".
std::string_view name_of(Strategy strategy);
std::optional<Strategy> strategy_named(std::string_view name);
inline constexpr Strategy kStrategies[] = {Strategy::kNone, Strategy::kAssets, Strategy::kBounds,
                                           Strategy::kAssetsAndBounds};

struct SearchLimits {
  uint64_t most_nodes = uint64_t{1} << 40;  ///< of all searches of a portfolio together
  uint64_t slice = 1;  ///< nodes that each search of a portfolio expands before it is the next one's turn
};

enum class Stop : uint8_t { kSolution, kExhausted, kNodes };

struct ScalarSearch {
  std::optional<Solution> solution;
  Effort effort;      ///< of all searches of a portfolio together; depth: of the deepest
  size_t assets = 1;  ///< searches of the portfolio
  Stop stop = Stop::kExhausted;
  /// True if every embedding was seen, that is, if it is proved that there is none.
  bool is_complete = false;
};

/// The first solution that the strategy comes upon. Precondition: `order` has each axis of the workload once.
ScalarSearch search_scalars(const Problem& problem, Strategy strategy, const AxisOrder& order,
                            const SearchLimits& limits = {});

struct AllSolutions {
  std::vector<Solution> solutions;  ///< sorted, none twice
  Effort effort;
  bool is_complete = true;  ///< false: the limit of nodes was hit
};

/// Every solution.
AllSolutions all_solutions(const Problem& problem, uint64_t most_nodes = SearchLimits{}.most_nodes);

/// The orders of a portfolio (Equation 12): for each choice of spatial axes for the instruction's spatial axes, and of
/// reduction axes for its reduction axes, those that were chosen are the fastest, the spatial ones before the others;
/// all other axes stay as in `order`. Axes of the instruction with one element need none. The number of orders is
/// n_s! / (n_s - k_s)! * n_r! / (n_r - k_r)!.
std::vector<AxisOrder> assets_of(const Workload& workload, const Instruction& instruction, const AxisOrder& order);

}  // namespace covenant::compiler::embedding::scalar
