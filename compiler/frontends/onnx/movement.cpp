#include "compiler/frontends/onnx/movement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acg/base/failure.h"
#include "compiler/frontends/onnx/attributes.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/frontends/onnx/resize.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;
using Integers = std::vector<int64_t>;
using Shape = std::vector<uint64_t>;

using Named = std::pair<std::string_view, std::string_view>;

constexpr std::array<Named, 11> kMovements{{{"Concat", "concat"},
                                            {"Expand", "repeat"},
                                            {"Flatten", "reshape"},
                                            {"Identity", "reshape"},
                                            {"Pad", "pad"},
                                            {"Reshape", "reshape"},
                                            {"Resize", "repeat"},
                                            {"Slice", "slice"},
                                            {"Squeeze", "reshape"},
                                            {"Transpose", "transpose"},
                                            {"Unsqueeze", "reshape"}}};

/// Reads a node with its attributes and constant inputs; throws Failure for what cannot be read.
class Reader {
 public:
  Reader(const Graph& graph, const Node& node) : x(graph.get(node.inputs.at(0)).shape), graph_(graph), node_(node) {}

  const Shape& x;  ///< shape of the first operand

  TensorType type() const {
    const DType dtype = graph_.get(node_.inputs[0]).dtype;
    const std::string& operation = node_.operation;
    if (operation == "Concat") return {dtype, concatenated()};
    if (operation == "Flatten") return {dtype, flattened()};
    if (operation == "Reshape") return {dtype, reshaped()};
    if (operation == "Squeeze") return {dtype, squeezed()};
    if (operation == "Unsqueeze") return {dtype, unsqueezed()};
    if (operation == "Transpose") return {dtype, transposed()};
    if (operation == "Slice") return {dtype, sliced().shape};
    if (operation == "Expand") return {dtype, expanded()};
    if (operation == "Resize") return {dtype, resized()};
    if (operation == "Pad") return {dtype, padded().shape};
    return {dtype, x};  // Identity
  }

  struct Window {
    Shape shape;
    Integers starts;
    Integers steps;
  };

