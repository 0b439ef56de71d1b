#include "compiler/embedding/scalar/effort.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "acg/base/check.h"
#include "acg/graph/capability.h"

namespace covenant::compiler::embedding::scalar {
namespace {

constexpr std::string_view kSpatial = "NCHW";    // letters of the first axes
constexpr std::string_view kReductions = "CHW";  // letters of the others

AffineIndex sum_of(std::initializer_list<size_t> axes) {
  AffineIndex index{0, std::vector<int64_t>(kSpatial.size() + kReductions.size(), 0)};
  for (const size_t axis : axes) index.coefficients[axis] = 1;
  return index;
}

Access access(std::string tensor, DType dtype, std::vector<AffineIndex> indices) {
  Access access;
  access.tensor = std::move(tensor);
  access.dtype = dtype;
  access.indices = std::move(indices);
  return access;
}

}  // namespace

Workload convolution(int64_t channels, int64_t pixels, int64_t taps) {
  enum : size_t { kN, kOc, kOh, kOw, kIc, kKh, kKw };
  Workload workload;
  workload.compute = "GEMM";
  workload.axes = {{"n", 1, false},        {"oc", channels, false}, {"oh", pixels, false}, {"ow", pixels, false},
                   {"ic", channels, true}, {"kh", taps, true},      {"kw", taps, true}};
  Access x = access("x", DType::kI8, {sum_of({kN}), sum_of({kIc}), sum_of({kOh, kKh}), sum_of({kOw, kKw})});
  x.shape = {1, channels, pixels + taps - 1, pixels + taps - 1};
  Access w = access("w", DType::kI8, {sum_of({kOc}), sum_of({kIc}), sum_of({kKh}), sum_of({kKw})});
  w.shape = {channels, channels, taps, taps};
  w.is_constant = true;
  workload.inputs = {std::move(x), std::move(w)};
  workload.output = access("y", DType::kI32, {sum_of({kN}), sum_of({kOc}), sum_of({kOh}), sum_of({kOw})});
  workload.output.shape = {1, channels, pixels, pixels};
  return workload;
}

Instruction row_of_16x16() {
  acg::Capability capability;
  capability.name = "GEMM";
  capability.output = {DType::kI32, {16}};
  capability.inputs = {{DType::kI8, {16}}, {DType::kI8, {16, 16}}, {DType::kI32, {16}}};
  std::optional<Instruction> instruction = instruction_of(capability);
  check(instruction.has_value(), "a product of matrices is no instruction");
  return std::move(instruction).value();
}

AxisOrder order_in(std::string_view layout) {
  check(layout.size() == kSpatial.size(), "a layout has four letters");
  AxisOrder order;
  for (const char letter : layout) {
    const size_t axis = kSpatial.find(letter);
    check(axis != std::string_view::npos, "a layout has another letter than N, C, H and W");
    order.push_back(axis);
  }
  for (const char letter : layout) {
    const size_t axis = kReductions.find(letter);
    if (axis != std::string_view::npos) order.push_back(kSpatial.size() + axis);
  }
  return order;
}

}  // namespace covenant::compiler::embedding::scalar
