#include "python/_core/command_records.h"

#include <vector>

#include "sim/trace/perfetto.h"

namespace covenant::python {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments
using acg::behaviour::Behaviour;
using acg::behaviour::Recorder;
using acg::behaviour::Spread;

namespace {

template <typename Items>
py::list spreads(const Items& items, const std::vector<Spread>& seen) {
  py::list result;
  for (size_t i = 0; i < items.size(); ++i) {
    if (seen[i].count == 0) continue;
    result.append(py::make_tuple(items[i].name, text_of(items[i].type), seen[i].count, seen[i].low, seen[i].high,
                                 seen[i].remarkable));
  }
  return result;
}

}  // namespace

py::dict recorded_counts(const RecordedEvaluator& machine) {
  const Behaviour& behaviour = machine.behaviour();
  const Recorder& recorder = machine.recorder();
  py::list instructions, saturations;
  for (size_t i = 0; i < behaviour.instructions.size(); ++i) {
    const auto& [count, cycles] = recorder.instructions()[i];
    if (count > 0) instructions.append(py::make_tuple(behaviour.instructions[i].name, count, cycles));
  }
  for (const auto& [place, seen] : recorder.saturations()) {
    const auto& [file, line, column] = place;
    saturations.append(py::make_tuple(file, line, column, seen.first, seen.second));
  }
  return py::dict("instructions"_a = instructions, "states"_a = spreads(behaviour.states, recorder.states()),
                  "functions"_a = spreads(behaviour.functions, recorder.functions()), "saturations"_a = saturations,
                  "spans_left_out"_a = recorder.spans_left_out());
}

std::string recorded_trace(const RecordedEvaluator& machine) {
  std::vector<std::string> tracks{"commands"};
  for (const acg::behaviour::Process& process : machine.behaviour().processes) tracks.push_back(process.name);
  std::vector<sim::TraceSlice> slices;
  for (const acg::behaviour::Span& span : machine.recorder().spans()) {
    sim::TraceSlice& slice = slices.emplace_back();
    slice.track = span.track;
    slice.start = span.begin;
    slice.duration = span.cycles;
    slice.name = (span.is_wait ? "for " : "") + span.name;
    slice.block = span.line;
    slice.is_stall = span.is_wait;
  }
  return sim::perfetto_trace(tracks, slices, {});
}

}  // namespace covenant::python
