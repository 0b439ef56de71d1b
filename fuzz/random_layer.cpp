#include "fuzz/random_layer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "acg/base/check.h"
#include "compiler/operators/operator.h"
#include "compiler/operators/verify.h"
#include "compiler/srdfg/queries.h"
#include "fuzz/draw.h"
#include "fuzz/random_chain.h"
#include "fuzz/random_elements.h"
#include "fuzz/random_window.h"

namespace covenant::runtime {
namespace {

using compiler::srdfg::Attribute;
using compiler::srdfg::Graph;
using compiler::srdfg::Modifier;
using compiler::srdfg::Node;
using compiler::srdfg::Quantization;
using compiler::srdfg::Value;
using compiler::srdfg::ValueId;

constexpr uint64_t kMostImage = 6000;    // elements
constexpr uint64_t kMostWork = 400'000;  // multiply-accumulates

using Shape = std::vector<uint64_t>;

class Maker {
 public:
  Maker(uint64_t seed, uint64_t index, const acg::Machine& machine)
      : draw_(seed + 0x1A7E4ULL, index), chunks_(chunks_of(machine)), dtype_(element_of(machine, !draw_.once_in(2))) {}

  RandomLayer run() {
    ValueId last = first();
    // Now and then the layers after it, too: what one stores, the next one loads.
    for (int64_t more = draw_.once_in(4) ? draw_.between(1, 2) : 0; more > 0; --more) last = next(last);
    graph_.values[last.value].modifier = Modifier::kOutput;
    graph_.outputs.push_back(last);
    for (const Node& node : graph_.nodes) graph_.name += (graph_.name.empty() ? "" : "_") + node.operation;
    RandomLayer layer{graph_, {}};
    for (const ValueId id : graph_.inputs) layer.inputs.push_back(tensor(graph_.get(id)));
    const Status verified = compiler::operators::verify_normalized(graph_);
    check(static_cast<bool>(verified), verified ? "" : "a random layer is wrong: " + render(verified.error()));
    return layer;
  }

 private:
  ValueId first() {
    if (draw_.once_in(7)) return gemm(input({below(8), channels() * below(3)}));
    ValueId last = input(image());
    const auto moves = [](const Node& node) { return compiler::operators::is_movement(node.operation); };
    while (std::ranges::all_of(graph_.nodes, moves)) last = next(last);
    return last;
  }

  ValueId next(ValueId x) {
    const Shape shape = graph_.get(x).shape;
    if (shape.size() != 4) return draw_.once_in(3) ? clip(x) : draw_.once_in(3) ? lookup(x) : gemm(x);
    switch (draw_.between(0, 59)) {
      case 0:
        return max_pool(x);
      case 1:
        return mean(x);
      case 2:
        return clip(x);
      case 3:
        return gemm(flatten(x));
      case 4:
        return node(pair(), {x, draw_.once_in(2) ? x : input(shape)}, shape, {}, true);
      case 5:
        return mul(x, shape);
      case 6:
        return lookup(x);
      case 7:
        return transpose(x);
      case 8:
        return slice(x);
      case 9:
        return repeat(x);
      case 10:
        return concat(x);
      case 11:
        return average_pool(x);
      case 12:
        return softmax(x);
      case 13:
        return matmul(x);
      case 14:
        return layer_norm(x);
      case 15:
      case 16:
      case 17:
      case 18:
        return grouped_conv(x);
      default:
        return conv(x);
    }
  }

  /// Half of them sums.
  const char* pair() {
    return draw_.once_in(2) ? "add" : draw_.of(std::vector<const char*>{"sub", "div", "max", "min"});
  }

  uint64_t below(int64_t highest) { return static_cast<uint64_t>(draw_.between(1, highest)); }

  /// A number of channels near a multiple of what is worked on at once.
  uint64_t channels() {
    const int64_t near = draw_.of(chunks_) * draw_.between(1, 2) + draw_.between(-2, 2);
    return static_cast<uint64_t>(draw_.once_in(4) ? draw_.between(1, 9) : std::clamp<int64_t>(near, 1, 50));
  }

  Shape image() {
    Shape shape{draw_.once_in(4) ? 2U : 1U, channels(), below(13), below(13)};
    while (compiler::srdfg::element_count(shape) > kMostImage) shape[2] = (shape[2] + 1) / 2;
    return shape;
  }

  // ---- Nodes

