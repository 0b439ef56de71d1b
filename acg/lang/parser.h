/// Parses `.acg` text into a MachineSpec, by recursive descent. Grammar: docs/reference/acg.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "acg/lang/include.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// Parses `text` and the files that it includes. Throws Failure: ACG0001, ACG0002 (what was expected), ACG0003 (unknown
/// word), ACG0004 (given twice), ACG0012, ACG0040 (circular includes), ACG0041 (too large), ACG0045 (loops), and the
/// errors of `read`.
MachineSpec parse_spec(std::string_view text, std::string_view file_name, const ReadInclude& read = no_includes);

/// `spec` with its loops run. Throws Failure: as parse_spec, ACG0009..ACG0011, ACG0042 (unknown variable).
MachineSpec expand(const MachineSpec& spec, const std::map<std::string, int64_t>& parameters);

/// Parses one expression that takes up all of `text`: a value given by `--set`.
Expression parse_expression(std::string_view text, std::string_view file_name);

}  // namespace covenant::acg::lang
