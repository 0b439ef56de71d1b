/// Layers without a right byte, which are refused: ONNX Runtime's integer kernel makes something else than its float
/// operators, or leaves the range of its numbers.
#pragma once

#include "acg/base/result.h"
#include "compiler/frontends/onnx/window.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// ONX0010 for an average whose last window ends past the padded image and counts pads: float operators divide by the
/// elements inside of image and pads, the kernel by all of the window. A QLinearAveragePool says which it means.
Status check_average(const srdfg::Node& node, const Window& window, bool counts_pads);

/// ONX0012 for a QLinearSoftmax whose kernel multiplies exponentials by more than single precision holds and converts
/// infinity to an element: another one for u8 than for i8. A Softmax between DequantizeLinear and QuantizeLinear has no
/// such step.
Status check_softmax(const srdfg::Node& node, const srdfg::Value& x, const srdfg::Quantization& y);

}  // namespace covenant::compiler::frontend
