/// Sinks DequantizeLinear below operators that only move or compare elements, so that these work on stored values.
#pragma once

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// The model with its DequantizeLinear nodes after the movements and MaxPools that they stood before:
///
///     DequantizeLinear -> Transpose -> QuantizeLinear    -->  Transpose of stored values
///     DequantizeLinear -> Reshape -> Transpose -> ...    -->  Reshape, Transpose, then DequantizeLinear -> ...
///     DequantizeLinear (two) -> Concat -> QuantizeLinear -->  covenant.Lookup (each) -> Concat of stored values
///
/// No value changes by that: such an operator makes no new numbers, and quantising is monotone. Where the scale or zero
/// point changes between a DequantizeLinear and its QuantizeLinear, a table says what becomes of each byte; a
/// QLinearConcat is such tables and a Concat. What is not constant or contradicts itself stays as it is.
srdfg::Graph sink_dequantize(const srdfg::Graph& model);

}  // namespace covenant::compiler::frontend
