#include "compiler/network/conv_lowerings.h"

#include <algorithm>
#include <cstring>

#include "acg/base/check.h"
#include "acg/base/rounding.h"

namespace covenant::compiler {
namespace {


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

/// w [KH, columns * channels, O] -> [groups, columns * rows * channels, O]: `rows` rows of the kernel lie pixel beside
/// pixel; the first group begins with `before` rows of zeros.
ConstantTensor in_groups(const ConstantTensor& weights, uint64_t channels, uint64_t rows, uint64_t before) {
  const uint64_t kernel_rows = weights.shape.at(0);
  const uint64_t columns = weights.shape.at(1) / channels;
  const uint64_t outputs = weights.shape.at(2);
  const uint64_t groups = ceil_divide(kernel_rows + before, rows);
  ConstantTensor result{{groups, columns * rows * channels, outputs}, {}};
  result.data.resize(groups * columns * rows * channels * outputs);
  for (uint64_t row = 0; row < kernel_rows; ++row) {
    const uint64_t group = (row + before) / rows;
    const uint64_t within = (row + before) % rows;
    for (uint64_t column = 0; column < columns; ++column) {
      const uint8_t* from = &weights.data[(row * columns + column) * channels * outputs];
      const uint64_t pixel = (group * columns + column) * rows + within;
      std::copy_n(from, channels * outputs, &result.data[pixel * channels * outputs]);
    }
  }
  return result;
}

std::string name_of(int64_t outputs, int64_t rows) {
  std::string name = rows == 1 ? "rows" : "rows by " + std::to_string(rows);
  if (outputs > 1) name += " of " + std::to_string(outputs) + " outputs";
  return name;
}

/// Of the input: each window's row, or `rows` of them, is one run of bytes.
PixelLayout input_layout(const NetworkLayer& plain, int64_t outputs, int64_t rows) {
  const int64_t all_outputs = round_up(param(plain, "OW"), outputs);
  const int64_t read = (all_outputs - 1) * param(plain, "SW") + param(plain, "KW");
  PixelLayout x;
  x.channels = static_cast<uint64_t>(param(plain, "IC"));
  x.left_pixels = static_cast<uint64_t>(param(plain, "PL"));
  x.row_pixels = static_cast<uint64_t>(std::max(param(plain, "PL") + param(plain, "IW"), read));
  x.row_group = static_cast<uint64_t>(rows);
  return x;
}

PixelLayout output_layout(const NetworkLayer& plain, int64_t outputs) {
  PixelLayout y;
  y.channels = static_cast<uint64_t>(param(plain, "OC"));
  y.row_pixels = static_cast<uint64_t>(round_up(param(plain, "OW"), outputs));
  return y;
}

/// Rows of zeros in front of the kernel: its first row need not be the first of a group.
int64_t rows_before(const NetworkLayer& plain, int64_t rows) {
  return round_up(param(plain, "PT"), rows) - param(plain, "PT");
}

/// Of `conv_rows`, whose rows are groups of `rows`.
decltype(Layer::params) rows_params(const NetworkLayer& plain, int64_t outputs, int64_t rows) {
  decltype(Layer::params) params;
  for (const char* kept : {"N", "OH", "ZX", "ZY", "LOWEST", "HIGHEST"}) {
    if (plain.layer.params.contains(kept)) params[kept] = plain.layer.params.at(kept);
  }
  const int64_t pixel = rows * param(plain, "IC");
  const int64_t pitch = static_cast<int64_t>(input_layout(plain, outputs, rows).row_pixels) * pixel;
  const int64_t input_groups = ceil_divide(param(plain, "IH"), rows);
  params["IH"] = input_groups;
  params["KH"] = ceil_divide(param(plain, "KH") + rows_before(plain, rows), rows);
  params["SH"] = param(plain, "SH") / rows;
  params["PT"] = ceil_divide(param(plain, "PT"), rows);
  params["OW"] = ceil_divide(param(plain, "OW"), outputs);
  params["OC"] = outputs * param(plain, "OC");
  params["R"] = (param(plain, "KW") + (outputs - 1) * param(plain, "SW")) * pixel;
  params["STEP"] = outputs * param(plain, "SW") * pixel;
  params["PITCH"] = pitch;
  params["PLANE"] = pitch * input_groups;
  return params;
}

/// `outputs` neighbours in one vector, `rows` rows of the kernel in one step of the reduction.
ConvLowering rows_of(const Network& network, size_t index, int64_t outputs, int64_t rows) {
  const NetworkLayer& plain = network.layers[index];
  ConvLowering made{name_of(outputs, rows), plain, {}};
  made.layer.operation = plain.operation == "conv" ? "conv_rows" : "conv_rows_sums";
  made.layer.layer.params = rows_params(plain, outputs, rows);
  const PixelLayout x = input_layout(plain, outputs, rows);
  const auto copies = static_cast<uint64_t>(outputs);
  const auto stride = static_cast<uint64_t>(param(plain, "SW"));
  const auto columns = static_cast<uint64_t>(param(plain, "KW")) + (copies - 1) * stride;
  const ConstantTensor beside = side_by_side(plain.constants.at("w"), columns, copies, stride);
  made.layer.constants["w"] =
      in_groups(beside, x.channels, x.row_group, static_cast<uint64_t>(rows_before(plain, rows)));
  for (const char* name : {"b", "s"}) {
    if (plain.constants.contains(name)) made.layer.constants[name] = repeated(plain.constants.at(name), copies);
  }
  made.layouts[plain.activations.at("x")] = x;
  if (outputs > 1) made.layouts[plain.activations.at("y")] = output_layout(plain, outputs);
  return made;
}

}  // namespace

std::vector<ConvLowering> conv_lowerings(const Network& network, size_t index, const acg::Machine& machine) {
  const NetworkLayer& plain = network.layers.at(index);
  std::vector<ConvLowering> result{{"plain", plain, {}}};
  if (plain.operation != "conv" && plain.operation != "conv_sums") return result;
  if (param(plain, "DH") != 1 || param(plain, "DW") != 1) return result;
  const size_t x = plain.activations.at("x");
  if (!is_boundary(network.inputs, x) || is_boundary(network.outputs, x) || !is_own(network, index, x)) return result;
  std::vector<int64_t> outputs{1};
  const size_t y = plain.activations.at("y");
  const uint64_t lanes = padded_channels(machine, network.activations[y].dtype, 1);
  const auto channels = static_cast<uint64_t>(param(plain, "OC"));
  if (lanes > channels && lanes % channels == 0 && is_boundary(network.outputs, y) && is_own(network, index, y)) {
    outputs.push_back(static_cast<int64_t>(lanes / channels));
  }
  // Windows begin at whole groups of rows: the stride is a multiple of the group.
  for (int64_t rows = 1; rows <= std::min(param(plain, "SH"), param(plain, "KH")); ++rows) {
    if (param(plain, "SH") % rows != 0 || rows > param(plain, "IH")) continue;
    for (const int64_t beside : outputs) result.push_back(rows_of(network, index, beside, rows));
  }
  return result;
}

}  // namespace covenant::compiler
