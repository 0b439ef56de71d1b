#include "compiler/lowerings/conv_lowerings.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/layer_traits.h"
#include "compiler/network/tensor_uses.h"
#include "compiler/srdfg/queries.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

/// Bytes of an element.
size_t width_of(const ConstantTensor& tensor) { return tensor.data.size() / srdfg::element_count(tensor.shape); }

/// w [KH,KW,IC,OC] -> [KH, columns * IC, group * OC]: output g of a group sees the window `g * stride` columns further.
ConstantTensor side_by_side(const ConstantTensor& weights, uint64_t columns, uint64_t group, uint64_t stride) {
  const uint64_t kernel_rows = weights.shape.at(0);
  const uint64_t kernel_columns = weights.shape.at(1);
  const uint64_t inputs = weights.shape.at(2);
  const uint64_t outputs = weights.shape.at(3);
  ConstantTensor result{{kernel_rows, columns * inputs, group * outputs}, {}};
  const size_t width = width_of(weights);
  result.data.resize(kernel_rows * columns * inputs * group * outputs * width);
  for (uint64_t row = 0; row < kernel_rows; ++row) {
    for (uint64_t column = 0; column < kernel_columns; ++column) {
      for (uint64_t input = 0; input < inputs; ++input) {
        const uint8_t* from = &weights.data[((row * kernel_columns + column) * inputs + input) * outputs * width];
        for (uint64_t g = 0; g < group; ++g) {
          const uint64_t vector = (row * columns + column + g * stride) * inputs + input;
          std::copy_n(from, outputs * width, &result.data[(vector * group + g) * outputs * width]);
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
  const size_t width = width_of(weights);
  result.data.resize(groups * columns * rows * channels * outputs * width);
  for (uint64_t row = 0; row < kernel_rows; ++row) {
    const uint64_t group = (row + before) / rows;
    const uint64_t within = (row + before) % rows;
    for (uint64_t column = 0; column < columns; ++column) {
      const uint8_t* from = &weights.data[(row * columns + column) * channels * outputs * width];
      const uint64_t pixel = (group * columns + column) * rows + within;
      std::copy_n(from, channels * outputs * width, &result.data[pixel * channels * outputs * width]);
    }
  }
  return result;
}

std::string name_of(int64_t outputs, int64_t rows) {
  std::string name = rows == 1 ? "rows" : "rows by " + std::to_string(rows);
  if (outputs > 1) name += " of " + std::to_string(outputs) + " outputs";
  return name;
}

/// True if pixels of `rows` rows are interleaved, each with exactly `channels` channels and no padding.
bool is_dense(const Storage& storage, uint64_t channels, uint64_t rows) {
  const std::vector<StorageDimension>& d = storage.dimensions;
  const bool has_rows =
      rows == 1 ? d[2].strides.size() == 1 : d[2].strides.size() == 2 && d[2].strides[1] == acg::Stride{rows, channels};
  return has_rows && d[1].strides == std::vector<acg::Stride>{{channels, 1}} && d[3].strides.size() == 1 &&
         d[3].strides[0].stride == rows * channels && d[0].strides.size() == 1;
}

/// Columns that the windows of all outputs span, from the first pad on.
uint64_t columns_read(const NetworkLayer& plain, int64_t outputs) {
  const int64_t all_outputs = round_up(param(plain, "OW"), outputs);
  return static_cast<uint64_t>((all_outputs - 1) * param(plain, "SW") + param(plain, "KW"));
}

/// The storage of the input in which each window's row, or `rows` of them, is one run of bytes; its present storage if
/// that has this form.
Storage input_storage(const NetworkLayer& plain, const Activation& x, bool by_host, int64_t outputs, int64_t rows) {
  const auto left = static_cast<uint64_t>(param(plain, "PL"));
  const uint64_t read = columns_read(plain, outputs);
  const StorageDimension& columns = x.storage.dimensions.at(3);
  const auto channels = static_cast<uint64_t>(param(plain, "IC"));
  const bool has_pads = columns.before >= left && left + columns.size + columns.after >= read;
  const bool has_values = by_host || x.storage.is_filled || (left == 0 && columns.size >= read);
  if (has_pads && has_values && is_dense(x.storage, channels, static_cast<uint64_t>(rows))) return x.storage;
  Storage wanted = channels_last(x.storage.memory, x.shape,
                                 {.channels = channels,
                                  .left_pixels = left,
                                  .row_pixels = std::max(left + columns.size, read),
                                  .row_group = static_cast<uint64_t>(rows)});
  wanted.is_filled = !by_host && read > columns.size;
  return wanted;
}

/// The storage of the output in whole vectors of `outputs` pixels; its present storage if that has this form.
Storage output_storage(const NetworkLayer& plain, const Activation& y, int64_t outputs) {
  const auto channels = static_cast<uint64_t>(param(plain, "OC"));
  const auto pixels = static_cast<uint64_t>(round_up(param(plain, "OW"), outputs));
  const StorageDimension& columns = y.storage.dimensions.at(3);
  // Pads that others read are not written over.
  const bool has_room = columns.size == pixels || (!y.storage.is_filled && columns.size + columns.after >= pixels);
  if (has_room && is_dense(y.storage, channels, 1)) return y.storage;
  return channels_last(y.storage.memory, y.shape, {.channels = channels, .row_pixels = pixels});
}

/// Rows of zeros in front of the kernel: its first row need not be the first of a group.
int64_t rows_before(const NetworkLayer& plain, int64_t rows) {
  return round_up(param(plain, "PT"), rows) - param(plain, "PT");
}

/// The params of `conv_rows`, whose rows are groups of `rows`.
decltype(Layer::params) rows_params(const NetworkLayer& plain, const Storage& x, int64_t outputs, int64_t rows) {
  decltype(Layer::params) params;
  for (const char* kept : {"N", "OH", "ZX", "ZY", "LOWEST", "HIGHEST"}) {
    if (plain.layer.params.contains(kept)) params[kept] = plain.layer.params.at(kept);
  }
  const int64_t pixel = rows * param(plain, "IC");
  params["IH"] = ceil_divide(param(plain, "IH"), rows);
  params["KH"] = ceil_divide(param(plain, "KH") + rows_before(plain, rows), rows);
  params["SH"] = param(plain, "SH") / rows;
  params["PT"] = ceil_divide(param(plain, "PT"), rows);
  params["OW"] = ceil_divide(param(plain, "OW"), outputs);
  params["OC"] = outputs * param(plain, "OC");
  params["R"] = (param(plain, "KW") + (outputs - 1) * param(plain, "SW")) * pixel;
  params["STEP"] = outputs * param(plain, "SW") * pixel;
  params["PITCH"] = static_cast<int64_t>(x.dimensions[2].strides[0].stride);
  params["PLANE"] = static_cast<int64_t>(x.dimensions[0].strides[0].stride);
  params["FIRST"] = static_cast<int64_t>(x.offset) - param(plain, "PL") * pixel;
  return params;
}

/// Weights, biases and scales of `rows_of`.
void set_constants(const NetworkLayer& plain, int64_t outputs, int64_t rows, NetworkLayer& made) {
  const auto copies = static_cast<uint64_t>(outputs);
  const auto stride = static_cast<uint64_t>(param(plain, "SW"));
  const auto columns = static_cast<uint64_t>(param(plain, "KW")) + (copies - 1) * stride;
  const ConstantTensor beside = side_by_side(plain.constants.at("w"), columns, copies, stride);
  made.constants["w"] = in_groups(beside, static_cast<uint64_t>(param(plain, "IC")), static_cast<uint64_t>(rows),
                                  static_cast<uint64_t>(rows_before(plain, rows)));
  for (const char* name : {"b", "s"}) {
    if (plain.constants.contains(name)) made.constants[name] = repeated(plain.constants.at(name), copies);
  }
}

/// `outputs` neighbours in one vector, `rows` rows of the kernel in one step of the reduction.
ConvLowering rows_of(const Network& network, const TensorUses& uses, size_t index, int64_t outputs, int64_t rows) {
  const NetworkLayer& plain = network.layers[index];
  ConvLowering made{name_of(outputs, rows), plain, {}};
  made.layer.operation = traits(plain).by_rows;
  made.layer.lowering = made.name;
  const size_t read = plain.activations.at("x");
  const bool by_host = uses.is_input(read);
  const Storage x = input_storage(plain, network.activations[read], by_host, outputs, rows);
  if (x != network.activations[read].storage) made.storages[read] = x;
  made.layer.layer.params = rows_params(plain, x, outputs, rows);
  if (plain.constants.contains("w")) set_constants(plain, outputs, rows, made.layer);
  if (outputs == 1) return made;
  const size_t written = plain.activations.at("y");
  const Storage y = output_storage(plain, network.activations[written], outputs);
  if (y != network.activations[written].storage) made.storages[written] = y;
  made.layer.views["y"] = permuted(y, memory_order(y.dimensions.size()));
  return made;
}

/// The DMA engine gathers whole bytes: of elements that are less than one, not every window begins and ends there.
bool has_whole_runs(const NetworkLayer& rows, uint32_t element_bits) {
  const std::array names{"R", "STEP", "PITCH", "PLANE", "FIRST"};
  return std::ranges::all_of(names, [&](const char* name) { return param(rows, name) * element_bits % 8 == 0; });
}

/// Could more of the window fill a vector of the reduction? Between layers, where a storage has more than one reader
/// and writer, only ways that promise something are worth a look.
bool is_promising(const NetworkLayer& plain, const acg::Machine& machine, int64_t outputs) {
  const auto channels = static_cast<uint64_t>(param(plain, "IC"));
  return outputs > 1 || (param(plain, "KW") > 1 && channels % reduced_at_once(machine) != 0);
}

}  // namespace

std::vector<ConvLowering> conv_lowerings(const Network& network, size_t index, const acg::Machine& machine) {
  return conv_lowerings(network, TensorUses(network), index, machine);
}

std::vector<ConvLowering> conv_lowerings(const Network& network, const TensorUses& uses, size_t index,
                                         const acg::Machine& machine) {
  const NetworkLayer& plain = network.layers.at(index);
  std::vector<ConvLowering> result{{"plain", plain, {}}};
  if (traits(plain).by_rows.empty()) return result;
  if (param(plain, "DH") != 1 || param(plain, "DW") != 1 || !has_transfer_engines(machine)) return result;
  const size_t x = plain.activations.at("x");
  // A row of channels that is seen as one pixel has no rows of pixels.
  if (!uses.has_free_storage(x) || network.activations[x].shape.size() != 4) return result;
  std::vector<int64_t> outputs{1};
  const size_t y = plain.activations.at("y");
  const uint64_t lanes = codelet::written_at_once(machine, network.activations[y].dtype);
  const auto channels = static_cast<uint64_t>(param(plain, "OC"));
  if (lanes > channels && lanes % channels == 0 && uses.has_free_storage(y)) {
    outputs.push_back(static_cast<int64_t>(lanes / channels));
  }
  // Windows begin at whole groups of rows: the stride is a multiple of the group. Only the host writes such groups.
  const bool by_host = uses.is_input(x);
  const int64_t most = by_host ? std::min(param(plain, "SH"), param(plain, "KH")) : 1;
  for (int64_t rows = 1; rows <= most; ++rows) {
    if (param(plain, "SH") % rows != 0 || rows > param(plain, "IH")) continue;
    for (const int64_t beside : outputs) {
      if (!by_host && !is_promising(plain, machine, beside)) continue;
      ConvLowering made = rows_of(network, uses, index, beside, rows);
      if (has_whole_runs(made.layer, bits(network.activations[x].dtype))) result.push_back(std::move(made));
    }
  }
  return result;
}

}  // namespace covenant::compiler