  /// Along every dimension; the ONNX operator specification of Slice: bounds count from the end if negative, and are
  /// cut to the dimension.
  Window sliced() const {
    const Integers starts = constant(1, "starts");
    const Integers ends = constant(2, "ends");
    Integers axes(starts.size());
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
    if (has(3)) axes = constant(3, "axes");
    const Integers steps = has(4) ? constant(4, "steps") : Integers(starts.size(), 1);
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
      contradiction("starts, ends, axes and steps are not equally many", fmt::format("{} starts", starts.size()));
    }
    Window window{x, Integers(x.size(), 0), Integers(x.size(), 1)};
    for (size_t i = 0; i < starts.size(); ++i) {
      const size_t d = dimension(axes[i]);
      const auto size = static_cast<int64_t>(x[d]);
      if (steps[i] < 1) {
        refuse("slices with steps back are not supported", fmt::format("step {}", steps[i]), {"steps of at least 1"},
               "turn the constant operands of the layers around it instead");
      }
      const auto bound = [&](int64_t index) { return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size); };
      const int64_t first = bound(starts[i]);
      const int64_t count = (bound(ends[i]) - first + steps[i] - 1) / steps[i];
      if (count < 1) contradiction("the slice is empty", fmt::format("{} to {}", starts[i], ends[i]));
      window.shape[d] = static_cast<uint64_t>(count);
      window.starts[d] = first;
      window.steps[d] = steps[i];
    }
    return window;
  }

  struct Padding {
    Shape shape;
    Integers before;
    Integers after;
  };

  /// Zeros around; the ONNX operator specification of Pad.
  Padding padded() const {
    if (word("mode", "constant") != "constant") {
      refuse("a Pad that repeats or mirrors elements is not supported", word("mode", ""), {"constant"},
             "pad with zeros, or let the host do it before the model");
    }
    Integers axes(x.size());
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
    if (has(3)) axes = constant(3, "axes");
    const Integers pads = constant(1, "pads");
    if (pads.size() != 2 * axes.size()) contradiction("there are not two pads for each axis", text(pads));
    Padding padding{x, Integers(x.size(), 0), Integers(x.size(), 0)};
    for (size_t i = 0; i < axes.size(); ++i) {
      const size_t d = dimension(axes[i]);
      padding.before[d] = pads[i];
      padding.after[d] = pads[i + axes.size()];
      if (std::min(pads[i], pads[i + axes.size()]) < 0) {
        refuse("a Pad that cuts is not supported", text(pads), {"pads of at least 0"}, "cut with a Slice");
      }
      padding.shape[d] += static_cast<uint64_t>(pads[i] + pads[i + axes.size()]);
    }
    return padding;
  }

  Integers permutation() const {
    const Integers* stated = list("perm");
    Integers result(x.size());
    for (size_t d = 0; d < result.size(); ++d) result[d] = static_cast<int64_t>(x.size() - 1 - d);
    if (stated == nullptr) return result;
    Integers sorted = *stated;
    std::ranges::sort(sorted);
    std::ranges::reverse(result);
    if (sorted != result) contradiction("perm does not name every dimension once", text(*stated));
    return *stated;
  }

  size_t axis() const { return dimension(integer_or(node_, "axis", 0)); }

 private:
  [[noreturn]] void contradiction(std::string message, std::string offending) const {
    throw Failure{malformed(node_, std::move(message), std::move(offending))};
  }

  [[noreturn]] void refuse(std::string message, std::string offending, std::vector<std::string> allowed,
                           std::string fix) const {
    throw Failure{diagnostic({.code = kAttribute,
                              .subject = subject_of(node_),
                              .message = std::move(message),
                              .offending = std::move(offending),
                              .allowed = std::move(allowed),
                              .fix = std::move(fix)})};
  }

  static std::string text(const Integers& numbers) { return fmt::format("[{}]", fmt::join(numbers, ",")); }

  bool has(size_t input) const {
    return input < node_.inputs.size() && srdfg::element_count(graph_.get(node_.inputs[input]).shape) > 0;
  }

  const Value& constant_value(size_t input, const char* what) const {
    if (input >= node_.inputs.size()) contradiction(fmt::format("it has no {}", what), "");
    const Value& value = graph_.get(node_.inputs[input]);
    if (value.modifier == srdfg::Modifier::kParam && value.shape.size() <= 1) return value;
    throw Failure{
        diagnostic({.code = kDynamicShape,
                    .subject = subject_of(node_),
                    .message = fmt::format("the {} are computed, not constant", what),
                    .offending = value.name,
                    .allowed = {fmt::format("constant {}", what)},
                    .fix = "fold constants first, for example with onnxsim or onnxruntime's quant_pre_process"})};
  }

  Integers constant(size_t input, const char* what) const {
    const Value& value = constant_value(input, what);
    if (value.dtype != DType::kI32) contradiction(fmt::format("the {} are no integers", what), value.name);
    return srdfg::integer_elements(value);
  }

  const Integers* list(const char* key) const {
    const auto found = node_.attributes.find(key);
    return found == node_.attributes.end() ? nullptr : std::get_if<Integers>(&found->second);
  }

  /// An axis of `rank` dimensions; negative ones count from the end.
  size_t dimension(int64_t axis, size_t rank) const {
    const auto dimensions = static_cast<int64_t>(rank);
    if (axis < -dimensions || axis >= dimensions)
      contradiction("an axis is outside the shape", fmt::format("{}", axis));
    return static_cast<size_t>(axis < 0 ? axis + dimensions : axis);
  }
  size_t dimension(int64_t axis) const { return dimension(axis, x.size()); }

  /// Axes of Squeeze and Unsqueeze: an attribute before opset 13, an input since.
  std::optional<Integers> axes() const {
    if (const Integers* stated = list("axes")) return *stated;
    if (!has(1)) return std::nullopt;
    return constant(1, "axes");
  }

  Shape squeezed() const {
    const std::optional<Integers> stated = axes();
    std::vector<bool> goes(x.size());
    for (size_t d = 0; d < x.size() && !stated; ++d) goes[d] = x[d] == 1;
    for (const int64_t axis : stated.value_or(Integers{})) {
      if (x[dimension(axis)] != 1) contradiction("a dimension that is squeezed has several indices", shape_text(x));
      goes[dimension(axis)] = true;
    }
    Shape shape;
    for (size_t d = 0; d < x.size(); ++d) {
      if (!goes[d]) shape.push_back(x[d]);
    }
    return shape;
  }

  Shape unsqueezed() const {
    const Integers stated = axes().value_or(Integers{});
    const size_t rank = x.size() + stated.size();
    std::vector<bool> is_new(rank);
    for (const int64_t axis : stated) {
      const size_t d = dimension(axis, rank);
      if (is_new[d]) contradiction("an axis is named twice", text(stated));
      is_new[d] = true;
    }
    Shape shape;
    size_t next = 0;
    for (size_t d = 0; d < rank; ++d) shape.push_back(is_new[d] ? 1 : x[next++]);
    return shape;
  }

  Shape flattened() const {
    const int64_t stated = integer_or(node_, "axis", 1);
    const auto rank = static_cast<int64_t>(x.size());
    if (stated < -rank || stated > rank) contradiction("axis is outside the shape", fmt::format("{}", stated));
    const auto middle = x.begin() + (stated < 0 ? stated + rank : stated);
    return {srdfg::element_count({x.begin(), middle}), srdfg::element_count({middle, x.end()})};
  }

  Shape reshaped() const {
    const Integers wanted = constant(1, "target shape");
    const bool zero_means_zero = integer_or(node_, "allowzero", 0) != 0;
    Shape shape;
    std::optional<size_t> open;
    uint64_t known = 1;
    for (size_t i = 0; i < wanted.size(); ++i) {
      uint64_t extent = 1;
      if (wanted[i] == -1 && !open) {
        open = i;
      } else if (wanted[i] == 0 && !zero_means_zero && i < x.size()) {
        extent = x[i];
      } else if (wanted[i] > 0) {
        extent = static_cast<uint64_t>(wanted[i]);
      } else {
        contradiction("the target shape has an entry without meaning", fmt::format("{}", wanted[i]));
      }
      if (known > (uint64_t{1} << 32)) contradiction("the target shape is too large", "");
      known *= extent;
      shape.push_back(extent);
    }
    const uint64_t count = srdfg::element_count(x);
    if (open && known > 0 && count % known == 0) {
      shape[*open] = count / known;
      known = count;
    }
    if (known != count) {
      contradiction("the target shape has another number of elements", shape_text(x) + " to " + shape_text(shape));
    }
    return shape;
  }

  Shape transposed() const {
    Shape shape;
    for (const int64_t from : permutation()) shape.push_back(x[static_cast<size_t>(from)]);
    return shape;
  }

  Shape concatenated() const {
    const size_t along = axis();
    Shape shape = x;
    shape[along] = 0;
    for (const srdfg::ValueId id : node_.inputs) {
      Shape part = graph_.get(id).shape;
      if (part.size() != x.size()) contradiction("the operands differ in their rank", shape_text(part));
      shape[along] += part[along];
      part[along] = x[along];
      if (part != x) contradiction("the operands differ in another dimension than the axis", shape_text(part));
    }
    return shape;
  }

  /// To the same rank; a dimension of one index becomes many.
  Shape expanded() const {
    const Integers wanted = constant(1, "target shape");
    if (wanted.size() != x.size()) {
      refuse("an Expand that adds dimensions is not supported", text(wanted), {"the rank of its input"},
             "put an Unsqueeze in front of it");
    }
    Shape shape = x;
    for (size_t d = 0; d < x.size(); ++d) {
      if (wanted[d] == 1 || wanted[d] == static_cast<int64_t>(x[d])) continue;
      if (x[d] != 1 || wanted[d] < 1) contradiction("a dimension cannot be expanded", shape_text(x));
      shape[d] = static_cast<uint64_t>(wanted[d]);
    }
    return shape;
  }

  std::string word(const char* key, const char* otherwise) const {
    const auto found = node_.attributes.find(key);
    const auto* stated = found == node_.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
    return stated == nullptr ? otherwise : *stated;
  }

  /// Sizes of the result, and scales of places, which need not be the ratio of the sizes: from `sizes` or `scales`,
  /// whichever the node has. Dimensions that `axes` does not name stay.
  std::pair<Shape, std::vector<double>> growth() const {
    const bool is_old = node_.inputs.size() == 2;  // opset 10: X, scales
    const bool has_sizes = !is_old && has(3);
    std::vector<double> given;
    if (has_sizes) {
      const Integers sizes = constant(3, "sizes");
      given.assign(sizes.begin(), sizes.end());
    } else {
      const Value& value = constant_value(is_old ? 1 : 2, "scales");
      if (value.dtype != DType::kF32) contradiction("the scales are not f32", value.name);
      const std::vector<float> scales = srdfg::float_elements(value);
      given.assign(scales.begin(), scales.end());
    }
    const Integers* axes = list("axes");
    if (given.size() != (axes == nullptr ? x.size() : axes->size()))
      contradiction("there is not one size for each dimension", fmt::format("[{}]", fmt::join(given, ",")));
    std::pair found{x, std::vector<double>(x.size(), 1)};
    for (size_t i = 0; i < given.size(); ++i) {
      const size_t d = axes == nullptr ? i : dimension((*axes)[i]);
      const auto from = static_cast<double>(x[d]);
      const double size = has_sizes ? given[i] : std::floor(from * given[i]);
      found.first[d] = size >= 1 && size <= 1e9 ? static_cast<uint64_t>(size) : 0;
      found.second[d] = has_sizes ? size / from : given[i];
    }
    return found;
  }

  Shape resized() const {
    const auto [shape, scales] = growth();
    const bool is_old = node_.inputs.size() == 2;
    const ResizeWay way{word("mode", "nearest"),
                        word("coordinate_transformation_mode", is_old ? "asymmetric" : "half_pixel"),
                        word("nearest_mode", is_old ? "floor" : "round_prefer_floor")};
    const std::string& places = way.transformation;
    // A scale that differs from the ratio of sizes selects other elements.
    bool is_whole = list("axes") == nullptr && word("keep_aspect_ratio_policy", "stretch") == "stretch";
    for (size_t d = 0; d < x.size(); ++d)
      is_whole = is_whole && scales[d] * static_cast<double>(x[d]) == static_cast<double>(shape[d]);
    // Whatever is between elements has no part in what does not grow.
    if (shape == x && is_whole && places != "tf_crop_and_resize") return shape;
    bool repeats = way.mode == "nearest" && is_whole;
    for (size_t d = 0; d < x.size() && repeats; ++d) repeats = repeats_each(x[d], shape[d], places, way.rounding);
    if (repeats) return shape;
    throw Failure{unsupported_resize(node_, fmt::format("{} to {}", shape_text(x), shape_text(shape)), way)};
  }

  const Graph& graph_;
  const Node& node_;
};

}  // namespace

