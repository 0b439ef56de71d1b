#include "compiler/network/layer_traits.h"

#include <algorithm>
#include <array>

#include "compiler/network/network.h"

namespace covenant::compiler {
namespace {

constexpr LayerTraits convolution(std::string_view codelet) {
  return {.codelet = codelet, .form = LayerForm::kWindows, .multiplies = true, .sees_images = true};
}

constexpr LayerTraits matrix(std::string_view codelet) {
  return {.codelet = codelet, .form = LayerForm::kMatrix, .multiplies = true};
}

constexpr LayerTraits rows(std::string_view codelet, bool multiplies) {
  return {.codelet = codelet, .form = LayerForm::kRows, .multiplies = multiplies};
}

constexpr LayerTraits form(std::string_view codelet, LayerForm form) { return {.codelet = codelet, .form = form}; }

constexpr LayerTraits images(std::string_view codelet, LayerForm form) {
  return {.codelet = codelet, .form = form, .sees_images = true};
}

constexpr LayerTraits by_channels() {
  LayerTraits made = convolution("conv_channels");
  made.is_by_channels = true;
  return made;
}

/// A product that can be done in other ways.
constexpr LayerTraits with_ways(LayerTraits made, std::string_view by_rows, std::string_view with_unsigned) {
  made.by_rows = by_rows;
  made.with_unsigned = with_unsigned;
  return made;
}

constexpr LayerTraits unsigned_weights(LayerTraits made) {
  made.has_row_sums = true;
  return made;
}

constexpr LayerTraits table() {
  LayerTraits made = images("lookup", LayerForm::kLanes);
  made.is_table = true;
  return made;
}

constexpr LayerTraits chain() {
  LayerTraits made{.codelet = "float_chain"};
  made.is_chain = true;
  return made;
}

constexpr LayerTraits channels() {
  return {.codelet = "channel_sums", .form = LayerForm::kChannels, .multiplies = true, .sees_images = true};
}

constexpr LayerTraits transposition() {
  return {.codelet = "transpose", .form = LayerForm::kStored, .multiplies = true};
}

/// In the order of their names.
constexpr std::array kTraits{
    images("add", LayerForm::kLanes),
    images("add_real", LayerForm::kLanes),
    images("average_pool", LayerForm::kWindows),
    images("average_pool_counts", LayerForm::kWindows),
    images("average_pool_integer", LayerForm::kWindows),
    images("average_pool_integer_counts", LayerForm::kWindows),
    channels(),
    images("clip", LayerForm::kLanes),
    rows("column_sums", true),
    with_ways(convolution("conv"), "conv_rows", "conv_unsigned"),
    by_channels(),
    convolution("conv_grouped"),
    convolution("conv_rows"),
    convolution("conv_rows_sums"),
    with_ways(convolution("conv_sums"), "conv_rows_sums", "conv_sums_unsigned"),
    unsigned_weights(convolution("conv_sums_unsigned")),
    unsigned_weights(convolution("conv_unsigned")),
    form("copy", LayerForm::kCopy),
    chain(),
    with_ways(matrix("gemm"), "", "gemm_unsigned"),
    with_ways(matrix("gemm_sums"), "", "gemm_sums_unsigned"),
    unsigned_weights(matrix("gemm_sums_unsigned")),
    unsigned_weights(matrix("gemm_unsigned")),
    images("global_average_pool", LayerForm::kPixels),
    table(),
    rows("matmul", true),
    rows("matmul_rows", true),
    images("max", LayerForm::kLanes),
    images("max_pool", LayerForm::kWindows),
    images("max_stored", LayerForm::kLanes),
    images("min", LayerForm::kLanes),
    images("min_stored", LayerForm::kLanes),
    images("mul", LayerForm::kLanes),
    images("mul_channels", LayerForm::kPixels),
    images("mul_channels_real", LayerForm::kPixels),
    images("mul_real", LayerForm::kLanes),
    images("normalize_channels", LayerForm::kPixels),
    rows("normalize_rows", false),
    form("reduce_max", LayerForm::kAlongAxis),
    rows("row_deviation", false),
    rows("row_mean", false),
    rows("row_squares", false),
    rows("row_sums", true),
    rows("row_variance", false),
    images("scale_channels", LayerForm::kPixels),
    rows("scale_columns", false),
    rows("scale_rows", false),
    form("softmax_quotient", LayerForm::kAlongAxis),
    form("softmax_sum", LayerForm::kAlongAxis),
    images("to_signed", LayerForm::kLanes),
    transposition(),
};
static_assert(std::ranges::is_sorted(kTraits, {}, &LayerTraits::codelet));

constexpr LayerTraits kOthers{};

}  // namespace

const LayerTraits& traits(const NetworkLayer& layer) {
  const auto* const found =
      std::ranges::lower_bound(kTraits, std::string_view(layer.operation), {}, &LayerTraits::codelet);
  return found != kTraits.end() && found->codelet == layer.operation ? *found : kOthers;
}

}  // namespace covenant::compiler
