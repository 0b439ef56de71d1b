#include "compiler/codelet/block.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>

#include "acg/base/check.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler::codelet {
namespace {

constexpr const char* kRowsAttribute = "rows";

std::string step_name(size_t operand) { return fmt::format("step{}", operand); }

int64_t attribute(const Compute& compute, const std::string& name) {
  const auto found = compute.attributes.find(name);
  return found == compute.attributes.end() ? 1 : std::max<int64_t>(0, found->second.constant().value_or(0));
}

}  // namespace

int64_t Block::row_elements() const {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

bool has_rows_side_by_side(const Surrogate& surrogate) {
  if (surrogate.shape.size() < 2) return false;
  if (surrogate.kind == SurrogateKind::kLocal) return true;
  if (surrogate.strides.empty()) return false;  // a dense tensor will be padded
  const std::vector<int64_t> strides = element_strides(surrogate);
  return strides.back() == 1 && Expression(strides[strides.size() - 2]) == surrogate.shape.back();
}

int64_t rows_of(const Compute& compute) { return attribute(compute, kRowsAttribute); }

int64_t step_of(const Compute& compute, size_t operand) { return attribute(compute, step_name(operand)); }

Block block_of(const Compute& compute, std::optional<size_t> operand, const acg::Capability& capability) {
  const std::vector<uint64_t>& shape = operand ? capability.inputs.at(*operand).shape : capability.output.shape;
  Block block{{shape.begin(), shape.end()}};
  if (shape.size() != 1 || shape != capability.output.shape) return block;
  block.rows = rows_of(compute);
  check(block.rows > 0 && block.extents[0] % block.rows == 0, "a vector has whole rows");
  block.extents[0] /= block.rows;
  if (operand) block.step = step_of(compute, *operand);
  return block;
}

std::vector<int64_t> touched_by(const Block& block, size_t rank) {
  check(block.extents.size() <= rank, "a block has more dimensions than its tensor");
  std::vector<int64_t> touched(rank - block.extents.size(), 1);
  touched.insert(touched.end(), block.extents.begin(), block.extents.end());
  if (block.reach() > 1) touched.at(rank - 2) = block.reach();
  return touched;
}

void set_rows(Compute& compute, int64_t rows, const std::vector<int64_t>& steps) {
  compute.attributes[kRowsAttribute] = rows;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] != 1) compute.attributes[step_name(i)] = steps[i];
  }
}

}  // namespace covenant::compiler::codelet
