/// Measures how the layers of a model embed into the instructions of a machine (compiler/embedding).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/driver/pipeline.h"
#include "compiler/embedding/rules.h"

namespace covenant::compiler {

/// Findings of the search for one layer and one instruction.
struct EmbeddedLayer {
  std::string layer;
  std::string compute;      ///< node of the machine whose instruction it is
  std::string instruction;  ///< its axes: `GEMM rows 1 columns 32 inner 32`
  bool is_strict = false;   ///< strict rules have an embedding, too
  uint64_t embeddings = 0;  ///< how many there are under the rules that were asked for
  bool is_complete = true;  ///< both searches have seen all
  uint64_t nodes = 0;       ///< factors that both have tried
  double milliseconds = 0;  ///< processor time of both
  std::string best{};       ///< text of the one of fewest steps, then of least weights; empty: there is none
  std::vector<std::string> relaxations{};  ///< that it needs
  int64_t steps = 0;                       ///< executions of the instruction that it takes
  /// Elements of the packed weights, the least of all embeddings, over those of the one with fewest steps that fills
  /// each axis of the instruction with one axis of the layer, padded. Nothing without constant weights.
  std::optional<double> weights_ratio{};
};

/// For each layer of the model, each instruction of the machine that computes what most of the layer's instances do,
/// in the order of the model and of the machine; layers for which it has none are left out. Layers are those of the
/// model, before a family prepares them, so that machines are compared by the same. Errors: those of `read_model`,
/// `make_layers` and `workload_of_layer`.
Result<std::vector<EmbeddedLayer>> embed_model(std::string_view model_path, const acg::Machine& machine,
                                               const embedding::Rules& rules, const CompileOptions& options = {});

}  // namespace covenant::compiler
