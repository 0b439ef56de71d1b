/// Results of runs as Python's dictionaries.
#pragma once

#include <pybind11/pybind11.h>
#include <utility>

#include "python/_core/common/arrays.h"
#include "python/_core/families.h"
#include "runtime/session/session.h"

namespace covenant::python {

inline pybind11::dict run_object(runtime::RunResult result) {
  using namespace pybind11::literals;  // pybind11's own idiom for keyword arguments
  pybind11::dict run("outputs"_a = to_arrays(result.outputs), "cycles"_a = result.cost.cycles,
                     "stats"_a = std::move(result.cost.statistics), "trace"_a = result.cost.trace,
                     "records"_a = to_array(result.cost.records));
  add_family_results(run, result.cost.own.get());
  return run;
}

}  // namespace covenant::python
