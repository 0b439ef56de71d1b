#include "compiler/lowerings/makers.h"

#include <iterator>

#include "compiler/lowerings/adjacent_outputs.h"
#include "compiler/lowerings/conv_rows.h"
#include "compiler/lowerings/pixel_vectors.h"

namespace covenant::compiler {

std::vector<Lowering> plain_lowerings(const Network& network, const TensorUses& /*uses*/, size_t index,
                                      const acg::Machine& /*machine*/) {
  const NetworkLayer& layer = network.layers.at(index);
  Lowering plain;
  plain.name = layer.lowering;
  plain.maker = "plain";
  plain.operation = layer.operation;
  plain.codelet = layer.codelet;
  plain.params = layer.layer.params;
  return {std::move(plain)};
}

std::vector<Lowering> window_lowerings(const Network& network, const TensorUses& uses, size_t index,
                                       const acg::Machine& machine) {
  std::vector<Lowering> by_rows = conv_row_lowerings(network, uses, index, machine);
  return by_rows.empty() ? adjacent_output_lowerings(network, uses, index, machine) : by_rows;
}

const LoweringMakers& all_makers() {
  static const LoweringMakers makers{plain_lowerings, window_lowerings, pixel_vector_lowerings};
  return makers;
}

std::vector<Lowering> lowerings_of(const LoweringMakers& makers, const Network& network, const TensorUses& uses,
                                   size_t index, const acg::Machine& machine) {
  std::vector<Lowering> result;
  for (const LoweringMaker& maker : makers) {
    std::vector<Lowering> made = maker(network, uses, index, machine);
    result.insert(result.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  }
  return result;
}

}  // namespace covenant::compiler
