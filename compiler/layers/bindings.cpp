#include "compiler/layers/bindings.h"

#include <algorithm>
#include <array>

#include "compiler/layers/axis_layers.h"
#include "compiler/layers/chain_layers.h"
#include "compiler/layers/channel_layers.h"
#include "compiler/layers/contraction_layers.h"
#include "compiler/layers/elementwise_layers.h"
#include "compiler/layers/pool_layers.h"
#include "compiler/layers/row_layers.h"

namespace covenant::compiler {
namespace {

struct Binding {
  std::string_view operation;
  LayerBinder bind;
};

/// In the order of their names.
constexpr std::array kBindings{
    Binding{"add", bind_add},
    Binding{"average_pool", bind_average_pool},
    Binding{"channel_sums", bind_channel_sums},
    Binding{"clip", bind_clip},
    Binding{"column_sums", bind_column_sums},
    Binding{"conv", bind_conv},
    Binding{"conv_sums", bind_conv_sums},
    Binding{"div", bind_real_pair},
    Binding{"float_chain", bind_chain},
    Binding{"gemm", bind_gemm},
    Binding{"gemm_sums", bind_gemm_sums},
    Binding{"global_average_pool", bind_global_average_pool},
    Binding{"lookup", bind_lookup},
    Binding{"matmul_stored", bind_matmul_stored},
    Binding{"max", bind_max},
    Binding{"max_pool", bind_max_pool},
    Binding{"min", bind_min},
    Binding{"mul", bind_mul},
    Binding{"normalize_channels", bind_normalize_channels},
    Binding{"normalize_rows", bind_normalize_rows},
    Binding{"reduce_max", bind_reduce_max},
    Binding{"row_deviation", bind_row_deviation},
    Binding{"row_mean", bind_row_mean},
    Binding{"row_squares", bind_row_squares},
    Binding{"row_sums", bind_row_sums},
    Binding{"row_variance", bind_row_variance},
    Binding{"scale_channels", bind_scale_channels},
    Binding{"scale_columns", bind_scale_columns},
    Binding{"softmax_quotient", bind_softmax_quotient},
    Binding{"softmax_sum", bind_softmax_sum},
    Binding{"sub", bind_real_pair},
    Binding{"to_signed", bind_to_signed},
};
static_assert(std::ranges::is_sorted(kBindings, {}, &Binding::operation));

}  // namespace

LayerBinder find_binder(std::string_view operation) {
  const auto* const found = std::ranges::lower_bound(kBindings, operation, {}, &Binding::operation);
  return found != kBindings.end() && found->operation == operation ? found->bind : nullptr;
}

}  // namespace covenant::compiler
