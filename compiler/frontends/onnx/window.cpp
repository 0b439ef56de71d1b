#include "compiler/frontends/onnx/window.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "acg/base/rounding.h"
#include "compiler/frontends/onnx/attributes.h"
#include "compiler/frontends/onnx/refusal.h"

namespace covenant::compiler::frontend {
namespace {

constexpr int64_t kLargest = 1 << 20;  ///< limit of a kernel size, stride, pad or dilation

std::optional<std::vector<int64_t>> list_of(const srdfg::Node& node, const char* key) {
  const auto found = node.attributes.find(key);
  if (found == node.attributes.end()) return std::nullopt;
  const auto* list = std::get_if<std::vector<int64_t>>(&found->second);
  return list == nullptr ? std::vector<int64_t>{} : *list;
}

std::string text_of(const srdfg::Node& node, const char* key, const std::string& otherwise) {
  const auto found = node.attributes.find(key);
  if (found == node.attributes.end()) return otherwise;
  const auto* text = std::get_if<std::string>(&found->second);
  return text == nullptr ? std::string() : *text;
}

Status integer_is(const srdfg::Node& node, const char* key, int64_t supported, const char* needed) {
  const auto found = node.attributes.find(key);
  if (found == node.attributes.end()) return Done{};
  const auto* number = std::get_if<int64_t>(&found->second);
  if (number != nullptr && *number == supported) return Done{};
  return diagnostic({.code = kAttribute,
                     .subject = subject_of(node),
                     .message = fmt::format("the attribute {} is supported with its default only", key),
                     .offending = number == nullptr ? "no integer" : fmt::format("{}", *number),
                     .allowed = {fmt::format("{}", supported)},
                     .fix = needed});
}

Status supported(const srdfg::Node& node) {
  return integer_is(node, "storage_order", 0, "export the pool with storage_order=0");
}

/// `key` as exactly `count` entries of at least `least`, or `otherwise`.
Result<std::vector<int64_t>> entries(const srdfg::Node& node, const char* key, size_t count, int64_t least,
                                     std::vector<int64_t> otherwise) {
  const auto list = list_of(node, key);
  if (!list) return otherwise;
  const bool in_range = std::ranges::all_of(*list, [&](int64_t entry) { return entry >= least && entry <= kLargest; });
  if (list->size() == count && in_range) return *list;
  return malformed(node, fmt::format("{} needs {} entries from {} to {}", key, count, least, kLargest),
                   fmt::format("[{}]", fmt::join(*list, ",")));
}

/// One axis, for computing SAME_UPPER and SAME_LOWER.
struct SameAxis {
  int64_t extent;
  int64_t kernel;
  int64_t stride;
  int64_t dilation;

