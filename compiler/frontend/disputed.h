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

}  // namespace covenant::compiler::frontend
