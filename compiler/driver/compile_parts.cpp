#include "compiler/driver/compile_parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "acg/base/check.h"
#include "compiler/binding/declared_codelets.h"
#include "compiler/driver/cut.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/state.h"
#include "compiler/operators/verify.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using srdfg::ValueId;

/// Joins the parts by the names of their tensors, which `cut` has made unique.
void join(const Graph& whole, const std::vector<Graph>& graphs, acg::ProgramParts& parts) {
  std::set<std::string> inputs;
  for (const ValueId id : whole.inputs) inputs.insert(whole.get(id).name);
  std::map<std::string, acg::PartTensor> made;
  for (size_t part = 0; part < graphs.size(); ++part) {
    for (const ValueId id : graphs[part].inputs) {
      const acg::PartTensor tensor{part, graphs[part].get(id).name};
      if (inputs.contains(tensor.tensor)) {
        parts.inputs.push_back({tensor.tensor, tensor});
      } else {
        parts.links.push_back({made.at(tensor.tensor), tensor});
      }
    }
    for (const ValueId id : graphs[part].outputs) {
      const std::string& name = graphs[part].get(id).name;
      made[name] = {part, name};
    }
  }
  for (const ValueId id : whole.outputs) {
    const std::string& name = whole.get(id).name;
    parts.outputs.push_back({name, made.at(name)});
  }
}

}  // namespace

Result<acg::ProgramParts> compile_parts(const Graph& graph, const acg::Machine& machine, const std::vector<Cut>& cuts,
                                        const std::string& model, const CompileOptions& options, Families families) {
  check(options.schedules.empty() && options.last_stage.empty(), "schedules and stages are those of one program");
  if (const Status checked = check_state(graph, options.state); !checked) return checked.error();
  std::vector<std::string> names;
  for (const Cut& one : cuts) names.push_back(one.after);
  const Result<std::vector<Graph>> graphs = cut(graph, names);
  if (!graphs) return graphs.error();
  CompileOptions alone = options;
  alone.state.clear();
  acg::ProgramParts parts{.model = model, .parts = {}, .links = {}, .inputs = {}, .outputs = {}};
  for (size_t i = 0; i < graphs->size(); ++i) {
    const Status verified = operators::verify_normalized((*graphs)[i], declared_operators(options.codelets));
    check(static_cast<bool>(verified), "after cut: " + (verified ? "" : render(verified.error())));
    const acg::Machine& target = i == 0 ? machine : cuts[i - 1].machine;
    Staged<acg::Program> program = compile_graph((*graphs)[i], target, model, alone, families);
    if (!program) return program.error();
    parts.parts.push_back({std::to_string(i + 1), *std::move(program)});
  }
  join(graph, *graphs, parts);
  parts.state = options.state;
  const Status fit = acg::check_parts(parts);
  check(static_cast<bool>(fit), "parts of one graph fit each other: " + (fit ? "" : render(fit.error())));
  return parts;
}

Result<acg::ProgramParts> compile_parts(std::string_view model_path, const acg::Machine& machine,
                                        const std::vector<Cut>& cuts, const CompileOptions& given, Families families) {
  const Result<CompileOptions> options = with_library(given);
  if (!options) return options.error();
  const Staged<Graph> graph = read_model(model_path, *options);
  if (!graph) return graph.error();
  const std::string name(model_path.substr(model_path.find_last_of('/') + 1));
  Result<acg::ProgramParts> parts = compile_parts(*graph, machine, cuts, name, *options, families);
  if (!parts) return in_file(parts.error(), model_path);
  return parts;
}

}  // namespace covenant::compiler
