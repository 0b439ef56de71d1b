/// The values of a machine's parameters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "acg/lang/resolve.h"

namespace covenant::acg::lang {

struct ParameterValues {
  std::map<std::string, int64_t> values;  ///< of those that are numbers
  /// What expressions may name: `values`, and of a parameter of names whether it has each of them, as `requant.fixed`.
  std::map<std::string, int64_t> known;
  std::vector<std::string> unlisted;  ///< options at their defaults
  std::string preset;                 ///< the one taken: asked for, or the file's own default; may be empty
};

/// Throws Failure: ACG0004, ACG0005 (unknown parameter), ACG0006 (unknown preset), ACG0009..ACG0013.
ParameterValues parameter_values(const MachineSpec& spec, std::string_view preset, const Settings& set);

}  // namespace covenant::acg::lang
