/// The results of compiler stages as text.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"
#include "compiler/network/staged.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// `layers`: the names of the stage's layers; `of_layer` renders one of them.
struct StageText {
  std::vector<std::string> layers;
  std::function<std::string()> whole;
  std::function<std::string(size_t)> of_layer;
};

/// Called after every stage; compiling goes on if it gives a value.
using StageReport = std::function<Staged<Done>(std::string_view stage, const StageText& text)>;

// The arguments must outlive the text.
StageText stage_text(const srdfg::Graph& graph);
/// The network itself; of a layer its part alone.
StageText stage_text(const Network& network);
/// `codelets[i]` is that of `network.layers[i]`.
StageText stage_text(const Network& network, const std::vector<codelet::Codelet>& codelets);
StageText stage_text(const acg::Program& program);

/// The whole text, or the part about the layers called `layer`: by that name, or fused into one. Error: GEN0041 (the
/// stage has no such name).
Result<std::string> rendered(const StageText& text, const std::string& layer);

/// Names of the layers, in their order.
std::vector<std::string> layer_names(const Network& network);

}  // namespace covenant::compiler
