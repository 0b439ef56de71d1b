/// Kernel of softmax: divides the exponentials of each row by their sum, which is added up element by element.
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/softmax_table.h"
#include "compiler/values/kernel.h"
#include "compiler/values/layout.h"
#include "compiler/values/rounding.h"

namespace covenant::compiler::values {
namespace {

/// Start offsets of the rows along an axis, in stored order.
std::vector<uint32_t> begins_of(const srdfg::Value& value, size_t axis) {
  const std::vector<uint64_t> strides = stored_strides(value);
  std::vector<uint32_t> begins{0};
  for (size_t d = 0; d < value.shape.size(); ++d) {
    if (d == axis) continue;
    std::vector<uint32_t> more;
    for (const uint32_t begin : begins) {
      for (uint64_t i = 0; i < value.shape[d]; ++i) more.push_back(static_cast<uint32_t>(begin + i * strides[d]));
    }
    begins = std::move(more);
  }
  return begins;
}

struct Softmax {
  std::vector<uint32_t> begins;
  size_t length;
  size_t step;
  uint8_t sign;              ///< 0x80 for signed elements, which makes them order like unsigned ones
  std::vector<float> table;  ///< exponentials of all differences, modulo their count, a power of two
  float steps_to_one;
  Rounding round;

  void run(const uint8_t* x, uint8_t* y) const {
    for (const uint32_t begin : begins) {
      uint8_t largest = 0;
      for (size_t i = 0; i < length; ++i) {
        largest = std::max(largest, static_cast<uint8_t>(x[begin + i * step] ^ sign));
      }
      const auto exponential = [&](size_t i) {
        return table[((x[begin + i * step] ^ sign) - largest) & (table.size() - 1)];
      };
      float sum = 0;
      for (size_t i = 0; i < length; ++i) sum += exponential(i);
      for (size_t i = 0; i < length; ++i) y[begin + i * step] = round(exponential(i) * steps_to_one / sum);
    }
  }
};

}  // namespace

std::optional<Kernel> softmax_kernel(const Problem& problem) {
  if (problem.node.operation != "softmax") return {};
  if (!has_only(problem.node, {"axis", "lowest", "highest", reference::kFixedPoint})) return {};
  const srdfg::Value& x = problem.input(0);
  const srdfg::Value& y = problem.output();
  if (!is_byte_activation(x) || !is_byte_activation(y)) return {};
  const auto axis = static_cast<size_t>(srdfg::integer_attribute(problem.node, "axis"));
  const reference::Limits limits = reference::limits_of(problem.node, y);
  const float steps = srdfg::steps_to_one(scale_of(y));
  auto made = std::make_shared<Softmax>(
      Softmax{begins_of(x, axis), x.shape[axis], stored_strides(x)[axis], static_cast<uint8_t>(is_signed(x) ? 0x80 : 0),
              srdfg::exponentials(scale_of(x), x.shape[axis], x.dtype, steps), steps, Rounding(limits)});
  return Kernel{0, [=](auto inputs, uint8_t* out, uint8_t*) { made->run(inputs[0], out); }};
}

}  // namespace covenant::compiler::values
