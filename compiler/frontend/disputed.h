/// Where ONNX Runtime disagrees with itself: its integer kernel makes something else than its float operators. No byte
/// is right then, so such layers are refused.
#pragma once

#include "acg/base/result.h"
#include "compiler/frontend/window.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// ONX0010 for an average whose last window ends past the padded image and counts pads: float operators divide by the
/// elements inside of image and pads, the kernel by all of the window. A QLinearAveragePool says which it means.
Status check_average(const srdfg::Node& node, const Window& window, bool counts_pads);

/// ONX0012 for a softmax whose quotients leave single precision before they are divided: the kernel multiplies
/// exponentials by floor(1 / scale), and so does the machine. Elements of `x` that have no table are not looked at.
Status check_softmax(const srdfg::Node& node, const srdfg::Value& x, const srdfg::Quantization& result);

}  // namespace covenant::compiler::frontend
