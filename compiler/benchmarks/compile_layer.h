/// Compiles a benchmark layer: for tests and for `covenant bench`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/program/program.h"
#include "compiler/benchmarks/layers.h"
#include "compiler/driver/embeddings.h"
#include "compiler/driver/explain.h"
#include "compiler/driver/pipeline.h"

namespace covenant::compiler {

/// The program of one layer of the table; the name of its model is that of the layer. Schedules in `options` may be
/// those of the whole table: each layer takes its own. Errors: GEN0040, SCH0010 for a schedule of a layer that is not
/// in the table, and those of `compile_graph`.
///
///     Result<acg::Program> program = compile_layer("DLRM/FC2", *acg::load_machine("dnnweaver"));
Result<acg::Program> compile_layer(std::string_view name, const acg::Machine& machine, const Crop& crop = {},
                                   const CompileOptions& options = {});

/// The layer's weights as in its graph, row-major i8: [heads,K,N] or [out,in,rows,columns]. Error: GEN0040.
Result<std::string> benchmark_weights(std::string_view name);

/// Schedules that the compiler considered for the layer, with the cost model's predictions. Errors: GEN0040, and those
/// of `explain_layer`.
Result<LayerExplanation> explain_benchmark(std::string_view name, const acg::Machine& machine, const Crop& crop = {},
                                           const CompileOptions& options = {});

/// How the layer can be embedded into the machine's instructions. Copies around it are left out. Errors:
/// GEN0040, and those of `layers_of_graph` and `embeddings_of_network`.
Result<std::vector<LayerEmbeddings>> benchmark_embeddings(std::string_view name, const acg::Machine& machine,
                                                          const EmbeddingRequest& request);

/// The result of `pass` for the layer, as text; `pass` is one of `stage_names()` from `normalized` on. Errors: GEN0030,
/// and those of `compile_layer`.
Result<std::string> emit_layer(std::string_view name, const acg::Machine& machine, std::string_view pass,
                               const CompileOptions& options = {});

}  // namespace covenant::compiler
