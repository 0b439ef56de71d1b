#include "compiler/frontends/onnx/load_model.h"

#include "compiler/frontends/onnx/normalize.h"
#include "compiler/frontends/onnx/onnx.h"

namespace covenant::compiler::frontend {

Result<srdfg::Graph> load_model(std::string_view path) {
  Result<srdfg::Graph> model = read_onnx(path);
  if (!model) return model;
  Result<srdfg::Graph> graph = normalize(*model);
  if (graph) return graph;
  Diagnostic diagnostic = graph.error();
  diagnostic.where.file = path;
  return diagnostic;
}

}  // namespace covenant::compiler::frontend