  ValueId conv(ValueId x) {
    const Shape in = graph_.get(x).shape;
    const RandomWindow w = random_window(draw_, in, draw_.once_in(6) ? 5 : 3);
    const uint64_t work = in[0] * in[1] * w.shape[0] * w.shape[1] * static_cast<uint64_t>(w.kernel[0] * w.kernel[1]);
    const uint64_t outputs = std::clamp<uint64_t>(kMostWork / work, 1, channels());
    std::vector<ValueId> inputs{
        x, weights({outputs, in[1], static_cast<uint64_t>(w.kernel[0]), static_cast<uint64_t>(w.kernel[1])}, 0)};
    if (!draw_.once_in(4)) inputs.push_back(bias(outputs));
    return node("conv", inputs, {in[0], outputs, w.shape[0], w.shape[1]}, {{"strides", w.strides}, {"pads", w.pads}},
                true);
  }

  /// A convolution in groups, most often of one channel each; some with large kernels, or with gaps in them.
  ValueId grouped_conv(ValueId x) {
    const Shape in = graph_.get(x).shape;
    std::vector<uint64_t> divisors;
    for (uint64_t one = 1; one <= in[1]; ++one) {
      if (in[1] % one == 0) divisors.push_back(one);
    }
    const uint64_t groups = draw_.once_in(3) ? draw_.of(divisors) : in[1];
    const int64_t largest = draw_.once_in(2) ? 7 : 3, stride = draw_.once_in(3) ? 2 : 1, gap = draw_.once_in(4) ? 2 : 1;
    const RandomWindow w = random_window(draw_, in, largest, stride, gap);
    const Shape kernel{static_cast<uint64_t>(w.kernel[0]), static_cast<uint64_t>(w.kernel[1])};
    const uint64_t work = compiler::srdfg::element_count(in) * kernel[0] * kernel[1];
    const uint64_t wanted = draw_.once_in(3) ? below(3) : in[1] / groups;
    const uint64_t outputs = groups * std::clamp<uint64_t>(kMostWork / work, 1, wanted);
    const ValueId filters = weights({outputs, in[1] / groups, kernel[0], kernel[1]}, 0);
    std::map<std::string, Attribute> window{{"strides", w.strides}, {"pads", w.pads}, {"dilations", w.dilations}};
    if (groups > 1) window["group"] = static_cast<int64_t>(groups);
    return node("conv", {x, filters, bias(outputs)}, {in[0], outputs, w.shape[0], w.shape[1]}, std::move(window), true);
  }

  ValueId gemm(ValueId x) {
    const Shape in = graph_.get(x).shape;
    const uint64_t outputs = std::clamp<uint64_t>(kMostWork / (in[0] * in[1]), 1, channels());
    std::vector<ValueId> inputs{x, weights({in[1], outputs}, 1)};
    if (!draw_.once_in(4)) inputs.push_back(bias(outputs));
    return node("gemm", inputs, {in[0], outputs}, {}, true);
  }

  ValueId max_pool(ValueId x) {
    const Shape in = graph_.get(x).shape;
    const RandomWindow w = random_window(draw_, in, 4);
    return keep(node("max_pool", {x}, {in[0], in[1], w.shape[0], w.shape[1]},
                     {{"kernel", w.kernel}, {"strides", w.strides}, {"pads", w.pads}}, false),
                x);
  }

  ValueId average_pool(ValueId x) {
    const Shape in = graph_.get(x).shape;
    const RandomWindow w = random_window(draw_, in, 4);
    std::map<std::string, Attribute> attributes{{"kernel", w.kernel}, {"strides", w.strides}, {"pads", w.pads}};
    if (draw_.once_in(3)) attributes["count_pads"] = int64_t{1};
    return node("average_pool", {x}, {in[0], in[1], w.shape[0], w.shape[1]}, std::move(attributes), true);
  }

  /// True if tables can cover all values of an element.
  bool has_tables() const { return bits(dtype_) <= 8; }

  ValueId softmax(ValueId x) {
    if (!has_tables()) return conv(x);
    return node("softmax", {x}, graph_.get(x).shape, {{"axis", draw_.between(1, 3)}}, true);
  }

  /// A product of the rows of each channel, or of all rows of an image, by others or by themselves.
  ValueId matmul(ValueId x) {
    const Shape in = graph_.get(x).shape;
    const uint64_t groups = in[0] * (draw_.once_in(2) ? in[1] : 1);
    const uint64_t rows = in[0] * in[1] * in[2] / groups;
    const ValueId a = keep(node("reshape", {x}, {groups, rows, in[3]}, {}, false), x);
    const bool is_square = draw_.once_in(3) && groups * rows * rows < kMostImage;
    const uint64_t columns = is_square ? rows : std::min(channels(), kMostWork / (groups * rows * in[3]));
    const Shape turned{groups, in[3], columns};
    const std::map<std::string, Attribute> turn{{"permutation", std::vector<int64_t>{0, 2, 1}}};
    const ValueId b = is_square ? keep(node("transpose", {a}, turned, turn, false), a) : input(turned);
    const ValueId y = node("matmul", {a, b}, {groups, rows, columns}, {}, true);
    return keep(node("reshape", {y}, {in[0], in[1], in[2], columns}, {}, false), y);
  }

