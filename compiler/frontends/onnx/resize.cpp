#include "compiler/frontends/onnx/resize.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "compiler/frontends/onnx/refusal.h"

namespace covenant::compiler::frontend {
namespace {

constexpr uint64_t kMostPlaces = uint64_t{1} << 24;  ///< of a result along one dimension: each is looked at

/// The input's index for an index of the result.
int64_t nearest(uint64_t i, double factor, const std::string& transformation, const std::string& rounding) {
  const auto place = static_cast<double>(i);
  const double at = transformation == "asymmetric" ? place / factor : (place + 0.5) / factor - 0.5;
  if (rounding == "floor") return static_cast<int64_t>(std::floor(at));
  if (rounding == "ceil") return static_cast<int64_t>(std::ceil(at));
  const double below = std::floor(at);
  const bool goes_up = at - below > 0.5 || (at - below == 0.5 && rounding == "round_prefer_ceil");
  return static_cast<int64_t>(below) + (goes_up ? 1 : 0);
}

}  // namespace

bool repeats_each(uint64_t from, uint64_t to, const std::string& transformation, const std::string& rounding) {
  const bool is_known =
      transformation == "asymmetric" || transformation == "half_pixel" || transformation == "pytorch_half_pixel";
  if (!is_known || from == 0 || to == 0 || to % from != 0) return false;
  if (to == from) return true;
  if (to > kMostPlaces) return false;
  const uint64_t factor = to / from;
  for (uint64_t i = 0; i < to; ++i) {
    const int64_t index = nearest(i, static_cast<double>(factor), transformation, rounding);
    if (std::clamp<int64_t>(index, 0, static_cast<int64_t>(from) - 1) != static_cast<int64_t>(i / factor)) return false;
  }
  return true;
}

Diagnostic unsupported_resize(const srdfg::Node& node, const std::string& sizes, const ResizeWay& way) {
  const auto refused = [&](std::string message, std::vector<std::string> allowed, std::string fix) {
    return diagnostic({.code = kAttribute,
                       .subject = subject_of(node),
                       .message = std::move(message),
                       .offending = fmt::format("{}, {}, {}, {}", sizes, way.mode, way.transformation, way.rounding),
                       .allowed = std::move(allowed),
                       .fix = std::move(fix)});
  };
  if (way.transformation == "tf_crop_and_resize") {
    return refused("a Resize that cuts out a region is not supported",
                   {"coordinate_transformation_mode other than tf_crop_and_resize"},
                   "cut the region out with a Slice, and resize that");
  }
  if (way.mode == "nearest") {
    return refused("a Resize that does not repeat every element equally often is not supported",
                   {"whole factors to at most 16777216 indices",
                    "any ratio of a tensor of at most 16777216 elements, by constant sizes or scales"},
                   "write it as a Gather along each dimension by constant indices");
  }
  return refused(
      "this way of weighing neighbours is not supported",
      {"mode=nearest by any ratio",
       "mode=linear of images [N,C,H,W] by whole scales, half_pixel or pytorch_half_pixel, without antialias, "
       "between DequantizeLinear and QuantizeLinear"},
      "quantise the float model with covenant quantize, which makes products of it; or resize to the nearest");
}

}  // namespace covenant::compiler::frontend
