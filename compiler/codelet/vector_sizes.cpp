#include "compiler/codelet/vector_sizes.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "acg/base/rounding.h"

namespace covenant::compiler::codelet {
namespace {

constexpr uint64_t kMost = uint64_t{1} << 50;  ///< more than any tensor has

/// Calls `visit` with the dtype and the elements that each capability writes at once.
template <typename Visit>
void for_each_vector(const acg::Machine& machine, Visit&& visit) {
  for (const acg::Compute& node : machine.computes) {
    for (const acg::Capability& capability : node.capabilities) {
      if (!capability.output.shape.empty()) visit(capability.output.dtype, capability.output.shape.back());
    }
  }
}

}  // namespace

uint64_t elements_of(const std::vector<uint64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<>());
}

uint64_t written_at_once(const acg::Machine& machine, DType dtype) {
  uint64_t most = 1;
  for_each_vector(machine, [&](DType written, uint64_t elements) {
    if (written == dtype) most = std::max(most, elements);
  });
  return most;
}

bool is_written(const acg::Machine& machine, DType dtype) {
  bool is_found = false;
  for_each_vector(machine, [&](DType written, uint64_t) { is_found = is_found || written == dtype; });
  return is_found;
}

uint64_t padded_size(const acg::Machine& machine, DType dtype, uint64_t size) {
  uint64_t common = 1;
  uint64_t padded = size;
  for_each_vector(machine, [&](DType written, uint64_t elements) {
    common = common > kMost / elements ? kMost : std::lcm(common, elements);
    if (written == dtype) padded = std::max(padded, round_up(size, elements));
  });
  return size <= common ? padded : round_up(size, common);
}

uint64_t row_alignment(const std::vector<uint64_t>& vector_bytes) {
  uint64_t common = 1;
  uint64_t largest = 1;
  for (const uint64_t size : vector_bytes) {
    common = std::lcm(common, size);
    largest = std::max(largest, size);
  }
  return common == largest ? 1 : common;
}

}  // namespace covenant::compiler::codelet