std::optional<std::string> movement_of(std::string_view onnx_operator) {
  for (const auto& [name, operation] : kMovements) {
    if (name == onnx_operator) return std::string(operation);
  }
  return std::nullopt;
}

Result<TensorType> moved(const Graph& graph, const Node& node) {
  return guarded<TensorType>([&] { return Reader(graph, node).type(); });
}

void set_movement_attributes(const Graph& graph, const Node& node, Node& made) {
  const Reader reader(graph, node);
  if (made.operation == "transpose") made.attributes["permutation"] = reader.permutation();
  if (made.operation == "concat") made.attributes["axis"] = static_cast<int64_t>(reader.axis());
  if (made.operation == "slice") {
    made.attributes["starts"] = reader.sliced().starts;
    made.attributes["steps"] = reader.sliced().steps;
  }
  if (made.operation == "pad") {
    made.attributes["before"] = reader.padded().before;
    made.attributes["after"] = reader.padded().after;
  }
  if (made.operation == "repeat") {
    const Shape shape = reader.type().shape;
    Integers factors;
    for (size_t d = 0; d < shape.size(); ++d) factors.push_back(static_cast<int64_t>(shape[d] / reader.x[d]));
    made.attributes["factors"] = factors;
  }
}

}  // namespace covenant::compiler::frontend
