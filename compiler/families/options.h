/// Options of a compilation, besides the model and the machine.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "compiler/codelet/codelet.h"
#include "compiler/families/optimisations.h"
#include "compiler/lowerings/makers.h"
#include "compiler/network/stage_text.h"
#include "compiler/network/staged.h"
#include "compiler/schedule/schedule.h"

namespace covenant::compiler {

struct CompileOptions {
  /// Called after every stage with its name and its result.
  std::function<void(std::string_view stage, const StageText& text)> after_stage{};
  /// Ends compiling after this stage (compiler/driver/stages.h) with its text; empty: compiles to the end.
  std::string last_stage{};
  /// Limits the text of the last stage to the layer of this name; empty: the whole.
  std::string last_layer{};
  /// Called when the program is complete, with the place in off-chip memory where each layer leaves its result.
  std::function<void(const std::vector<acg::BlockResult>& results)> after_emission{};
  /// A folder of codelets that implement ONNX operators beyond the front end's own; empty: none. `compile` reads it
  /// into `codelets`.
  std::string library{};
  std::vector<codelet::Codelet> codelets{};
  /// The bytes of the ONNX model, used instead of those in the file; empty: read the file.
  std::string content{};
  /// Layers that can be lowered in this way ("plain", "rows", ...; compiler/lowerings/lowering.h) are, whatever
  /// it costs. Empty: the cost model chooses.
  std::string lowering{};
  /// Makers of the lowerings to choose from.
  LoweringMakers makers = all_makers();
  /// Schedules chosen by the user: these layers are compiled accordingly, and what is left open is searched
  /// (compiler/schedule).
  std::vector<LayerSchedule> schedules{};
  /// Allows fusing a layer with the only reader of its result (compiler/choice/fusion.h).
  bool fusion = true;
  /// Optimisations of code generation. Disabling one is refused (GEN0060) for machines whose family needs it.
  Optimisations optimisations{};
  /// Outputs that are inputs of the next run. The driver checks them, and marks them in the program.
  std::vector<acg::StateTensor> state{};
  /// Threads of the schedule search; 0: as many as the computer has cores. The program does not depend on it.
  size_t threads = 0;
};

/// Reports a stage, and stops compiling if it is the last one. Error: GEN0041 (the last stage has no such layer).
inline Staged<Done> report(const CompileOptions& options, std::string_view stage, const StageText& text) {
  if (options.after_stage) options.after_stage(stage, text);
  if (options.last_stage != stage) return Done{};
  const Result<std::string> rendering = rendered(text, options.last_layer);
  if (!rendering) return rendering.error();
  return Ended{Stopped{options.last_stage, *rendering}};
}

}  // namespace covenant::compiler
