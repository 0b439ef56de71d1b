/// Machines that commands drive with a record of what they do, for Python.
#pragma once

#include <pybind11/pybind11.h>
#include <string>
#include <utility>

#include "acg/behaviour/evaluator.h"
#include "acg/behaviour/recorder.h"

namespace covenant::python {

/// Reads the text as it goes and records.
class RecordedEvaluator : public acg::behaviour::Evaluator {
 public:
  explicit RecordedEvaluator(acg::behaviour::Behaviour behaviour)
      : Evaluator(std::move(behaviour)), recorder_(this->behaviour()) {
    record(recorder_);
  }
  const acg::behaviour::Recorder& recorder() const { return recorder_; }

 private:
  acg::behaviour::Recorder recorder_;
};

/// Counts and ranges: lists of tuples, in the order of the text.
pybind11::dict recorded_counts(const RecordedEvaluator& machine);
/// A trace for ui.perfetto.dev with a track for the host's commands and one for each process.
std::string recorded_trace(const RecordedEvaluator& machine);

}  // namespace covenant::python
