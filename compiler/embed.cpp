#include "compiler/embed.h"

#include <algorithm>
#include <cstring>

#include "acg/base/check.h"

namespace covenant::compiler {
namespace {

using codegen::ConstantTensor;

bool is_boundary(const std::vector<Boundary>& boundaries, size_t activation) {
  return std::any_of(boundaries.begin(), boundaries.end(),
                     [&](const Boundary& boundary) { return boundary.activation == activation; });
}

/// True if no other layer touches the activation.
bool is_own(const Network& network, size_t index, size_t activation) {
  for (size_t i = 0; i < network.layers.size(); ++i) {
    for (const auto& [name, used] : network.layers[i].activations) {
      if (i != index && used == activation) return false;
    }
  }
  return true;
}

int64_t param(const NetworkLayer& layer, const std::string& name) {
  return std::get<int64_t>(layer.layer.params.at(name));
}

int64_t ceil_divide(int64_t value, int64_t divisor) { return (value + divisor - 1) / divisor; }

/// w [KH,KW,IC,OC] -> [KH, columns * IC, group * OC]: output g of a group sees the window `g * stride` columns further.
ConstantTensor side_by_side(const ConstantTensor& weights, uint64_t columns, uint64_t group, uint64_t stride) {
  const uint64_t kernel_rows = weights.shape.at(0);
  const uint64_t kernel_columns = weights.shape.at(1);
  const uint64_t inputs = weights.shape.at(2);
  const uint64_t outputs = weights.shape.at(3);
  ConstantTensor result{{kernel_rows, columns * inputs, group * outputs}, {}};
  result.data.resize(kernel_rows * columns * inputs * group * outputs);
  for (uint64_t row = 0; row < kernel_rows; ++row) {
    for (uint64_t column = 0; column < kernel_columns; ++column) {
      for (uint64_t input = 0; input < inputs; ++input) {
        const uint8_t* from = &weights.data[((row * kernel_columns + column) * inputs + input) * outputs];
        for (uint64_t g = 0; g < group; ++g) {
          const uint64_t vector = (row * columns + column + g * stride) * inputs + input;
          std::copy_n(from, outputs, &result.data[(vector * group + g) * outputs]);
        }
      }
    }
  }
  return result;
}

/// A vector of one element per output, once for each output of a group.
ConstantTensor repeated(const ConstantTensor& tensor, uint64_t group) {
  ConstantTensor result{{tensor.shape.at(0) * group}, {}};
  for (uint64_t g = 0; g < group; ++g) result.data.insert(result.data.end(), tensor.data.begin(), tensor.data.end());
  return result;
}

Embedding rows_of(const Network& network, size_t index, int64_t group) {
  const NetworkLayer& plain = network.layers[index];
  const auto is_kept = [](const std::string& name) {
    return name == "N" || name == "IH" || name == "OH" || name == "KH" || name == "SH" || name == "PT" ||
           name == "ZX" || name == "ZY" || name == "LOWEST" || name == "HIGHEST";
  };
  Embedding made{group == 1 ? "rows" : "rows of " + std::to_string(group) + " outputs", plain, {}};
  made.layer.operation = plain.operation == "conv" ? "conv_rows" : "conv_rows_sums";
  std::erase_if(made.layer.layer.params, [&](const auto& entry) { return !is_kept(entry.first); });
  const int64_t stride = param(plain, "SW");
  const int64_t channels = param(plain, "IC");
  const int64_t groups = ceil_divide(param(plain, "OW"), group);
  const int64_t columns = param(plain, "KW") + (group - 1) * stride;
  PixelLayout x;
  x.channels = static_cast<uint64_t>(channels);
  x.left_pixels = static_cast<uint64_t>(param(plain, "PL"));
  x.row_pixels = static_cast<uint64_t>(
      std::max(param(plain, "PL") + param(plain, "IW"), (groups * group - 1) * stride + param(plain, "KW")));
  const int64_t pitch = static_cast<int64_t>(x.row_pixels) * channels;
  made.layer.layer.params["OW"] = groups;
  made.layer.layer.params["OC"] = group * param(plain, "OC");
  made.layer.layer.params["R"] = columns * channels;
  made.layer.layer.params["STEP"] = group * stride * channels;
  made.layer.layer.params["PITCH"] = pitch;
  made.layer.layer.params["PLANE"] = pitch * param(plain, "IH");
  const auto copies = static_cast<uint64_t>(group);
  made.layer.constants["w"] =
      side_by_side(plain.constants.at("w"), static_cast<uint64_t>(columns), copies, static_cast<uint64_t>(stride));
  for (const char* name : {"b", "s"}) {
    if (plain.constants.contains(name)) made.layer.constants[name] = repeated(plain.constants.at(name), copies);
  }
  made.layouts[plain.activations.at("x")] = x;
  if (group > 1) {
    PixelLayout y;
    y.channels = static_cast<uint64_t>(param(plain, "OC"));
    y.row_pixels = static_cast<uint64_t>(groups * group);
    made.layouts[plain.activations.at("y")] = y;
  }
  return made;
}

}  // namespace

std::vector<Embedding> embeddings(const Network& network, size_t index, const acg::Machine& machine) {
  const NetworkLayer& plain = network.layers.at(index);
  std::vector<Embedding> result{{"plain", plain, {}}};
  if (plain.operation != "conv" && plain.operation != "conv_sums") return result;
  const size_t x = plain.activations.at("x");
  if (!is_boundary(network.inputs, x) || is_boundary(network.outputs, x) || !is_own(network, index, x)) return result;
  result.push_back(rows_of(network, index, 1));
  const size_t y = plain.activations.at("y");
  const uint64_t lanes = padded_channels(machine, network.activations[y].dtype, 1);
  const auto channels = static_cast<uint64_t>(param(plain, "OC"));
  if (lanes > channels && lanes % channels == 0 && is_boundary(network.outputs, y) && is_own(network, index, y)) {
    result.push_back(rows_of(network, index, static_cast<int64_t>(lanes / channels)));
  }
  return result;
}

}  // namespace covenant::compiler
