/// Names of requantisation kinds, as `Machine.requant` uses them.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/pybind11.h>
#include <string>

#include "acg/base/requantization.h"

namespace covenant::python {

/// Throws ValueError for an unknown name.
inline Requantization requantization_named(const std::string& name) {
  if (const auto known = acg::value_in(kRequantizations, name)) return *known;
  throw pybind11::value_error(
      fmt::format("requant is one of {}: not {}", fmt::join(acg::names_in(kRequantizations), ", "), name));
}

}  // namespace covenant::python
