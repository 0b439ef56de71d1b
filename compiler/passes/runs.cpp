#include "compiler/passes/runs.h"

#include <algorithm>

namespace covenant::compiler {

std::optional<TransferRuns> transfer_runs(const std::vector<int64_t>& tensor_shape,
                                          const std::vector<int64_t>& tile_shape, const std::vector<bool>& limited,
                                          uint64_t element_bytes, uint64_t max_run_bytes, size_t max_loops) {
  const size_t rank = tensor_shape.size();
  TransferRuns runs{element_bytes * static_cast<uint64_t>(tile_shape[rank - 1]), {}};
  if (runs.run_bytes > max_run_bytes) return std::nullopt;
  // 1. The run takes in dimensions from the inside as long as everything inside of them is complete.
  size_t d = rank - 1;
  while (d > 0 && tile_shape[d] == tensor_shape[d] && !limited[d - 1] &&
         runs.run_bytes * static_cast<uint64_t>(tile_shape[d - 1]) <= max_run_bytes) {
    --d;
    runs.run_bytes *= static_cast<uint64_t>(tile_shape[d]);
  }
  // 2. What is left becomes loops; neighbours join where one's end is the other's next step.
  std::vector<bool> is_limited;
  int64_t step = 1;  // elements of the innermost loop's dimension that the next dimension steps over
  for (; d-- > 0;) {
    step *= tensor_shape[d + 1];
    if (tile_shape[d] == 1 && !limited[d]) continue;
    const bool joins = !runs.loops.empty() && !limited[d] && !is_limited.back() && runs.loops.back().trips == step;
    if (joins) {
      runs.loops.back().trips *= tile_shape[d];
    } else {
      runs.loops.push_back({d, tile_shape[d]});
      is_limited.push_back(limited[d]);
      step = 1;
    }
  }
  if (runs.loops.size() > max_loops) return std::nullopt;
  for (size_t i = 2; i < is_limited.size(); ++i) {
    if (is_limited[i]) return std::nullopt;
  }
  std::reverse(runs.loops.begin(), runs.loops.end());
  return runs;
}

}  // namespace covenant::compiler
