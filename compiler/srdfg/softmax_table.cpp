#include "compiler/srdfg/softmax_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace covenant::compiler::srdfg {

std::vector<float> exponentials(float x_scale, uint64_t count, DType dtype, float steps) {
  const auto scale = static_cast<double>(x_scale);
  // In single precision, as in ONNX Runtime: the rounding affects every entry.
  const double most = std::log(std::numeric_limits<float>::max() / static_cast<float>(count));
  const double raised = std::max(0.0, (most - 5) / scale);
  const auto entries = int32_t{1} << bits(dtype);
  std::vector<float> table(static_cast<size_t>(entries));
  for (int32_t below = 0; below < entries; ++below) {
    table[static_cast<size_t>((entries - below) % entries)] = static_cast<float>(std::exp((raised - below) * scale));
  }
  // Their sum divides them: a power of two that divides all of them changes no quotient.
  float divisor = 1;
  while (std::isfinite(steps) && std::isinf(table[0] / divisor * steps)) divisor *= 2;
  for (float& entry : table) entry /= divisor;
  return table;
}

float steps_to_one(float y_scale) { return std::floor(1.0F / y_scale); }

}  // namespace covenant::compiler::srdfg
