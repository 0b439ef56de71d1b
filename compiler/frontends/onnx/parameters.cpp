#include "compiler/frontends/onnx/parameters.h"

#include <array>

#include "compiler/frontends/onnx/attributes.h"
#include "compiler/frontends/onnx/channels_again.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/frontends/onnx/weights.h"
#include "compiler/frontends/onnx/window.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using Shape = std::vector<uint64_t>;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

constexpr size_t kRows = 2;  // of an image [N,C,H,W]

/// Weights [O,C,KH,KW] with zeros in the gaps between columns.
void fill_gaps(std::vector<Value>& parts, uint64_t dilation) {
  for (Value& part : parts) {
    const uint64_t columns = part.shape[3];
    const uint64_t wide = (columns - 1) * dilation + 1;
    const size_t width = bytes(part.dtype);
    std::vector<uint8_t> data(part.data.size() / columns * wide, 0);
    for (size_t at = 0; at < part.data.size(); ++at) {
      const size_t element = at / width;
      data[(element / columns * wide + element % columns * dilation) * width + at % width] = part.data[at];
    }
    part.shape[3] = wide;
    part.data = std::move(data);
  }
}

/// Slices of all parts along `axis`, those of one index side by side, or all of one part where `one_by_one` is false.
Value joined(const std::vector<Value>& parts, size_t axis, bool one_by_one) {
  Value whole = parts[0];
  whole.shape[axis] *= parts.size();
  const size_t count = one_by_one ? parts[0].shape[axis] : 1;
  size_t run = bytes(whole.dtype);
  for (size_t d = axis + (one_by_one ? 1 : 0); d < parts[0].shape.size(); ++d) run *= parts[0].shape[d];
  whole.data.clear();
  for (size_t from = 0; from < parts[0].data.size(); from += run * count) {
    for (size_t i = 0; i < count; ++i) {
      for (const Value& part : parts) {
        const auto begin = part.data.begin() + static_cast<std::ptrdiff_t>(from + i * run);
        whole.data.insert(whole.data.end(), begin, begin + static_cast<std::ptrdiff_t>(run));
      }
    }
  }
  return whole;
}

/// `id` of a shape [..., d, ...] with each index along `axis` `count` times.
ValueId repeated(Normalizing& normalizing, const std::string& name, ValueId id, size_t axis, uint64_t count) {
  Value made = normalizing.graph.get(id);
  std::vector<int64_t> factors(made.shape.size(), 1);
  factors[axis] = static_cast<int64_t>(count);
  made.shape[axis] *= count;
  made.modifier = Modifier::kState;
  made.name += "/repeated";
  return normalizing.add_movement(name + "/repeat", "repeat", id, std::move(made), {{"factors", factors}});
}

ValueId reshaped(Normalizing& normalizing, const std::string& name, ValueId id, Shape shape) {
  Value made = normalizing.graph.get(id);
  made.shape = std::move(shape);
  made.modifier = Modifier::kState;
  made.name += "/rows";
  return normalizing.add_movement(name + "/rows", "reshape", id, std::move(made));
}

/// Rows [N,K] as [N,count*K], each one several times.
ValueId repeated_rows(Normalizing& normalizing, const std::string& name, ValueId id, uint64_t count) {
  const Shape shape = normalizing.graph.get(id).shape;
  const ValueId apart = reshaped(normalizing, name, id, {shape[0], 1, shape[1]});
  return reshaped(normalizing, name, repeated(normalizing, name, apart, 1, count), {shape[0], count * shape[1]});
}

/// True if a convolution takes fewer products when it reads only `again` channels a second time, instead of all.
bool are_few(uint64_t again, uint64_t channels) {
  constexpr uint64_t kVector = 16;  // within one there is room for more
  return 2 * again <= channels || channels + again <= kVector;
}

}  // namespace

Product product_of(Normalizing& normalizing, const std::string& name, ValueId x, std::vector<Value> parts,
                   const std::array<int64_t, 2>& dilations, int64_t groups) {
  if (parts.size() == 1) return {x, std::move(parts.front()), {}};
  const Shape shape = parts.front().shape;
  if (shape.size() == 2) {
    return {repeated_rows(normalizing, name, x, parts.size()), joined(parts, 0, false), {.count = parts.size()}};
  }
  const std::vector<ChannelAgain> again = groups == 1 ? channels_again(parts) : std::vector<ChannelAgain>{};
  if (groups == 1 && are_few(again.size(), shape[1])) {
    return {image_with(normalizing, name, x, parts.front().dtype, again), weights_for(parts, again), {}};
  }
  const auto gap = [&](size_t axis) { return shape[kRows + axis] > 1 ? static_cast<uint64_t>(dilations[axis]) : 1; };
  const Repeats repeats{.count = parts.size(), .axis = gap(1) > 1 && gap(0) == 1 ? size_t{0} : size_t{1}};
  if (gap(repeats.axis) > 1) fill_gaps(parts, gap(repeats.axis));
  const size_t axis = kRows + repeats.axis;
  return {repeated(normalizing, name, x, axis, repeats.count), joined(parts, axis, true), repeats};
}

Result<Repeats> add_parameters(Normalizing& normalizing, const Layer& layer, Node& node) {
  const Node& core = normalizing.model.nodes[layer.core];
  const bool turned = layer.operation == "gemm" && integer_or(core, "transB", 0) != 0;
  const Operand& weight = layer.weight.value();
  const Shape stored = normalizing.model.get(weight.value).shape;
  if (layer.operation == "gemm" && stored.size() != 2) {
    return unsupported_rank(core, "a product by constants is one by a matrix", shape_text(stored),
                            "reshape the constant operand to two dimensions");
  }
  Result<std::vector<Value>> parts =
      normalized_weights(core, normalizing.model.get(weight.value), weight.quantization.value(), turned);
  if (!parts) return parts.error();
  const bool is_conv = layer.operation == "conv";
  std::array<int64_t, 2> dilations{1, 1};
  if (is_conv) {
    const Result<Window> window =
        window_of(core, normalizing.model.get(layer.activations[0].value).shape, {stored.begin() + 2, stored.end()});
    if (!window) return window.error();
    dilations = window->dilations;
    for (Value& part : *parts) part.shape = as_image(part.shape);
  }
  const uint64_t outputs = parts->front().shape[is_conv ? 0 : 1];
  const std::string name = core.name.empty() ? core.operation : core.name;
  Product product = product_of(normalizing, name, node.inputs[0], std::move(*parts), dilations,
                               is_conv ? integer_or(core, "group", 1) : 1);
  node.inputs = {product.x, normalizing.add(std::move(product.weights))};
  const Repeats repeats = product.repeats;
  if (!layer.bias) return repeats;
  Result<Value> bias = normalized_bias(core, normalizing.model.get(*layer.bias), outputs);
  if (!bias) return bias.error();
  node.inputs.push_back(normalizing.add(std::move(*bias)));
  return repeats;
}

void repeat_window(const Repeats& repeats, Node& node) {
  if (repeats.count == 1) return;
  const auto count = static_cast<int64_t>(repeats.count);
  auto list = [&](const char* name) -> std::vector<int64_t>& {
    return std::get<std::vector<int64_t>>(node.attributes.at(name));
  };
  list("strides")[repeats.axis] *= count;
  list("pads")[repeats.axis] *= count;
  list("pads")[2 + repeats.axis] *= count;
  if (!node.attributes.contains("dilations")) return;
  list("dilations")[repeats.axis] = 1;
  if (list("dilations") == std::vector<int64_t>{1, 1}) node.attributes.erase("dilations");
}

}  // namespace covenant::compiler::frontend
