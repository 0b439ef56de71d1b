#include "compiler/layers/pixel_blocks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "acg/base/rounding.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/layers/copy_layers.h"
#include "compiler/layers/groups.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/views.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

/// Most pixels of a block along one axis: longer ones have fewer channels than copies can move at once.
constexpr uint64_t kMostPixels = 4;

/// Part of an axis: in each of `blocks` blocks from `block` on, `inner` indices from `within` on.
struct Piece {
  uint64_t start = 0;  ///< its first index of the axis
  uint64_t block = 0;
  uint64_t within = 0;
  uint64_t blocks = 1;
  uint64_t inner = 1;
};

/// Whole blocks, what is before them and what is after them. Index 0 is index `skipped` of block 0.
std::vector<Piece> adjacent_pieces(uint64_t indices, uint64_t size, uint64_t skipped) {
  std::vector<Piece> pieces;
  for (uint64_t at = 0; at < indices;) {
    const uint64_t place = at + skipped, within = place % size;
    Piece piece{at, place / size, within, 1, std::min(size - within, indices - at)};
    if (piece.inner == size) piece.blocks = (indices - at) / size;
    pieces.push_back(piece);
    at += piece.blocks * piece.inner;
  }
  return pieces;
}

/// The indices at each place of their blocks.
std::vector<Piece> pieces_by_place(uint64_t indices, uint64_t size, uint64_t skipped) {
  std::vector<Piece> pieces;
  for (uint64_t at = 0; at < std::min(indices, size); ++at) {
    const uint64_t place = at + skipped;
    pieces.push_back({at, place / size, place % size, ceil_divide(indices - at, size), 1});
  }
  return pieces;
}

/// All indices of an axis in as few pieces as these.
std::vector<Piece> pieces_of(uint64_t indices, uint64_t size, uint64_t skipped) {
  std::vector<Piece> adjacent = adjacent_pieces(indices, size, skipped);
  return adjacent.size() <= size ? adjacent : pieces_by_place(indices, size, skipped);
}

/// Rows or columns of a convolution in blocks. Windows are one index apart.
struct Axis {
  uint64_t size = 1;      ///< of a block
  uint64_t inputs = 1;    ///< indices of the image
  uint64_t outputs = 1;   ///< of the result
  uint64_t kernel = 1;    ///< elements
  uint64_t dilation = 1;  ///< between them
  uint64_t pad = 0;       ///< indices before the image that the first window sees
  uint64_t shift = 0;     ///< where the second block of the result begins; 0: the first one, at index 0

  uint64_t skipped_outputs() const { return shift == 0 ? 0 : size - shift; }
  uint64_t input_blocks() const { return ceil_divide(inputs, size); }
  uint64_t output_blocks() const { return ceil_divide(outputs + skipped_outputs(), size); }
  /// Blocks before the image that the window of the first block sees.
  uint64_t blocks_before() const { return ceil_divide(pad + skipped_outputs(), size); }
  /// Indices of the first of these before that window.
  uint64_t skipped_inputs() const { return blocks_before() * size - pad - skipped_outputs(); }
  uint64_t window() const { return ceil_divide(skipped_inputs() + size + (kernel - 1) * dilation, size); }
  /// The index in a window that element `k` of the kernel joins with index `to` of the result's block.
  uint64_t seen(uint64_t to, uint64_t k) const { return skipped_inputs() + to + k * dilation; }
};

Axis axis_of(const NetworkLayer& layer, char name, const char* pad, uint64_t size, uint64_t shift) {
  const auto of = [&](const char* what) { return count(layer, std::string(what) + name); };
  return {size, of("I"), of("O"), of("K"), of("D"), count(layer, pad), shift};
}

/// Channels of a depthwise convolution whose windows are one pixel apart; nothing for other layers.
std::optional<uint64_t> single_channels(const NetworkLayer& layer) {
  const std::optional<ModelGroups> groups = groups_of_model(layer);
  const bool quantizes_sums = layer.layer.dtypes.contains("s");
  if (!groups || !quantizes_sums || groups->number == 1) return std::nullopt;
  if (param(layer, "SH") != 1 || param(layer, "SW") != 1) return std::nullopt;
  if (groups->inputs != 1 || groups->outputs != 1) return std::nullopt;
  return groups->number;
}

/// Its channels are side by side in memory, and every index is one step from the next.
bool is_plain_image(const Activation& tensor) {
  return tensor.shape.size() == 4 && std::ranges::all_of(tensor.storage.dimensions, has_one_step) &&
         tensor.storage.dimensions[1].strides[0].stride == 1;
}

