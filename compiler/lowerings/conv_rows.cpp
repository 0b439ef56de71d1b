#include "compiler/lowerings/conv_rows.h"

#include <algorithm>
#include <array>
#include <optional>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "compiler/lowerings/adjacent_outputs.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/layer_traits.h"
#include "compiler/network/tensor_uses.h"
#include "compiler/srdfg/queries.h"
#include "compiler/storage/padding.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

using codelet::Expression;

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
  return has_rows && d[1].strides.size() == 1 && d[1].strides[0].stride == 1 && d[3].strides.size() == 1 &&
         d[3].strides[0].stride == rows * channels && d[0].strides.size() == 1;
}

/// Columns that the windows of all outputs span, from the first pad on.
uint64_t columns_read(const NetworkLayer& plain, int64_t outputs) {
  const int64_t all_outputs = round_up(param(plain, "OW"), outputs);
  return static_cast<uint64_t>((all_outputs - 1) * param(plain, "SW") + param(plain, "KW"));
}

/// Channels of a pixel in memory, those that the layer reads among them.
struct Pixel {
  uint64_t channels = 0;
  uint64_t first = 0;  ///< of the layer's
};

/// Pixels of the layer's input: its own, or those of the tensor of which it reads some channels. Nothing if it may not
/// lie elsewhere.
std::optional<Pixel> input_pixel(const NetworkLayer& plain, const Network& network, const TensorUses& uses) {
  const size_t x = plain.activations.at("x");
  // A row of channels that is seen as one pixel has no rows of pixels.
  if (network.activations[x].shape.size() != 4) return std::nullopt;
  if (uses.moves_with_slices(x)) return Pixel{count(plain, "IC")};
  const std::optional<TensorUses::Part> part = uses.part_of(x);
  if (!part || uses.is_input(part->whole)) return std::nullopt;
  const std::vector<uint64_t>& shape = network.activations[part->whole].shape;
  if (!has_all_pixels(part->slice, shape) || part->slice.steps[kChannelAxis] != 1) return std::nullopt;
  return Pixel{shape[kChannelAxis], part->slice.starts[kChannelAxis]};
}

/// The storage of the input in which each window's row, or `rows` of them, is one run of bytes; its present storage if
/// that has this form.
Storage input_storage(const NetworkLayer& plain, const Activation& x, const Pixel& pixel, bool by_host, int64_t outputs,
                      int64_t rows) {
  const auto left = static_cast<uint64_t>(param(plain, "PL"));
  const uint64_t read = columns_read(plain, outputs);
  const StorageDimension& columns = x.storage.dimensions.at(3);
  const bool has_pads = columns.before >= left && left + columns.size + columns.after >= read;
  const bool has_values = by_host || x.storage.is_filled || (left == 0 && columns.size >= read);
  if (has_pads && has_values && is_dense(x.storage, pixel.channels, static_cast<uint64_t>(rows))) return x.storage;
  Storage wanted = channels_last(x.storage.memory, x.shape,
                                 {.channels = pixel.channels,
                                  .left_pixels = left,
                                  .row_pixels = std::max(left + columns.size, read),
                                  .row_group = static_cast<uint64_t>(rows)});
  wanted.offset += pixel.first;
  wanted.is_filled = !by_host && read > columns.size;
  return wanted;
}

/// Rows of zeros in front of the kernel: its first row need not be the first of a group.
int64_t rows_before(const NetworkLayer& plain, int64_t rows) {
  return round_up(param(plain, "PT"), rows) - param(plain, "PT");
}

/// The params of `conv_rows`, whose rows are groups of `rows`.
decltype(Layer::params) rows_params(const NetworkLayer& plain, const Storage& x, const Pixel& of_one, int64_t outputs,
                                    int64_t rows) {
  decltype(Layer::params) params;
  for (const char* kept : {"N", "OH", "ZX", "ZY", "LOWEST", "HIGHEST"}) {
    if (plain.layer.params.contains(kept)) params[kept] = plain.layer.params.at(kept);
  }
  const int64_t pixel = rows * static_cast<int64_t>(of_one.channels);
  params["IH"] = ceil_divide(param(plain, "IH"), rows);
  params["KH"] = ceil_divide(param(plain, "KH") + rows_before(plain, rows), rows);
  params["SH"] = param(plain, "SH") / rows;
  params["PT"] = ceil_divide(param(plain, "PT"), rows);
  params["OW"] = ceil_divide(param(plain, "OW"), outputs);
  params["OC"] = outputs * param(plain, "OC");
  params["R"] = (param(plain, "KW") + (outputs - 1) * param(plain, "SW")) * pixel;
  params["STEP"] = outputs * param(plain, "SW") * pixel;
  // From a single row or image there is no step, which storages that were seen in another shape have as 0.
  params["PITCH"] = std::max<int64_t>(1, static_cast<int64_t>(x.dimensions[2].strides[0].stride));
  params["PLANE"] = std::max<int64_t>(1, static_cast<int64_t>(x.dimensions[0].strides[0].stride));
  params["FIRST"] = static_cast<int64_t>(x.offset - of_one.first) - param(plain, "PL") * pixel;
  return params;
}

