#include "compiler/target/vliw/unsigned_weights.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "compiler/network/layer_params.h"

namespace covenant::compiler::vliw {
namespace {

constexpr uint8_t kOffset = 128;  // of an unsigned weight

int64_t param(const NetworkLayer& layer, const char* name) { return std::get<int64_t>(layer.layer.params.at(name)); }

/// Sums that one instruction makes of unsigned weights and inputs of this dtype.
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

/// Extents of w without its columns: what stands before a chunk of them, and the rows within one.
struct Rows {
  uint64_t outer = 1;
  uint64_t inner = 1;
};

/// [outer, inner, columns] -> [outer, chunks, inner, lanes]; `added` to each element, 0 past the last column.
ConstantTensor in_chunks(const ConstantTensor& tensor, const Rows& rows, uint64_t chunks, uint64_t lanes,
                         size_t element_bytes, uint8_t added = 0) {
  const uint64_t columns = tensor.data.size() / (element_bytes * rows.outer * rows.inner);
  ConstantTensor result{{rows.outer, chunks, rows.inner, lanes}, {}};
  result.data.resize(rows.outer * chunks * rows.inner * lanes * element_bytes);
  for (uint64_t outer = 0; outer < rows.outer; ++outer) {
    for (uint64_t inner = 0; inner < rows.inner; ++inner) {
      const uint8_t* from = &tensor.data[(outer * rows.inner + inner) * columns * element_bytes];
      for (uint64_t column = 0; column < columns; ++column) {
        const uint64_t row = (outer * chunks + column / lanes) * rows.inner + inner;
        uint8_t* to = &result.data[(row * lanes + column % lanes) * element_bytes];
        for (size_t i = 0; i < element_bytes; ++i) to[i] = static_cast<uint8_t>(*from++ + added);
      }
    }
  }
  return result;
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

  /// Of the layers that gain by it.
  std::optional<uint64_t> lanes_of(const NetworkLayer& layer) const {
    if (layer.operation != "conv_sums" && layer.operation != "gemm_sums") return std::nullopt;
    const std::optional<uint64_t> lanes = sums_at_once(machine_, tensor(layer, "x").dtype);
    if (!lanes || layer.layer.dtypes.at("w") != DType::kI8 || !layer.constants.contains("w")) return std::nullopt;
    const uint64_t columns = channels_in_memory(tensor(layer, "y").storage);
    return columns % *lanes == 0 && columns > *lanes ? lanes : std::nullopt;
  }

  /// The layer in front of `layer`, which becomes the one with unsigned weights.
  void rewrite(NetworkLayer& layer, uint64_t lanes) {
    const bool is_gemm = layer.operation == "gemm_sums";
    const uint64_t chunks = channels_in_memory(tensor(layer, "y").storage) / lanes;
    NetworkLayer sums = is_gemm ? row_sums(layer, lanes) : window_sums(layer, lanes);
    layer.activations["r"] = sums.activations.at("y");
    layer.layer.dtypes["r"] = DType::kI32;
    network_.layers.push_back(std::move(sums));
    set_views(network_, network_.layers.back(), machine_);

    const std::vector<uint64_t> shape = layer.constants.at("w").shape;
    const uint64_t taps = is_gemm ? shape[0] : shape[0] * shape[1];
    ConstantTensor weights = in_chunks(layer.constants.at("w"), {taps, shape.end()[-2]}, chunks, lanes, 1, kOffset);
    if (!is_gemm) weights.shape = {shape[0], shape[1], chunks, shape[2], lanes};
    layer.constants["w"] = std::move(weights);
    layer.layer.dtypes["w"] = DType::kU8;
    ConstantTensor bias = in_chunks(layer.constants.at("b"), {is_gemm ? taps : 1, 1}, chunks, lanes, sizeof(int32_t));
    bias.shape = is_gemm ? std::vector{taps, chunks, lanes} : std::vector{chunks, lanes};
    layer.constants["b"] = std::move(bias);
    layer.layer.params.erase(is_gemm ? "O" : "OC");
    set_count(layer, "T", chunks);
    set_count(layer, "L", lanes);
    layer.operation += "_unsigned";
  }

  /// 128 times the sum of each row, in all lanes.
  NetworkLayer row_sums(const NetworkLayer& layer, uint64_t lanes) {
    NetworkLayer sums = summing(layer, "row_sums");
    const auto groups = static_cast<uint64_t>(param(layer, "G")), rows = static_cast<uint64_t>(param(layer, "N")),
               inner = static_cast<uint64_t>(param(layer, "K"));
    for (const auto& [name, count] :
         {std::pair{"G", groups}, std::pair{"M", rows}, std::pair{"K", inner}, std::pair{"L", lanes}}) {
      set_count(sums, name, count);
    }
    const std::vector<uint64_t> shape{groups, rows, lanes};
    set_tensors(sums, shape, dense(outermost(), shape, {0, 1, 2}, lanes), {inner, lanes}, lanes);
    return sums;
  }

  /// 128 times the sum of each window, in all lanes.
  NetworkLayer window_sums(const NetworkLayer& layer, uint64_t lanes) {
    NetworkLayer sums = summing(layer, "conv_sums");
    sums.layer.params = layer.layer.params;
    set_count(sums, "OC", lanes);
    const std::vector<uint64_t>& made = tensor(layer, "y").shape;
    const std::vector<uint64_t> shape{made[0], lanes, made[2], made[3]};
    std::vector<uint64_t> weights = layer.constants.at("w").shape;
    weights.back() = lanes;
    set_tensors(sums, shape, vector_storage(machine_, DType::kI32, shape), weights, lanes);
    return sums;
  }

  const std::string& outermost() const { return acg::get(machine_, acg::outermost_memory(machine_)).name; }

  static NetworkLayer summing(const NetworkLayer& layer, const char* operation) {
    NetworkLayer sums;
    sums.layer.name = layer.layer.name + "/sums";
    sums.operation = operation;
    sums.activations["x"] = layer.activations.at("x");
    sums.layer.dtypes["x"] = layer.layer.dtypes.at("x");
    return sums;
  }

  void set_tensors(NetworkLayer& sums, const std::vector<uint64_t>& shape, Storage storage,
                   const std::vector<uint64_t>& weights, uint64_t lanes) {
    storage.allocation = network_.activations.size();
    sums.activations["y"] = network_.activations.size();
    network_.activations.push_back({sums.layer.name, DType::kI32, shape, 0, std::move(storage)});
    sums.constants["w"] = filled(weights, kOffset, 1);
    sums.constants["b"] = filled({lanes}, 0, sizeof(int32_t));
    sums.layer.dtypes["w"] = DType::kU8;
    sums.layer.dtypes["b"] = DType::kI32;
    sums.layer.dtypes["y"] = DType::kI32;
  }

  Network& network_;
  const acg::Machine& machine_;
};

}  // namespace

void use_unsigned_weights(Network& network, const acg::Machine& machine) { Rewriter(network, machine).run(); }

}  // namespace covenant::compiler::vliw
