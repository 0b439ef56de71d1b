/// Python bindings of explanations of schedules.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>

#include "compiler/benchmarks/compile_layer.h"
#include "compiler/driver/explain.h"
#include "compiler/schedule/pinned.h"
#include "compiler/schedule/splits.h"
#include "python/_core/bind.h"
#include "python/_core/common/compile_options.h"
#include "python/_core/common/errors.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments

py::dict tiles_object(const compiler::ScheduleSearch& search, const compiler::Tiling& tiling) {
  py::dict tiles;
  for (size_t i = 0; i < search.problem.loops.size(); ++i) tiles[py::str(search.problem.loops[i].variable)] = tiling[i];
  return tiles;
}

/// The shared loops of `part` with several iterations, outermost first.
py::list order_object(const compiler::Part& part) {
  py::list order;
  for (size_t i = 0; i < part.problem.shared; ++i) {
    const compiler::TileLoop& loop = part.problem.loops[i];
    if (loop.tiles(part.tiling[i]) > 1) order.append(loop.variable);
  }
  return order;
}

py::dict schedule_object(const compiler::ScheduleSearch& search, const compiler::Schedule& schedule) {
  const std::vector<compiler::Part> parts = compiler::parts_of(search.problem, schedule);
  py::object split = py::none();
  if (schedule.split) {
    const std::vector<std::string> nodes = compiler::nodes_of(parts[1].problem);
    const bool stays = nodes == compiler::nodes_of(parts[0].problem);
    split = py::dict("loop"_a = search.problem.loops[schedule.split->loop].variable, "at"_a = schedule.split->at,
                     "nodes"_a = stays ? std::vector<std::string>{} : nodes,
                     "tiles"_a = tiles_object(search, schedule.split->tiling), "order"_a = order_object(parts[1]));
  }
  py::list engines;
  for (const compiler::EngineCost& engine : schedule.prediction.engines) {
    engines.append(py::dict("name"_a = engine.name, "work"_a = engine.work, "control"_a = engine.control,
                            "stall"_a = engine.stall));
  }
  return py::dict("tiles"_a = tiles_object(search, schedule.tiling), "order"_a = order_object(parts[0]),
                  "split"_a = split, "cycles"_a = schedule.prediction.cycles,
                  "limited_by"_a = schedule.prediction.limited_by, "simulated"_a = schedule.prediction.is_simulated,
                  "engines"_a = engines);
}

py::dict alternative_object(const compiler::Alternative& alternative) {
  py::dict object("lowering"_a = alternative.layer.lowering, "codelet"_a = alternative.layer.operation,
                  "possible"_a = alternative.search.has_value(), "as_stored"_a = alternative.as_stored);
  if (!alternative.search) return object;
  const compiler::ScheduleSearch& search = *alternative.search;
  py::list loops;
  for (const compiler::TileLoop& loop : search.problem.loops) {
    loops.append(py::dict("name"_a = loop.variable, "trips"_a = loop.trips));
  }
  py::list schedules;
  for (const compiler::Schedule& schedule : search.simulated) schedules.append(schedule_object(search, schedule));
  object["loops"] = loops;
  object["candidates"] = search.candidates;
  object["valid"] = search.valid;
  object["stop"] = search.stop == compiler::StopReason::kComplete ? "complete" : "limit of candidates";
  object["schedules"] = schedules;
  return object;
}

py::dict object_of(const compiler::LayerExplanation& explanation) {
  py::list alternatives;
  for (const compiler::Alternative& alternative : explanation.alternatives) {
    alternatives.append(alternative_object(alternative));
  }
  py::list fusions;
  for (const compiler::FusionVerdict& verdict : explanation.fusions) {
    fusions.append(py::dict("producer"_a = verdict.producer, "consumer"_a = verdict.consumer,
                            "fused"_a = verdict.is_fused, "cycles_apart"_a = verdict.cycles_apart,
                            "cycles_together"_a = verdict.cycles_together, "reason"_a = verdict.reason));
  }
  return py::dict("layer"_a = explanation.layer, "alternatives"_a = alternatives, "fusions"_a = fusions,
                  "schedule"_a = explanation.schedule);
}

}  // namespace

void bind_explain(py::module_& core) {
  core.def(
      "explain",
      [](const std::string& model, const acg::Machine& machine, const std::string& layer, const std::string& library,
         const std::string& schedule, const std::string& file, const std::vector<std::string>& without, bool fusion,
         const std::string& content) {
        const compiler::CompileOptions options = options_of(library, schedule, file, without, fusion, content);
        return object_of(value_or_throw(compiler::explain_model(model, machine, layer, options)));
      },
      "model"_a, "machine"_a, "layer"_a, "library"_a = "", "schedule"_a = "", "schedule_file"_a = "",
      "without"_a = std::vector<std::string>{}, "fusion"_a = true, "content"_a = "");
  core.def(
      "explain_benchmark",
      [](const std::string& layer, const acg::Machine& machine, const std::string& schedule, const std::string& file,
         const std::vector<std::string>& without) {
        const compiler::CompileOptions options = options_of("", schedule, file, without);
        return object_of(value_or_throw(compiler::explain_benchmark(layer, machine, {}, options)));
      },
      "layer"_a, "machine"_a, "schedule"_a = "", "schedule_file"_a = "", "without"_a = std::vector<std::string>{});
}

}  // namespace covenant::python
