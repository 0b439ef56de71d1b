#include "compiler/families/vliw/unsigned_weights.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/layer_traits.h"
#include "compiler/network/views.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler::vliw {
namespace {

constexpr uint8_t kOffset = 128;   // added to a weight to make it unsigned
constexpr int64_t kWordBytes = 4;  // inputs that are multiplied at once

int64_t param(const NetworkLayer& layer, const char* name) { return std::get<int64_t>(layer.layer.params.at(name)); }

/// Number of sums that one instruction makes of unsigned weights and inputs of this dtype.
std::optional<uint64_t> sums_at_once(const acg::Machine& machine, DType inputs) {
  for (const acg::Compute& node : machine.computes) {
    for (const acg::Capability& one : node.capabilities) {
      if (one.name != "GEMM" || one.output.dtype != DType::kI32 || one.output.shape.size() != 1) continue;
      const acg::CapabilityOperand& weights = one.inputs.at(0);
      const acg::CapabilityOperand& word = one.inputs.at(1);
      if (weights.dtype != DType::kU8 || weights.shape.size() != 2 || word.dtype != inputs) continue;
      if (word.shape.size() == 1 && word.shape[0] == weights.shape[1]) return one.output.shape[0];
    }
  }
  return std::nullopt;
}

ConstantTensor filled(std::vector<uint64_t> shape, uint8_t byte, size_t element_bytes) {
  uint64_t count = element_bytes;
  for (const uint64_t extent : shape) count *= extent;
  return {std::move(shape), std::vector<uint8_t>(count, byte)};
}

class Rewriter {
 public:
  Rewriter(Network& network, const acg::Machine& machine) : network_(network), machine_(machine) {}

  void run() {
    std::vector<NetworkLayer> layers = std::exchange(network_.layers, {});
    for (NetworkLayer& layer : layers) {
      if (const std::optional<uint64_t> lanes = lanes_of(layer)) rewrite(layer, *lanes);
      network_.layers.push_back(std::move(layer));
      set_views(network_, network_.layers.back(), machine_);
    }
  }

 private:
  const Activation& tensor(const NetworkLayer& layer, const char* name) const {
    return network_.activations[layer.activations.at(name)];
  }

  /// The lanes, for layers that gain by it; nothing for others.
  std::optional<uint64_t> lanes_of(const NetworkLayer& layer) const {
    if (traits(layer).with_unsigned.empty()) return std::nullopt;
    const std::optional<uint64_t> lanes = sums_at_once(machine_, tensor(layer, "x").dtype);
    if (!lanes || layer.layer.dtypes.at("w") != DType::kI8 || !layer.constants.contains("w")) return std::nullopt;
    return layer.constants.at("w").shape.back() > *lanes ? lanes : std::nullopt;
  }

  /// Inserts the layer before `layer`, which then uses unsigned weights.
  void rewrite(NetworkLayer& layer, uint64_t lanes) {
    NetworkLayer sums = traits(layer).form == LayerForm::kMatrix ? row_sums(layer, lanes) : window_sums(layer, lanes);
    layer.activations["r"] = sums.activations.at("y");
    layer.layer.dtypes["r"] = DType::kU32;
    network_.layers.push_back(std::move(sums));
    set_views(network_, network_.layers.back(), machine_);
    for (uint8_t& weight : layer.constants.at("w").data) weight = static_cast<uint8_t>(weight + kOffset);
    layer.layer.dtypes["w"] = DType::kU8;
    layer.operation = traits(layer).with_unsigned;
  }

  /// A layer that computes 128 times the sum of each row, in all lanes.
  NetworkLayer row_sums(const NetworkLayer& layer, uint64_t lanes) {
    NetworkLayer sums = summing(layer, "gemm_sums", "sums");
    const uint64_t groups = groups_of(layer);
    const auto rows = static_cast<uint64_t>(param(layer, "N")), inner = static_cast<uint64_t>(param(layer, "K"));
    for (const auto& [name, count] :
         {std::pair{"G", groups}, std::pair{"N", rows}, std::pair{"K", inner}, std::pair{"O", lanes}}) {
      set_count(sums, name, count);
    }
    add_result(sums, {groups * rows, lanes});
    set_weights(sums, {groups, inner, lanes}, {groups, lanes});
    return sums;
  }

  static uint64_t groups_of(const NetworkLayer& layer) {
    return layer.layer.params.contains("G") ? static_cast<uint64_t>(param(layer, "G")) : 1;
  }

