/// Traits of the codelet of a layer, which passes on layers ask instead of comparing its name.
#pragma once

#include <cstdint>
#include <string_view>

namespace covenant::compiler {

struct NetworkLayer;

/// How a layer sees its tensors.
enum class LayerForm : uint8_t {
  kLanes,      ///< rows of elements, one operand beside the other: also codelets of users
  kPixels,     ///< images, channels last, each pixel by itself
  kWindows,    ///< images, channels last, by windows
  kMatrix,     ///< the rows of a matrix
  kRows,       ///< the rows of [G,M,K]
  kChannels,   ///< images with channels in chunks, and numbers of channels
  kAlongAxis,  ///< one dimension, lanes along another
  kCopy,       ///< any order, from one tensor to another
  kStored,     ///< the dimensions of their storages
};

struct LayerTraits {
  std::string_view codelet;
  LayerForm form = LayerForm::kLanes;
  bool multiplies = false;           ///< matrices; all others work lane by lane
  bool is_by_channels = false;       ///< multiplies channel by channel
  bool sees_images = false;          ///< takes images with padding around them
  bool is_table = false;             ///< looks elements up by their bits, whatever their sign
  bool is_chain = false;             ///< has a codelet of its own, made of its steps
  bool has_row_sums = false;         ///< reads one number `r` for all lanes
  std::string_view by_rows{};        ///< codelet that does the same convolution by rows of the kernel
  std::string_view with_unsigned{};  ///< codelet that does the same with unsigned weights
};

/// Those of the layer's codelet; of codelets that the library does not have: lane by lane.
const LayerTraits& traits(const NetworkLayer& layer);

}  // namespace covenant::compiler