  ValueId layer_norm(ValueId x) {
    if (bits(dtype_) != 8) return conv(x);
    const Shape in = graph_.get(x).shape;
    const Shape rows{1, in[0] * in[1] * in[2], in[3]};
    const ValueId a = keep(node("reshape", {x}, rows, {}, false), x);
    const ValueId y = node("layer_norm", {a, reals(in[3]), reals(in[3])}, rows, {{"epsilon", 1e-5}}, true);
    return keep(node("reshape", {y}, in, {}, false), y);
  }

  ValueId mean(ValueId x) {
    const Shape in = graph_.get(x).shape;
    return node("global_average_pool", {x}, {in[0], in[1], 1, 1}, {}, true);
  }

  ValueId clip(ValueId x) { return keep(node("clip", {x}, graph_.get(x).shape, {}, true), x); }

  /// A product with another tensor, with one factor per channel, or with itself.
  ValueId mul(ValueId x, const Shape& shape) {
    Shape other = shape;
    if (draw_.once_in(2)) other[2] = other[3] = 1;
    const bool squares = draw_.once_in(4);
    return node("mul", {x, squares ? x : input(other)}, shape, {}, true);
  }

  ValueId lookup(ValueId x) {
    if (!has_tables()) return float_chain(x);
    const uint64_t entries = uint64_t{1} << bits(dtype_);
    const ValueId table_of = param(dtype_, {entries}, random_elements(draw_, dtype_, entries));
    return node("lookup", {x, table_of}, graph_.get(x).shape, {}, false);
  }

  ValueId float_chain(ValueId x) {
    return node("float_chain", {x}, graph_.get(x).shape, {{"steps", random_chain(draw_)}}, true);
  }

  ValueId flatten(ValueId x) {
    const Shape in = graph_.get(x).shape;
    return keep(node("reshape", {x}, {in[0], in[1] * in[2] * in[3]}, {}, false), x);
  }

  ValueId transpose(ValueId x) {
    const Shape in = graph_.get(x).shape;
    std::vector<int64_t> permutation{0, 1, 2, 3};
    for (size_t d = 4; d-- > 1;)
      std::swap(permutation[d], permutation[static_cast<size_t>(draw_.between(0, static_cast<int64_t>(d)))]);
    Shape shape;
    for (const int64_t from : permutation) shape.push_back(in[static_cast<size_t>(from)]);
    return keep(node("transpose", {x}, shape, {{"permutation", permutation}}, false), x);
  }

  ValueId slice(ValueId x) {
    Shape shape = graph_.get(x).shape;
    std::vector<int64_t> starts(4, 0);
    std::vector<int64_t> steps(4, 1);
    for (size_t d = 1; d < 4; ++d) {
      if (draw_.once_in(2)) continue;
      const auto size = static_cast<int64_t>(shape[d]);
      starts[d] = draw_.between(0, size - 1);
      steps[d] = draw_.once_in(3) ? 2 : 1;
      shape[d] = below((size - starts[d] + steps[d] - 1) / steps[d]);
    }
    return keep(node("slice", {x}, shape, {{"starts", starts}, {"steps", steps}}, false), x);
  }

  ValueId repeat(ValueId x) {
    Shape shape = graph_.get(x).shape;
    std::vector<int64_t> factors(4, 1);
    for (size_t d = 2; d < 4; ++d) {
      if (compiler::srdfg::element_count(shape) < kMostImage) factors[d] = draw_.between(1, 2);
      shape[d] *= static_cast<uint64_t>(factors[d]);
    }
    return keep(node("repeat", {x}, shape, {{"factors", factors}}, false), x);
  }

  /// Concatenates a tensor with a convolution of it, or with itself, along rows or channels.
  ValueId concat(ValueId x) {
    const ValueId other = draw_.once_in(3) ? x : keep(conv_alike(x), x);
    Shape shape = graph_.get(x).shape;
    const size_t axis = other == x && draw_.once_in(2) ? 2 : 1;
    shape[axis] += graph_.get(other).shape[axis];
    const std::vector<ValueId> parts = draw_.once_in(2) ? std::vector{x, other} : std::vector{other, x};
    return keep(node("concat", parts, shape, {{"axis", static_cast<int64_t>(axis)}}, false), x);
  }

  /// A convolution with the same number of rows and columns.
  ValueId conv_alike(ValueId x) {
    const Shape in = graph_.get(x).shape;
    const uint64_t outputs = std::clamp<uint64_t>(kMostWork / (in[0] * in[1] * in[2] * in[3]), 1, channels());
    return node("conv", {x, weights({outputs, in[1], 1, 1}, 0)}, {in[0], outputs, in[2], in[3]},
                {{"strides", std::vector<int64_t>{1, 1}}, {"pads", std::vector<int64_t>{0, 0, 0, 0}}}, true);
  }