  /// Layers that compute 128 times the sum of each window, in all lanes: from its words, its pixels or its rows,
  /// whichever takes the fewest products and additions.
  NetworkLayer window_sums(const NetworkLayer& layer, uint64_t lanes) {
    const auto of = [&](const char* name) { return param(layer, name); };
    const int64_t taps = of("KH") * of("KW"), words = ceil_divide(of("IC"), kWordBytes);
    const int64_t by_words = taps * words;
    const int64_t by_pixels = of("SH") * of("SW") * words + 2 * taps;
    const int64_t by_rows = of("SH") * of("KW") * words + 2 * of("KH");
    if (by_words <= std::min(by_pixels, by_rows)) return products_with_128(layer, layer, lanes, "sums");
    const bool are_pixels = by_pixels < by_rows;
    const std::string_view axes = are_pixels ? "HW" : "H";
    NetworkLayer parts = layer, sums = summing(layer, "window_sums", "sums");
    sums.layer.params = {{"N", layer.layer.params.at("N")}};
    for (const char axis : {'H', 'W'}) divide(layer, axis, axes.find(axis) != std::string_view::npos, parts, sums);
    set_count(sums, "L", lanes);
    sums.layer.dtypes["x"] = DType::kI32;
    add_result(sums, sums_shape(layer, lanes));
    NetworkLayer of_parts = products_with_128(layer, parts, lanes, are_pixels ? "pixels" : "rows");
    sums.activations["x"] = of_parts.activations.at("y");
    network_.layers.push_back(std::move(of_parts));
    set_views(network_, network_.layers.back(), machine_);
    return sums;
  }

  /// Restricts both layers along an axis: the windows are those of one of them. If it is `of_sums`, `parts` has a value
  /// for every element that these read.
  static void divide(const NetworkLayer& layer, char axis, bool of_sums, NetworkLayer& parts, NetworkLayer& sums) {
    const auto name = [&](const char* of) { return std::string(of) + axis; };
    const auto of = [&](const char* size) { return param(layer, name(size).c_str()); };
    if (of_sums) parts.layer.params[name("O")] = (of("O") - 1) * of("S") + (of("K") - 1) * of("D") + 1;
    sums.layer.params[name("I")] = parts.layer.params.at(name("O"));
    sums.layer.params[name("O")] = of("O");
    for (const char* one : {"K", "S", "D"}) {
      sums.layer.params[name(one)] = of_sums ? of(one) : 1;
      if (of_sums) parts.layer.params[name(one)] = int64_t{1};
    }
  }

  /// Shape [N,C,H,W] of one number per window.
  static std::vector<uint64_t> sums_shape(const NetworkLayer& windows, uint64_t lanes) {
    const auto size = [&](const char* name) { return static_cast<uint64_t>(param(windows, name)); };
    return {size("N"), lanes, size("OH"), size("OW")};
  }

  /// A convolution of `layer`'s input by weights of 128, with the windows of `windows`.
  NetworkLayer products_with_128(const NetworkLayer& layer, const NetworkLayer& windows, uint64_t lanes,
                                 const char* name) {
    NetworkLayer sums = summing(layer, "conv_sums", name);
    sums.layer.params = windows.layer.params;
    for (const char* scaled : {"ZY", "LOWEST", "HIGHEST"}) sums.layer.params.erase(scaled);
    set_count(sums, "OC", lanes);
    const auto size = [&](const char* of) { return static_cast<uint64_t>(param(windows, of)); };
    add_result(sums, sums_shape(windows, lanes));
    set_weights(sums, {size("KH"), size("KW"), size("IC"), lanes}, {lanes});
    return sums;
  }

  static NetworkLayer summing(const NetworkLayer& layer, const char* operation, const char* name) {
    NetworkLayer sums;
    sums.layer.name = layer.layer.name + "/" + name;
    sums.operation = operation;
    sums.activations["x"] = layer.activations.at("x");
    sums.layer.dtypes["x"] = layer.layer.dtypes.at("x");
    return sums;
  }

  void add_result(NetworkLayer& sums, const std::vector<uint64_t>& shape) {
    Storage storage = vector_storage(machine_, DType::kI32, shape);
    storage.allocation = network_.activations.size();
    sums.activations["y"] = network_.activations.size();
    sums.layer.dtypes["y"] = DType::kI32;
    network_.activations.push_back({sums.layer.name, DType::kI32, shape, 0, std::move(storage)});
  }

  static void set_weights(NetworkLayer& sums, const std::vector<uint64_t>& weights,
                          const std::vector<uint64_t>& biases) {
    sums.constants["w"] = filled(weights, kOffset, 1);
    sums.constants["b"] = filled(biases, 0, sizeof(int32_t));
    sums.layer.dtypes["w"] = DType::kU8;
    sums.layer.dtypes["b"] = DType::kI32;
  }

  Network& network_;
  const acg::Machine& machine_;
};

}  // namespace

Network with_unsigned_weights(Network network, const acg::Machine& machine) {
  Rewriter(network, machine).run();
  return network;
}

}  // namespace covenant::compiler::vliw
