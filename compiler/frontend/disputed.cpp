#include "compiler/frontend/disputed.h"

#include <cmath>
#include <fmt/format.h>

#include "compiler/frontend/attributes.h"
#include "compiler/frontend/refusal.h"

namespace covenant::compiler::frontend {

Status check_average(const srdfg::Node& node, const Window& window, bool counts_pads) {
  if (node.operation != "AveragePool" || !counts_pads || !window.ends_outside) return Done{};
  return diagnostic({.code = kAttribute,
                     .subject = subject_of(node),
                     .message = "ONNX Runtime's integer kernel and its float operator average a window past the pads "
                                "over different numbers of elements",
                     .offending = "ceil_mode=1, count_include_pad=1",
                     .allowed = {"ceil_mode=0", "count_include_pad=0", "windows that end within the pads"},
                     .fix = "pad so that windows end at the pads: widen pads at the end, with ceil_mode=0"});
}

Status check_softmax(const srdfg::Node& node, const srdfg::Value& x, const srdfg::Quantization& result) {
  if (bits(x.dtype) > 8) return Done{};
  const int64_t axis = x.shape.size() == 1 ? 0 : integer_or(node, "axis", -1);
  const uint64_t count = x.shape.at(static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(x.shape.size()) : axis));
  // The largest exponential of a row is FLT_MAX / count * e^-5 (operations.h).
  const double most = static_cast<double>(count) * std::exp(5.0);
  const double factor = std::floor(1.0 / static_cast<double>(result.scales[0]));
  if (factor <= most) return Done{};
  return diagnostic({.code = kQuantization,
                     .subject = subject_of(node),
                     .message = fmt::format("the result's scale is too small for rows of {} elements: quotients leave "
                                            "single precision before they are divided",
                                            count),
                     .offending = fmt::format("{}", result.scales[0]),
                     .allowed = {fmt::format("at least {:.3g}", 1.0 / std::floor(most))},
                     .fix = "quantise the result with the range of a softmax, 0 to 1: a scale of 1/256"});
}

}  // namespace covenant::compiler::frontend
