/// Layers in the QDQ style: DequantizeLinear -> float operator -> (Relu, Clip) -> QuantizeLinear.
#pragma once

#include <optional>
#include <vector>

#include "acg/base/result.h"
#include "compiler/frontend/fused.h"
#include "compiler/srdfg/declared.h"

namespace covenant::compiler::frontend {

/// Who makes and who reads each value of the model.
struct Uses {
  std::vector<std::optional<size_t>> producers;
  std::vector<std::vector<size_t>> consumers;
};

/// The layer that ends with the QuantizeLinear node `quantize`, whose input is no graph input. ONX0014 if what lies
/// before it is not the pattern, ONX0016 if it would have to rescale where no operator does.
/// `declared`: operators that may stand in the middle beside the front end's own.
Result<Layer> match_qdq(const srdfg::Graph& model, const Uses& uses, size_t quantize,
                        const srdfg::DeclaredOperators& declared = {});

}  // namespace covenant::compiler::frontend