/// A convolution of single channels in blocks.
struct Blocked {
  Axis rows, columns;
  uint64_t images = 1;
  uint64_t all_channels = 1;
  uint64_t channels = 1;  ///< of a block

  uint64_t vector() const { return rows.size * columns.size * channels; }
  uint64_t groups() const { return ceil_divide(all_channels, channels); }

  /// Steps of the array, and runs that copies move one a cycle.
  uint64_t estimate() const {
    const uint64_t runs = rows.inputs * columns.inputs + rows.outputs * columns.outputs;
    const uint64_t steps = rows.output_blocks() * columns.output_blocks() * rows.window() * columns.window();
    return images * groups() * (runs + steps);
  }
};

/// `channels`: of single_channels; `vector`: most elements of a block.
Blocked blocked_by(const PixelBlock& block, const NetworkLayer& layer, uint64_t channels, uint64_t vector) {
  return {axis_of(layer, 'H', "PT", block.rows, block.row_shift),
          axis_of(layer, 'W', "PL", block.columns, block.column_shift), count(layer, "N"), channels,
          std::min(vector / (block.rows * block.columns), channels)};
}

/// Blocks whose pixels divide a vector, with windows that begin at their first pixel and with results that do.
std::vector<PixelBlock> all_blocks(const NetworkLayer& layer, uint64_t vector) {
  const auto shifts = [&](const char* pad, uint64_t size) {
    std::vector<uint64_t> result{0};
    if (count(layer, pad) % size != 0) result.push_back(count(layer, pad) % size);
    return result;
  };
  std::vector<PixelBlock> blocks;
  for (uint64_t rows = 1; rows <= kMostPixels; rows *= 2) {
    for (uint64_t columns = 1; columns <= kMostPixels; columns *= 2) {
      if (rows * columns == 1 || vector % (rows * columns) != 0) continue;
      for (const uint64_t row_shift : shifts("PT", rows)) {
        for (const uint64_t column_shift : shifts("PL", columns)) {
          blocks.push_back({rows, columns, row_shift, column_shift});
        }
      }
    }
  }
  return blocks;
}

/// The layers of one convolution in blocks.
class BlockLayers {
 public:
  BlockLayers(Network& network, const NetworkLayer& convolution, const Blocked& blocked, const acg::Machine& machine,
              TakenNames& names)
      : network_(network), convolution_(convolution), blocked_(blocked), machine_(machine), names_(names) {}

  std::vector<NetworkLayer> layers(const PixelBlock& block) {
    const size_t x = blocks_of("x", blocked_.rows.input_blocks(), blocked_.columns.input_blocks());
    const size_t y = blocks_of("y", blocked_.rows.output_blocks(), blocked_.columns.output_blocks());
    const Axis &rows = blocked_.rows, &columns = blocked_.columns;
    // Pixels past the last ones are in no copy, and read as those around the image.
    network_.activations[x].storage.is_filled = rows.inputs % rows.size != 0 || columns.inputs % columns.size != 0;
    copy(convolution_.activations.at("x"), x, {rows.inputs, columns.inputs}, {0, 0}, true);
    layers_.push_back(of_blocks(x, y, name_of(block)));
    copy(convolution_.activations.at("y"), y, {rows.outputs, columns.outputs},
         {rows.skipped_outputs(), columns.skipped_outputs()}, false);
    return std::move(layers_);
  }

 private:
  /// An image whose pixels are blocks of the convolution's tensor `name`.
  size_t blocks_of(const char* name, uint64_t rows, uint64_t columns) {
    Activation made = network_.activations[convolution_.activations.at(name)];
    made.name = names_.tensors.unique(made.name + "/blocks");
    made.shape = {blocked_.images, blocked_.groups() * blocked_.vector(), rows, columns};
    made.storage = vector_storage(machine_, made.dtype, made.shape);
    made.storage.allocation = network_.activations.size();
    network_.activations.push_back(std::move(made));
    return network_.activations.size() - 1;
  }

  /// Copies an image of [rows, columns] into its blocks, or out of them. `skipped`: rows and columns of the first block
  /// that are none of its.
  void copy(size_t image, size_t blocks, std::array<uint64_t, 2> sizes, std::array<uint64_t, 2> skipped, bool is_in) {
    for (const Piece& rows : pieces_of(sizes[0], blocked_.rows.size, skipped[0])) {
      for (const Piece& columns : pieces_of(sizes[1], blocked_.columns.size, skipped[1])) {
        for (const Piece& channels : pieces_of(blocked_.all_channels, blocked_.channels, 0)) {
          const std::string name = convolution_.layer.name + (is_in ? "/x_blocks" : "/y_blocks");
          const size_t in_image = image_part(name + "/image", image, {channels, rows, columns});
          const size_t in_blocks = block_part(name, blocks, {channels, rows, columns});
          const auto [from, to] = is_in ? std::pair(in_image, in_blocks) : std::pair(in_blocks, in_image);
          layers_.push_back(copy_of(network_, machine_, names_.layers.unique(name), from, to));
          layers_.back().elementwise = 0;  // none of the model's operations
        }
      }
    }
  }

