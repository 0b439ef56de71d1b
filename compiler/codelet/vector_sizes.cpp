#include "compiler/codelet/vector_sizes.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "acg/base/dtype.h"
#include "acg/base/rounding.h"

namespace covenant::compiler::codelet {
namespace {

constexpr uint64_t kMost = uint64_t{1} << 50;  ///< more than any tensor has

/// Bytes of the widest register file that a node writes; 0 if it writes none.
uint64_t register_bytes(const acg::Machine& machine, acg::ComputeId node) {
  uint64_t widest = 0;
  for (const acg::Edge& edge : machine.edges) {
    const auto* to = std::get_if<acg::MemoryId>(&edge.to);
    if (edge.from != acg::NodeId{node} || to == nullptr) continue;
    const acg::Memory& memory = machine.memories[to->value];
    if (memory.kind == acg::MemoryKind::kRegisterFile) widest = std::max(widest, memory.unit_bytes());
  }
  return widest;
}

/// Calls `visit` with the dtype and the number of elements that each capability writes at once; for one that fills
/// several registers, the elements of one register, since registers are stored one by one.
template <typename Visit>
void for_each_vector(const acg::Machine& machine, Visit&& visit) {
  for (uint32_t i = 0; i < machine.computes.size(); ++i) {
    const uint64_t most = register_bytes(machine, {i});
    for (const acg::Capability& capability : machine.computes[i].capabilities) {
      const DType dtype = capability.output.dtype;
      if (capability.output.shape.empty()) continue;
      const uint64_t elements = capability.output.shape.back();
      visit(dtype, most >= bytes(dtype) ? std::min<uint64_t>(elements, most / bytes(dtype)) : elements);
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

uint64_t bytes_at_once(const acg::Machine& machine) {
  uint64_t most = 1;
  for_each_vector(machine, [&](DType written, uint64_t elements) { most = std::max(most, elements * bytes(written)); });
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