  ValueId node(const std::string& operation, const std::vector<ValueId>& inputs, const Shape& shape,
               std::map<std::string, Attribute> attributes, bool clamps) {
    Node made;
    made.name = operation + std::to_string(graph_.nodes.size());
    if (clamps) {
      const int64_t least = lowest(dtype_);
      const int64_t most = highest(dtype_);
      const int64_t range = most - least;
      attributes["lowest"] = draw_.once_in(3) ? draw_.between(least, least + range * 100 / 255) : least;
      attributes["highest"] = draw_.once_in(3) ? draw_.between(least + range * 120 / 255, most) : most;
    }
    made.operation = operation;
    made.attributes = std::move(attributes);
    made.inputs = inputs;
    made.outputs = {activation(made.name + ".y", shape, Modifier::kState)};
    graph_.nodes.push_back(made);
    return made.outputs[0];
  }

  /// `made` is quantised as `like`.
  ValueId keep(ValueId made, ValueId like) {
    graph_.values[made.value].quantization = graph_.get(like).quantization;
    return made;
  }

  // ---- Values

  ValueId add_value(Value value) {
    graph_.values.push_back(std::move(value));
    return ValueId{static_cast<uint32_t>(graph_.values.size() - 1)};
  }

  ValueId param(DType dtype, const Shape& shape, std::vector<uint8_t> data,
                std::optional<Quantization> quantization = std::nullopt) {
    const std::string name = "param" + std::to_string(graph_.values.size());
    return add_value({name, dtype, shape, Modifier::kParam, std::move(quantization), std::move(data)});
  }

  /// From 2^lowest to 2^(highest + 1), any mantissa.
  float scale(int64_t lowest, int64_t highest) {
    const auto mantissa = static_cast<float>(draw_.between(0, (1 << 23) - 1));
    return std::ldexp(1.0F + mantissa * 0x1p-23F, static_cast<int>(draw_.between(lowest, highest)));
  }

  int32_t zero_point() { return static_cast<int32_t>(draw_.between(lowest(dtype_), highest(dtype_))); }

  ValueId activation(const std::string& name, const Shape& shape, Modifier modifier) {
    return add_value({name, dtype_, shape, modifier, Quantization{{scale(-6, -4)}, {zero_point()}, -1}, {}});
  }

  ValueId input(const Shape& shape) {
    const ValueId id = activation("input" + std::to_string(graph_.inputs.size()), shape, Modifier::kInput);
    graph_.inputs.push_back(id);
    return id;
  }

  ValueId weights(const Shape& shape, int32_t axis) {
    const bool is_per_channel = draw_.once_in(2);
    const uint64_t scales = is_per_channel ? shape[static_cast<size_t>(axis)] : 1;
    Quantization quantization{{}, std::vector<int32_t>(scales, 0), is_per_channel ? axis : -1};
    // So that sums of products have a chance to stay within the range.
    const int64_t wider = int64_t{bits(dtype_)} - 8;
    for (uint64_t i = 0; i < scales; ++i) quantization.scales.push_back(scale(-10 - wider, -6 - wider));
    const DType dtype = with_sign(dtype_);
    std::vector<uint8_t> data = random_elements(draw_, dtype, compiler::srdfg::element_count(shape));
    return param(dtype, shape, std::move(data), std::move(quantization));
  }

  ValueId reals(uint64_t count) {
    std::vector<uint8_t> data(count * sizeof(float));
    for (uint64_t i = 0; i < count; ++i) {
      const float element = draw_.once_in(2) ? scale(-3, 0) : -scale(-3, 0);
      std::memcpy(&data[i * sizeof(float)], &element, sizeof(float));
    }
    return param(DType::kF32, {count}, std::move(data));
  }

  ValueId bias(uint64_t count) {
    std::vector<uint8_t> data(count * 4);
    for (uint64_t i = 0; i < count; ++i) {
      const auto element = static_cast<int32_t>(draw_.between(-20000, 20000));
      std::memcpy(&data[i * 4], &element, 4);
    }
    return param(DType::kI32, {count}, std::move(data));
  }

  Tensor tensor(const Value& value) {
    Tensor result{value.name, value.dtype, value.shape, {}};
    result.bytes = random_elements(draw_, value.dtype, compiler::srdfg::element_count(value.shape));
    return result;
  }

  Draw draw_;
  std::vector<int64_t> chunks_;
  DType dtype_;
  Graph graph_;
};

}  // namespace

RandomLayer random_layer(uint64_t seed, uint64_t index, const acg::Machine& machine) {
  return Maker(seed, index, machine).run();
}

}  // namespace covenant::runtime
