/// Layers in the QDQ style: DequantizeLinear -> float operator -> (Relu, Clip) -> QuantizeLinear.
#pragma once

#include <optional>
#include <vector>

#include "acg/base/result.h"
#include "compiler/frontend/fused.h"

namespace covenant::compiler::frontend {

/// Who makes and who reads each value of the model.
struct Uses {
  std::vector<std::optional<size_t>> producers;
  std::vector<std::vector<size_t>> consumers;
};

/// The layer that ends with the QuantizeLinear node `quantize`, whose input is no graph input. ONX0014 if what lies
/// before it is not the pattern, ONX0016 if it would have to rescale where no operator does.
Result<Layer> match_qdq(const srdfg::Graph& model, const Uses& uses, size_t quantize);

}  // namespace covenant::compiler::frontend
