/// Ways of scaling as `Machine.requant` calls them.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/pybind11.h>
#include <string>

#include "acg/base/requantization.h"

namespace covenant::python {

/// Throws ValueError for a name that is none of them.
inline Requantization requantization_named(const std::string& name) {
  if (const auto known = acg::value_in(kRequantizations, name)) return *known;
  throw pybind11::value_error(
      fmt::format("requant is one of {}: not {}", fmt::join(acg::names_in(kRequantizations), ", "), name));
}

}  // namespace covenant::python