  using Pieces = std::array<Piece, 3>;  ///< channels, rows, columns

  /// Blocks `outer` elements apart, indices in them `inner`.
  static StorageDimension dimension_of(const Piece& piece, uint64_t outer, uint64_t inner) {
    StorageDimension made{piece.blocks * piece.inner, 0, 0, {}};
    if (piece.blocks > 1) made.strides.push_back({piece.blocks, outer});
    if (piece.inner > 1 || piece.blocks == 1) made.strides.push_back({piece.inner, inner});
    return made;
  }

  /// The image itself, if it is one piece.
  size_t image_part(const std::string& name, size_t image, const Pieces& pieces) {
    const Activation& whole = network_.activations[image];
    TensorPart part{image, 0, {whole.storage.dimensions[0]}};
    bool is_all = true;
    const std::array<uint64_t, 3> sizes{blocked_.channels, blocked_.rows.size, blocked_.columns.size};
    for (size_t d = 0; d < pieces.size(); ++d) {
      const uint64_t stride = whole.storage.dimensions[d + 1].strides[0].stride;
      part.offset += pieces[d].start * stride;
      part.dimensions.push_back(dimension_of(pieces[d], sizes[d] * stride, stride));
      is_all = is_all && part.dimensions.back().size == whole.shape[d + 1];
    }
    return is_all ? image : add_part(network_, names_, name, std::move(part));
  }

  /// Elements of a block: rows, in them columns, in these channels.
  size_t block_part(const std::string& name, size_t blocks, const Pieces& pieces) {
    const std::vector<StorageDimension>& whole = network_.activations[blocks].storage.dimensions;
    const uint64_t pixel = blocked_.channels;
    const std::array<uint64_t, 3> outer{blocked_.vector(), whole[2].strides[0].stride, whole[3].strides[0].stride};
    const std::array<uint64_t, 3> inner{1, blocked_.columns.size * pixel, pixel};
    TensorPart part{blocks, 0, {whole[0]}};
    for (size_t d = 0; d < pieces.size(); ++d) {
      part.offset += pieces[d].block * outer[d] + pieces[d].within * inner[d];
      part.dimensions.push_back(dimension_of(pieces[d], outer[d], inner[d]));
    }
    return add_part(network_, names_, name, std::move(part));
  }

  NetworkLayer of_blocks(size_t x, size_t y, const std::string& lowering) const {
    NetworkLayer layer = convolution_;
    layer.operation = "conv_grouped";
    layer.lowering = lowering;
    layer.activations = {{"x", x}, {"y", y}};
    const auto set_axis = [&](char name, const char* pad, const Axis& axis) {
      set_count(layer, std::string("I") + name, axis.input_blocks());
      set_count(layer, std::string("O") + name, axis.output_blocks());
      set_count(layer, std::string("K") + name, axis.window());
      set_count(layer, std::string("D") + name, 1);
      set_count(layer, pad, axis.blocks_before());
    };
    set_axis('H', "PT", blocked_.rows);
    set_axis('W', "PL", blocked_.columns);
    set_count(layer, "G", blocked_.groups());
    for (const char* channels : {"IC", "OC"}) set_count(layer, channels, blocked_.vector());
    for (const char* name : {"b", "s"}) repeat(layer.constants.at(name), bytes(layer.layer.dtypes.at(name)));
    layer.constants["w"] = weights();
    set_views(network_, layer, machine_);
    return layer;
  }

  /// Numbers of channels, for each pixel of their blocks; 0 where there is no channel.
  void repeat(ConstantTensor& numbers, size_t width) const {
    ConstantTensor made{{blocked_.groups(), blocked_.vector()}, {}};
    made.data.resize(made.shape[0] * made.shape[1] * width);
    for (uint64_t to = 0; to * width < made.data.size(); ++to) {
      const uint64_t channel = to / blocked_.vector() * blocked_.channels + to % blocked_.channels;
      if (channel < blocked_.all_channels) {
        std::memcpy(&made.data[to * width], &numbers.data[channel * width], width);
      }
    }
    numbers = std::move(made);
  }

