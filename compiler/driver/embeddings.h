/// Shows how the layers of a model can be embedded into the instructions of a machine (compiler/embedding).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/driver/pipeline.h"
#include "compiler/embedding/layout.h"
#include "compiler/embedding/rules.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Question about the layers of a model.
struct EmbeddingRequest {
  embedding::Rules rules = embedding::relaxed();
  std::string layer{};                                     ///< only this one; empty: all
  size_t most_shown = std::numeric_limits<size_t>::max();  ///< embeddings of each instruction that are given
  std::vector<std::string> texts{};                        ///< if any: these are checked, and none is searched for
};

/// One embedding, and what it takes.
struct ShownEmbedding {
  std::string text;                      ///< `parse_embedding` reads it (compiler/embedding/text.h)
  std::vector<std::string> relaxations;  ///< that it needs
  int64_t steps = 0;                     ///< executions of the instruction
  double utilisation = 0;                ///< part of all places in all steps that is used, 0 to 1
  std::vector<embedding::OperandLayout> operands;
};

ShownEmbedding shown_embedding(const embedding::Embedding& one, const embedding::Workload& workload,
                               const embedding::Instruction& instruction);

/// A text of the request: the embedding that it is, or why it is none (EMB0011).
struct CheckedText {
  std::string text;
  std::optional<ShownEmbedding> embedding{};
  std::optional<Diagnostic> refused{};
};

/// All about one layer and one instruction.
struct InstructionEmbeddings {
  std::string compute;                     ///< node of the machine whose instruction it is
  std::string instruction;                 ///< its axes: `GEMM rows 1 columns 32 inner 32`
  std::string types;                       ///< of its operands: `u8, i8 -> i32`
  int64_t instances = 0;                   ///< of one execution
  uint64_t found = 0;                      ///< embeddings under the rules
  bool is_complete = true;                 ///< there are no others
  uint64_t nodes = 0;                      ///< factors that were tried
  std::vector<ShownEmbedding> best{};      ///< the best first, at most as many as were asked for
  std::optional<Diagnostic> diagnostic{};  ///< EMB0012 unless complete; EMB0010 if there is none
  std::vector<CheckedText> checked{};      ///< for each text of the request
};

struct LayerEmbeddings {
  std::string layer;
  std::string workload;               ///< `acc[n,oh,ow,oc] = GEMM(x[...], w[...])`; empty: the layer is none
  std::string types;                  ///< of its operands: `i8, i8 -> i32`
  std::vector<embedding::Axis> axes;  ///< of the workload
  int64_t instances = 0;
  std::vector<InstructionEmbeddings> instructions;  ///< that compute this on these types; there may be none
  std::optional<Diagnostic> no_workload{};          ///< EMB0001, EMB0002: why the layer is no workload
};

/// For each layer of the network, each instruction of the machine that computes what most of the layer's instances do,
/// in the order of the network and of the machine. Errors: GEN0041 (no layer has the name of the request), and those of
/// `codelet_of` and `scaled_layer`.
Result<std::vector<LayerEmbeddings>> embeddings_of_network(const Network& network, const acg::Machine& machine,
                                                           const EmbeddingRequest& request,
                                                           const CompileOptions& options = {});

/// The same for a model, or for the text of a network. Errors: also those of `read_layers`.
Result<std::vector<LayerEmbeddings>> embeddings_of_model(std::string_view model_path, const acg::Machine& machine,
                                                         const EmbeddingRequest& request,
                                                         const CompileOptions& options = {});

}  // namespace covenant::compiler
