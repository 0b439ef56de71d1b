/// Text -> MachineSpec, by recursive descent. Grammar: docs/reference/acg.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "acg/lang/include.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// The machine that `text` and what it includes describe. Throws Failure: ACG0001, ACG0002 (what was expected), ACG0003
/// (unknown word), ACG0004 (said twice), ACG0012, ACG0040 (includes in a circle), ACG0041 (too large), ACG0045 (loops),
/// and what `read` gives.
MachineSpec parse_spec(std::string_view text, std::string_view file_name, const ReadInclude& read = no_includes);

/// `spec` with its loops run. Throws Failure: as parse_spec, ACG0009..ACG0011, ACG0042 (unknown variable).
MachineSpec expand(const MachineSpec& spec, const std::map<std::string, int64_t>& parameters);

/// One expression that fills the whole of `text`: a value given by `--set`.
Expression parse_expression(std::string_view text, std::string_view file_name);

}  // namespace covenant::acg::lang
