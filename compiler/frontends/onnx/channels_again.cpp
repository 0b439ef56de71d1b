#include "compiler/frontends/onnx/channels_again.h"

#include <algorithm>
#include <numeric>

#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Modifier;
using srdfg::Value;
using srdfg::ValueId;

/// Bytes of the kernel of one channel.
size_t kernel_bytes(const Value& weights) { return weights.shape[2] * weights.shape[3] * bytes(weights.dtype); }

/// Start of the kernel for one output and one channel.
std::vector<uint8_t>::const_iterator kernel_of(const Value& weights, uint64_t output, uint64_t channel) {
  const size_t at = (output * weights.shape[1] + channel) * kernel_bytes(weights);
  return weights.data.begin() + static_cast<std::ptrdiff_t>(at);
}

bool has_elements(const Value& weights, uint64_t channel) {
  const auto size = static_cast<std::ptrdiff_t>(kernel_bytes(weights));
  for (uint64_t output = 0; output < weights.shape[0]; ++output) {
    const auto begin = kernel_of(weights, output, channel);
    if (std::any_of(begin, begin + size, [](uint8_t byte) { return byte != 0; })) return true;
  }
  return false;
}

}  // namespace

std::vector<ChannelAgain> channels_again(const std::vector<Value>& parts) {
  std::vector<ChannelAgain> again;
  for (size_t part = 1; part < parts.size(); ++part) {
    for (uint64_t channel = 0; channel < parts[part].shape[1]; ++channel) {
      if (has_elements(parts[part], channel)) again.push_back({part, channel});
    }
  }
  return again;
}

Value weights_for(const std::vector<Value>& parts, const std::vector<ChannelAgain>& again) {
  Value whole = parts[0];
  const auto size = static_cast<std::ptrdiff_t>(kernel_bytes(whole));
  whole.data.clear();
  for (uint64_t output = 0; output < whole.shape[0]; ++output) {
    const auto own = kernel_of(parts[0], output, 0);
    whole.data.insert(whole.data.end(), own, own + size * static_cast<std::ptrdiff_t>(whole.shape[1]));
    for (const ChannelAgain& one : again) {
      const auto kernel = kernel_of(parts[one.part], output, one.channel);
      whole.data.insert(whole.data.end(), kernel, kernel + size);
    }
  }
  whole.shape[1] += again.size();
  return whole;
}

ValueId image_with(Normalizing& normalizing, const std::string& name, ValueId id, DType weights,
                   const std::vector<ChannelAgain>& again) {
  Value made = normalizing.graph.get(id);
  const uint64_t channels = made.shape[1];
  std::vector<uint64_t> sources(channels);
  std::iota(sources.begin(), sources.end(), uint64_t{0});
  for (const ChannelAgain& one : again) sources.push_back(one.channel);
  std::vector<int64_t> ones(sources.size() * channels, 0);
  for (size_t row = 0; row < sources.size(); ++row) ones[row * channels + sources[row]] = 1;
  const ValueId selection = normalizing.add({.name = name + "/selection",
                                             .dtype = weights,
                                             .shape = {sources.size(), channels, 1, 1},
                                             .modifier = Modifier::kParam,
                                             .quantization = srdfg::Quantization{{1.0F}, {0}, -1},
                                             .data = srdfg::integer_data(weights, ones)});
  made.shape[1] = sources.size();
  made.modifier = Modifier::kState;
  made.name += "/again";
  const DType dtype = made.dtype;
  srdfg::Node node{.name = normalizing.names.unique(name + "/again"),
                   .operation = "conv",
                   .attributes = {{"strides", std::vector<int64_t>{1, 1}},
                                  {"pads", std::vector<int64_t>{0, 0, 0, 0}},
                                  {"lowest", int64_t{lowest(dtype)}},
                                  {"highest", int64_t{highest(dtype)}}},
                   .inputs = {id, selection},
                   .body = {}};
  node.outputs = {normalizing.add(std::move(made))};
  normalizing.graph.nodes.push_back(node);
  return node.outputs[0];
}

}  // namespace covenant::compiler::frontend
