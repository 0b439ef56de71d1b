/// Calls back into Python from long calls that have released the interpreter lock.
#pragma once

#include <cstdint>
#include <exception>
#include <pybind11/pybind11.h>
#include <string>

#include "runtime/session/rtl_options.h"

namespace covenant::python {

/// A Python function, or None, that reports the progress of a call. Lives in the frame of that call.
///
/// Any exception that Python raises meanwhile (Ctrl-C included) is kept, ends the call and is raised again by
/// `rethrow`.
class Callback {
 public:
  explicit Callback(pybind11::object function) : function_(std::move(function)) {}

  /// Tells Python; false if the call shall end. Must not hold the interpreter lock.
  template <typename... Arguments>
  bool operator()(const Arguments&... arguments) const {
    const pybind11::gil_scoped_acquire held;
    try {
      if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
      if (!function_.is_none()) function_(arguments...);
      return true;
    } catch (...) {
      raised_ = std::current_exception();
      return false;
    }
  }

  /// After the call, before its result is looked at. Must hold the interpreter lock.
  void rethrow() const {
    if (!raised_ && PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  pybind11::object function_;
  mutable std::exception_ptr raised_;
};

/// Options for building a Verilated model, from `covenant.Build.to_core()`: cache, wave, checked, quick, jobs,
/// progress.
class BuildTelling {
 public:
  explicit BuildTelling(const pybind11::dict& build)
      : progress_(build.contains("progress") ? pybind11::object(build["progress"]) : pybind11::none()) {
    if (build.contains("cache")) options_.cache = pybind11::cast<std::string>(build["cache"]);
    if (build.contains("wave")) options_.wave = pybind11::cast<bool>(build["wave"]);
    if (build.contains("checked")) options_.checked = pybind11::cast<bool>(build["checked"]);
    if (build.contains("quick")) options_.quick = pybind11::cast<bool>(build["quick"]);
    if (build.contains("jobs")) options_.jobs = pybind11::cast<uint32_t>(build["jobs"]);
  }
  /// They refer to this object.
  runtime::RtlOptions options() const {
    runtime::RtlOptions options = options_;
    options.progress = [this](const std::string& step, uint32_t done, uint32_t steps) {
      return progress_(step, done, steps);
    };
    return options;
  }
  void rethrow() const { progress_.rethrow(); }

 private:
  runtime::RtlOptions options_;
  Callback progress_;
};

}  // namespace covenant::python