/// Weights [KH,KW,IC,OC] of `outputs` neighbours side by side: that of output p4 sees the window p4 strides further.
/// Rows of the kernel lie in groups of `rows`, pixel beside pixel, the first group with rows of zeros in front.
/// Channels of a pixel that the layer does not read have zeros, too.
Packing packed_weights(const NetworkLayer& plain, const Pixel& pixel, int64_t outputs, int64_t rows) {
  const auto size = [](int64_t number) { return static_cast<uint64_t>(number); };
  const int64_t before = rows_before(plain, rows);
  const int64_t groups = ceil_divide(param(plain, "KH") + before, rows);
  const int64_t columns = param(plain, "KW") + (outputs - 1) * param(plain, "SW");
  const auto p = [](size_t i) { return Expression::variable("p" + std::to_string(i)); };
  return {
      {{size(groups)}, {size(columns), size(rows), pixel.channels}, {size(outputs), count(plain, "OC")}},
      {p(0) * rows + p(2) - before, p(1) - p(4) * param(plain, "SW"), p(3) - static_cast<int64_t>(pixel.first), p(5)}};
}

/// `outputs` neighbours in one vector, `rows` rows of the kernel in one step of the reduction.
Lowering rows_of(const Network& network, const TensorUses& uses, size_t index, const Pixel& pixel, int64_t outputs,
                 int64_t rows) {
  const NetworkLayer& plain = network.layers[index];
  Lowering made{.name = name_of(outputs, rows), .maker = "conv_rows", .operation = std::string(traits(plain).by_rows)};
  const size_t read = plain.activations.at("x");
  const Storage x = input_storage(plain, network.activations[read], pixel, uses.is_input(read), outputs, rows);
  made.params = rows_params(plain, x, pixel, outputs, rows);
  made.storages["x"] = x;
  made.packings["w"] = packed_weights(plain, pixel, outputs, rows);
  for (const char* name : {"b", "s"}) {
    if (plain.layer.dtypes.contains(name)) made.packings[name] = repeated_channels(plain, outputs);
  }
  if (outputs == 1) return made;
  made.storages["y"] = dense_outputs(plain, network.activations[plain.activations.at("y")], outputs);
  return made;
}

/// The DMA engine gathers whole bytes: of elements that are less than one, not every window begins and ends there, nor
/// every pixel of a vector of outputs.
bool has_whole_runs(const NetworkLayer& plain, const Lowering& rows, uint32_t element_bits) {
  const bool has_pixels = !rows.storages.contains("y") || param(plain, "OC") * element_bits % 8 == 0;
  if (!has_pixels) return false;
  const std::array names{"R", "STEP", "PITCH", "PLANE", "FIRST"};
  return std::ranges::all_of(
      names, [&](const char* name) { return std::get<int64_t>(rows.params.at(name)) * element_bits % 8 == 0; });
}

/// Could more of the window fill a vector of the reduction? Between layers, where a storage has more than one reader
/// and writer, only ways that promise something are worth a look.
bool is_promising(const NetworkLayer& plain, const Pixel& pixel, const acg::Machine& machine, int64_t outputs) {
  return outputs > 1 || (param(plain, "KW") > 1 && pixel.channels % reduced_at_once(machine) != 0);
}

}  // namespace

std::vector<Lowering> conv_row_lowerings(const Network& network, const TensorUses& uses, size_t index,
                                         const acg::Machine& machine) {
  const NetworkLayer& plain = network.layers.at(index);
  std::vector<Lowering> result;
  if (traits(plain).by_rows.empty()) return result;
  if (param(plain, "DH") != 1 || param(plain, "DW") != 1 || !has_transfer_engines(machine)) return result;
  const size_t x = plain.activations.at("x");
  const std::optional<Pixel> pixel = input_pixel(plain, network, uses);
  if (!pixel) return result;
  std::vector<int64_t> outputs = outputs_in_lanes(uses, plain, machine);
  outputs.insert(outputs.begin(), 1);
  // Windows begin at whole groups of rows: the stride is a multiple of the group. Only the host writes such groups.
  const bool by_host = uses.is_input(x);
  const int64_t most = by_host ? std::min(param(plain, "SH"), param(plain, "KH")) : 1;
  for (int64_t rows = 1; rows <= most; ++rows) {
    if (param(plain, "SH") % rows != 0 || rows > param(plain, "IH")) continue;
    for (const int64_t beside : outputs) {
      if (!by_host && !is_promising(plain, *pixel, machine, beside)) continue;
      Lowering made = rows_of(network, uses, index, *pixel, beside, rows);
      if (has_whole_runs(plain, made, bits(network.activations[x].dtype))) result.push_back(std::move(made));
    }
  }
  return result;
}

}  // namespace covenant::compiler