  /// [KH,KW,G,IC,OC] of blocks.
  ConstantTensor weights() const {
    const Axis &rows = blocked_.rows, &columns = blocked_.columns;
    const uint64_t vector = blocked_.vector();
    ConstantTensor made{{rows.window(), columns.window(), blocked_.groups(), vector, vector}, {}};
    made.data.resize(srdfg::element_count(made.shape) * bytes(convolution_.layer.dtypes.at("w")));
    for (uint64_t kh = 0; kh < rows.kernel; ++kh) {
      for (uint64_t kw = 0; kw < columns.kernel; ++kw) {
        for (uint64_t to = 0; to < rows.size * columns.size; ++to) put(made, kh, kw, to);
      }
    }
    return made;
  }

  /// Writes the element [kh,kw] of each channel's kernel to where it joins a pixel of a window with pixel `to`.
  void put(ConstantTensor& made, uint64_t kh, uint64_t kw, uint64_t to) const {
    const Axis &rows = blocked_.rows, &columns = blocked_.columns;
    const uint64_t row = rows.seen(to / columns.size, kh), column = columns.seen(to % columns.size, kw);
    const uint64_t tap = row / rows.size * columns.window() + column / columns.size;
    const uint64_t from = row % rows.size * columns.size + column % columns.size;
    const uint64_t vector = blocked_.vector(), channels = blocked_.channels;
    const size_t width = bytes(convolution_.layer.dtypes.at("w"));
    for (uint64_t channel = 0; channel < blocked_.all_channels; ++channel) {
      const uint64_t matrix = tap * blocked_.groups() + channel / channels;
      const uint64_t lane = channel % channels;
      const uint64_t place = (matrix * vector + from * channels + lane) * vector + to * channels + lane;
      std::memcpy(&made.data[place * width], weight(kh, kw, channel), width);
    }
  }

  /// Element [kh,kw,g,i,i] of the layer's weights, whose groups may be merged.
  const uint8_t* weight(uint64_t kh, uint64_t kw, uint64_t channel) const {
    const uint64_t merged = count(convolution_, "IC");
    const uint64_t groups = ceil_divide(blocked_.all_channels, merged);
    const uint64_t tap = kh * blocked_.columns.kernel + kw;
    const uint64_t row = (tap * groups + channel / merged) * merged + channel % merged;
    const size_t width = bytes(convolution_.layer.dtypes.at("w"));
    return &convolution_.constants.at("w").data[(row * merged + channel % merged) * width];
  }

  Network& network_;
  const NetworkLayer& convolution_;
  const Blocked blocked_;
  const acg::Machine& machine_;
  TakenNames& names_;
  std::vector<NetworkLayer> layers_;
};

}  // namespace

std::string name_of(const PixelBlock& block) {
  std::string name = fmt::format("blocks of {} x {}", block.rows, block.columns);
  if (block.row_shift + block.column_shift > 0)
    name += fmt::format(" from {}, {}", block.row_shift, block.column_shift);
  return name;
}

std::vector<PixelBlock> pixel_blocks(const Network& network, const NetworkLayer& convolution,
                                     const acg::Machine& machine, uint64_t cycles) {
  const std::optional<uint64_t> channels = single_channels(convolution);
  if (!channels || !has_transfer_engines(machine) || reduced_at_once(machine) == 1) return {};
  const auto tensor = [&](const char* name) -> const Activation& {
    return network.activations[convolution.activations.at(name)];
  };
  if (!is_plain_image(tensor("x")) || !is_plain_image(tensor("y"))) return {};
  const DType read = tensor("x").dtype, written = tensor("y").dtype;
  const uint64_t vector = codelet::written_at_once(machine, written);
  std::vector<std::pair<uint64_t, PixelBlock>> found;
  for (const PixelBlock& block : all_blocks(convolution, vector)) {
    const Blocked blocked = blocked_by(block, convolution, *channels, vector);
    const uint64_t all = blocked.vector();
    const bool fits = blocked.groups() == 1 || are_whole_vectors(machine, read, all, written, all);
    if (fits && blocked.estimate() < cycles) found.emplace_back(blocked.estimate(), block);
  }
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  std::vector<PixelBlock> blocks;
  for (const auto& [estimate, block] : found) blocks.push_back(block);
  return blocks;
}

std::vector<NetworkLayer> in_pixel_blocks(Network& network, const NetworkLayer& convolution, const PixelBlock& block,
                                          const acg::Machine& machine, TakenNames& names) {
  const uint64_t vector = codelet::written_at_once(machine, convolution.layer.dtypes.at("y"));
  const Blocked blocked = blocked_by(block, convolution, single_channels(convolution).value(), vector);
  return BlockLayers(network, convolution, blocked, machine, names).layers(block);
}

}  // namespace covenant::compiler
