#include "compiler/network/stage_text.h"

#include "acg/program/listing.h"
#include "compiler/codelet/print.h"
#include "compiler/network/print.h"
#include "compiler/srdfg/print.h"

namespace covenant::compiler {
namespace {

/// True if the layer is called `name`, or was fused of layers one of which is: `conv1+add`.
bool is_called(const std::string& layer, const std::string& name) {
  return layer == name || ("+" + layer + "+").find("+" + name + "+") != std::string::npos;
}

}  // namespace

Result<std::string> rendered(const StageText& text, const std::string& layer) {
  if (layer.empty()) return text.whole();
  std::string found;
  bool is_there = false;
  for (size_t i = 0; i < text.layers.size(); ++i) {
    if (!is_called(text.layers[i], layer)) continue;
    found += text.of_layer(i);
    is_there = true;
  }
  if (is_there) return found;
  return Diagnostic{"GEN0041", {}, "", "this stage has no such layer", layer, text.layers, "choose one of these"};
}

StageText stage_text(const srdfg::Graph& graph) {
  StageText text{{}, [&] { return srdfg::print(graph); }, [&](size_t node) { return srdfg::print_node(graph, node); }};
  for (const srdfg::Node& node : graph.nodes) text.layers.push_back(node.name);
  return text;
}

StageText stage_text(const Network& network) {
  return {layer_names(network), [&] { return print(network); },
          [&](size_t layer) { return print(network.layers[layer]); }};
}

StageText stage_text(const Network& network, const std::vector<codelet::Codelet>& codelets) {
  const auto of_layer = [&](size_t layer) { return codelet::print(codelets[layer]) + "\n"; };
  const auto whole = [&codelets, of_layer] {
    std::string text;
    for (size_t i = 0; i < codelets.size(); ++i) text += of_layer(i);
    return text;
  };
  return {layer_names(network), whole, of_layer};
}

StageText stage_text(const acg::Program& program) {
  StageText text{{},
                 [&] { return acg::disassemble(program); },
                 [&](size_t block) { return acg::disassemble_block(program, block); }};
  for (const acg::Block& block : program.blocks) text.layers.push_back(block.layer);
  return text;
}

std::vector<std::string> layer_names(const Network& network) {
  std::vector<std::string> names;
  for (const NetworkLayer& layer : network.layers) names.push_back(layer.layer.name);
  return names;
}

}  // namespace covenant::compiler
