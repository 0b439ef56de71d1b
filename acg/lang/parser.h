/// Text -> MachineSpec, by recursive descent. Grammar: docs/reference/acg.md.
#pragma once

#include <string_view>

#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// The machine that `text` describes. Throws Failure: ACG0001, ACG0002 (what was expected), ACG0003 (unknown word),
/// ACG0004 (said twice), ACG0012.
MachineSpec parse_spec(std::string_view text, std::string_view file_name);

/// One expression that fills the whole of `text`: a value given by `--set`.
Expression parse_expression(std::string_view text, std::string_view file_name);

}  // namespace covenant::acg::lang
