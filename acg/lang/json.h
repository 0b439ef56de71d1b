/// The JSON form of a machine: for exchange with other tools, and inside program files.
#pragma once

#include <string>
#include <string_view>

#include "acg/base/result.h"
#include "acg/graph/graph.h"

namespace covenant::acg {

/// One JSON object; keys in alphabetical order, nodes referred to by name. Lossless: `from_json(to_json(m)) == m`.
/// Equal machines give equal bytes. Layout: docs/reference/acg.md.
std::string to_json(const Machine& machine);

/// The machine that `text` describes, validated. Errors: ACG0029 (not JSON, or not of this form; the subject is the
/// JSON pointer), ACG0003 and ACG0015 (names), and those of `validate`.
Result<Machine> from_json(std::string_view text, std::string_view file_name = "<json>");

}  // namespace covenant::acg
