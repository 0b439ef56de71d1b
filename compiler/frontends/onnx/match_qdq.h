/// Recognises layers in the QDQ style: DequantizeLinear -> float operator -> (Relu, Clip) -> QuantizeLinear.
#pragma once

#include <optional>
#include <vector>

#include "acg/base/result.h"
#include "compiler/frontends/onnx/fused.h"
#include "compiler/srdfg/declared.h"

namespace covenant::compiler::frontend {

/// Producer and consumers of each value of the model.
struct Uses {
  std::vector<std::optional<size_t>> producers;
  std::vector<std::vector<size_t>> consumers;
};

/// The layer that ends with the QuantizeLinear node `quantize`, whose input is not a graph input. Errors: ONX0014 (what
/// precedes it does not match the pattern), ONX0016 (it would have to rescale where no operator does). `declared`:
/// operators besides the front end's own that may be in the middle.
Result<Layer> match_qdq(const srdfg::Graph& model, const Uses& uses, size_t quantize,
                        const srdfg::DeclaredOperators& declared = {});

}  // namespace covenant::compiler::frontend
