/// The passes that families of tiled codelets share, from the normalised graph to tiled codelets, in their order.
#pragma once

#include <string>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "compiler/choice/fusion.h"
#include "compiler/network/network.h"
#include "compiler/schedule/layer_search.h"
#include "compiler/tiled/tiled_target.h"

namespace covenant::compiler {

/// The layers of a graph in the form that suits the target, some of them done by others
/// (compiler/choice/replacements.h). Errors: GEN0020 to GEN0022, NET0030, NET0031.
Result<Network> prepared_layers(const srdfg::Graph& graph, const std::string& model, const TiledTarget& target,
                                LayerSearch& search, const CompileOptions& options);

/// The best lowering of each layer and the best storage of every tensor (compiler/choice/choose_storage.h), with its
/// lifetime. Errors: SCHnnnn (a schedule does not suit the network).
Result<Network> chosen_network(const Network& network, LayerSearch& search, const CompileOptions& options);

/// The part between that and schedules: binds codelets and fuses some of them. Errors: those of `compile_graph`
/// (compiler/driver/pipeline.h) up to there.
Staged<FusedNetwork> fused_network(const Network& chosen, LayerSearch& search, const CompileOptions& options);

/// The program of a network whose storages and lowerings are chosen.
Staged<acg::Program> compile_chosen(const Network& network, const TiledTarget& target, LayerSearch& search,
                                    const CompileOptions& options);

/// A search of schedules by the costs of a target, which must outlive it.
LayerSearch search_for(const TiledTarget& target, const CompileOptions& options);

}  // namespace covenant::compiler
