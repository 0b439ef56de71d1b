/// Sums and products: the order of their operands, and operands whose shape is not that of the result.
#pragma once

#include "acg/base/result.h"
#include "compiler/frontends/onnx/fused.h"

namespace covenant::compiler::frontend {

/// Puts operands in the order of compiler/operators/operators.h: `a` of a sum is the inner one; of a product the larger
/// comes first.
void put_in_order(const srdfg::Graph& model, Layer& layer);

/// An operand of a sum or product as a tensor of the output's shape: constants are written out, activations repeated.
/// One factor for each channel stays as it is. Errors: those of `connect`.
Result<srdfg::ValueId> pair_operand(Normalizing& normalizing, const srdfg::Node& core, const Layer& layer,
                                    const Operand& operand);

}  // namespace covenant::compiler::frontend