  [[nodiscard]] int64_t windows() const { return ceil_divide(extent, stride); }
  /// Padding for a kernel that spans `reach` elements of the image; negative if windows leave out the last elements.
  [[nodiscard]] int64_t padding(int64_t reach) const { return (windows() - 1) * stride + reach - extent; }
};

/// ONNX Runtime pads a pool as if its kernel had no dilation, even by negative numbers, and makes as many windows as
/// fit then: a result other than the standard's, which no witness can confirm.
Status same_as_onnxruntime(const srdfg::Node& node, const SameAxis& axis, bool is_upper, int64_t before) {
  if (!node.operation.ends_with("Pool")) return Done{};
  const int64_t total = axis.padding(axis.kernel);
  const int64_t first = (is_upper ? total : total + 1) / 2;
  const int64_t reach = (axis.kernel - 1) * axis.dilation + 1;
  const int64_t room = axis.extent + total - reach;
  const int64_t windows = room < 0 ? 0 : room / axis.stride + 1;
  if (first == before && windows == axis.windows()) return Done{};
  return diagnostic(
      {.code = kAttribute,
       .subject = subject_of(node),
       .message = fmt::format("ONNX Runtime pads this pool otherwise than the standard says: {} instead of {} windows, "
                              "the first begins at {} instead of {}",
                              windows, axis.windows(), -first, -before),
       .offending =
           fmt::format("auto_pad={}, kernel {}, dilation {}, stride {}, {} elements",
                       is_upper ? "SAME_UPPER" : "SAME_LOWER", axis.kernel, axis.dilation, axis.stride, axis.extent),
       .allowed = {"explicit pads"},
       .fix = "leave out auto_pad and give the pads that are meant: pads=[begin, ..., end, ...]"});
}

}  // namespace

std::vector<uint64_t> as_image(const std::vector<uint64_t>& shape) {
  std::vector<uint64_t> image = shape;
  if (image.size() == 3) image.insert(image.begin() + 2, 1);
  return image;
}

Result<Window> window_of(const srdfg::Node& node, const std::vector<uint64_t>& given,
                         const std::vector<uint64_t>& kernel) {
  if (Status status = supported(node); !status) return status.error();
  const size_t axes = given.size() < 2 ? 0 : given.size() - 2;
  if (axes < 1 || axes > 2 || (!kernel.empty() && kernel.size() != axes)) {
    return unsupported_rank(node, "only windows over [N,C,H,W] and [N,C,W] are supported", shape_text(given),
                            "give the image one or two spatial dimensions, for example by a Reshape");
  }
  const std::vector<uint64_t> image = as_image(given);
  Window window;
  const std::vector<int64_t> weights(kernel.begin(), kernel.end());
  Result<std::vector<int64_t>> sizes = entries(node, "kernel_shape", axes, 1, weights);
  if (!sizes) return sizes.error();
  if (sizes->size() != axes || (!kernel.empty() && *sizes != weights)) {
    return malformed(node, "kernel_shape is missing or is not the shape of the weights",
                     fmt::format("[{}]", fmt::join(*sizes, ",")));
  }
  if (std::ranges::any_of(*sizes, [](int64_t size) { return size < 1 || size > kLargest; })) {
    return malformed(node, "a kernel has at least one element", fmt::format("[{}]", fmt::join(*sizes, ",")));
  }
  const std::vector<int64_t> ones(axes, 1);
  Result<std::vector<int64_t>> strides = entries(node, "strides", axes, 1, ones);
  if (!strides) return strides.error();
  Result<std::vector<int64_t>> pads = entries(node, "pads", 2 * axes, 0, std::vector<int64_t>(2 * axes, 0));
  if (!pads) return pads.error();
  Result<std::vector<int64_t>> dilations = entries(node, "dilations", axes, 1, ones);
  if (!dilations) return dilations.error();
  if (axes == 1) {  // one row
    for (auto* list : {&*sizes, &*strides, &*dilations}) list->insert(list->begin(), 1);
    *pads = {0, pads->at(0), 0, pads->at(1)};
  }
  std::ranges::copy(*sizes, window.kernel.begin());
  std::ranges::copy(*strides, window.strides.begin());
  std::ranges::copy(*pads, window.pads.begin());
  std::ranges::copy(*dilations, window.dilations.begin());

  const std::string auto_pad = text_of(node, "auto_pad", "NOTSET");
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "NOTSET" && auto_pad != "VALID") {
    return malformed(node, "auto_pad has an unknown value", auto_pad);
  }
  if (auto_pad == "VALID") window.pads = {0, 0, 0, 0};
  for (size_t axis = 0; axis < 2; ++axis) {
    const auto extent = static_cast<int64_t>(image[2 + axis]);
    const int64_t reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1;  // of the kernel, gaps included
    if (same) {  // the ONNX specification: output = ceil(input / stride), the odd pad at the end or the beginning
      const SameAxis along{extent, window.kernel[axis], window.strides[axis], window.dilations[axis]};
      const bool is_upper = auto_pad == "SAME_UPPER";
      const int64_t total = std::max<int64_t>(0, along.padding(reach));
      window.pads[axis] = is_upper ? total / 2 : total - total / 2;
      window.pads[axis + 2] = total - window.pads[axis];
      if (Status status = same_as_onnxruntime(node, along, is_upper, window.pads[axis]); !status) return status.error();
    }
    const int64_t padded = extent + window.pads[axis] + window.pads[axis + 2];
    const int64_t room = padded - reach;  // for the first window to move in
    const bool rounds_up = integer_or(node, "ceil_mode", 0) != 0;
    if (extent < 1 || room <= (rounds_up ? -window.strides[axis] : -1)) {
      return malformed(node, "the kernel is larger than the padded image", shape_text(image));
    }
    window.output[axis] = room < 0 ? 0 : static_cast<uint64_t>(room / window.strides[axis] + 1);
    if (!rounds_up) continue;
    // The ONNX specification of MaxPool: one more window if it begins before the padding at the end.
    const int64_t start = room < 0 ? 0 : ceil_divide(room, window.strides[axis]) * window.strides[axis];
    if (start + reach <= padded || start >= extent + window.pads[axis]) continue;
    window.added[axis] = start + reach - padded;
    window.pads[axis + 2] += window.added[axis];
    ++window.output[axis];
  }
  return window;
}

}  // namespace covenant::compiler::frontend
