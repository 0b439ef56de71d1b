#include "compiler/frontend/disputed.h"

#include "compiler/frontend/refusal.h"

namespace covenant::compiler::frontend {

Status check_average(const srdfg::Node& node, const Window& window, bool counts_pads) {
  const bool ends_outside = window.added[0] > 0 || window.added[1] > 0;
  if (node.operation != "AveragePool" || !counts_pads || !ends_outside) return Done{};
  return diagnostic({.code = kAttribute,
                     .subject = subject_of(node),
                     .message = "ONNX Runtime's integer kernel and its float operator average a window past the pads "
                                "over different numbers of elements",
                     .offending = "ceil_mode=1, count_include_pad=1",
                     .allowed = {"ceil_mode=0", "count_include_pad=0", "windows that end within the pads"},
                     .fix = "pad so that windows end at the pads: widen pads at the end, with ceil_mode=0"});
}

}  // namespace covenant::compiler::frontend
