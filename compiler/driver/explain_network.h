/// Explains how the layers of a model use the instructions of a machine: the embedding (compiler/embedding) that each
/// layer's codelet is, what else was considered, and the embedding of fewest steps, with what stands in its way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/driver/embeddings.h"
#include "compiler/driver/families.h"
#include "compiler/driver/pipeline.h"
#include "compiler/embedding/rules.h"

namespace covenant::compiler {

/// The second best way to do a layer.
struct NextBest {
  std::string lowering;
  uint64_t cycles = 0;    ///< predicted
  bool as_stored = true;  ///< its tensors would not have to lie otherwise
  std::string embedding;  ///< text; empty if it is none
};

struct LayerUse {
  std::string layer;
  std::string codelet;
  std::string lowering;
  uint64_t cycles = 0;        ///< predicted, of the layer by itself
  std::string workload{};     ///< of its codelet; empty if that is none
  std::string compute{};      ///< node that does it
  std::string instruction{};  ///< its axes: `GEMM rows 1 columns 32 inner 32`
  std::optional<ShownEmbedding> taken{};
  std::optional<NextBest> next{};
  std::optional<ShownEmbedding> fewest{};  ///< of the layer as the model has it; only if it takes fewer steps
  bool is_complete = true;                 ///< there is none of fewer steps under the rules
  /// Obstacles to `fewest` on this machine: memories that take no part of a matrix.
  std::vector<std::string> obstacles{};
};

/// All layers in their order, or only the one of this name. Errors: GEN0041 (no layer has it), GEN0031 (the machine's
/// family has no layers), and those of `compile` up to the schedules.
Result<std::vector<LayerUse>> explain_network(std::string_view model_path, const acg::Machine& machine,
                                              const embedding::Rules& rules, std::string_view layer = {},
                                              const CompileOptions& options = {}, Families families = known_families());

}  // namespace covenant::compiler
