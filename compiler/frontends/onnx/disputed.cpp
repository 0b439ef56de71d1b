#include "compiler/frontends/onnx/disputed.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "compiler/frontends/onnx/attributes.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/srdfg/softmax_table.h"

namespace covenant::compiler::frontend {

Status check_average(const srdfg::Node& node, const Window& window, bool counts_pads) {
  const bool ends_outside = window.added[0] > 0 || window.added[1] > 0;
  if (node.operation != "AveragePool" || !counts_pads || !ends_outside) return Done{};
  return diagnostic({.code = kAttribute,
                     .subject = subject_of(node),
                     .message = "ONNX Runtime's integer kernel and its float operator average a window past the pads "
                                "over different numbers of elements",
                     .offending = "ceil_mode=1, count_include_pad=1",
                     .allowed = {"ceil_mode=0", "count_include_pad=0", "windows that end within the pads"},
                     .fix = "pad so that windows end at the pads: widen pads at the end, with ceil_mode=0"});
}

Status check_softmax(const srdfg::Node& node, const srdfg::Value& x, const srdfg::Quantization& y) {
  if (!node.operation.ends_with("QLinearSoftmax") || bits(x.dtype) > 8) return Done{};
  const int64_t axis = x.shape.size() == 1 ? 0 : integer_or(node, "axis", -1);
  const uint64_t count = x.shape.at(static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(x.shape.size()) : axis));
  const float steps = srdfg::steps_to_one(y.scales[0]);
  const float largest = srdfg::exponentials(x.quantization.value().scales[0], count, x.dtype, 1)[0];
  // A row of one element makes 1: where that is past the end of i8, the kernel takes infinity for the same.
  const bool is_one = count == 1 && lowest(x.dtype) < 0 && steps + static_cast<float>(y.zero_points[0]) >= 127;
  if (std::isfinite(largest * steps) || is_one) return Done{};
  return diagnostic({.code = kQuantization,
                     .subject = subject_of(node),
                     .message = fmt::format("the scale of this result is so small for rows of {} that ONNX Runtime's "
                                            "kernel leaves single precision",
                                            count),
                     .offending = fmt::format("{}", y.scales[0]),
                     .allowed = {fmt::format("at least {:.3g}", largest / std::numeric_limits<float>::max())},
                     .fix = "write the layer as DequantizeLinear, Softmax and QuantizeLinear"});
}

}  // namespace covenant::compiler::frontend
