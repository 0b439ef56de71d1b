/// Resolves the values of a machine's parameters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "acg/lang/resolve.h"

namespace covenant::acg::lang {

struct ParameterValues {
  std::map<std::string, int64_t> values;  ///< values of number parameters
  /// Names that expressions may use: `values`, and for each choice of a parameter of names whether it is taken, as
  /// `requant.fixed`.
  std::map<std::string, int64_t> known;
  std::vector<std::string> unlisted;  ///< options at their defaults
  std::string preset;                 ///< the preset in use: requested, or the file's own default; may be empty
};

/// The values of all parameters. Throws Failure: ACG0004, ACG0005 (unknown parameter), ACG0006 (unknown preset),
/// ACG0009..ACG0013.
ParameterValues parameter_values(const MachineSpec& spec, std::string_view preset, const Settings& set);

}  // namespace covenant::acg::lang
