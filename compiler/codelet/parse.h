/// Parses the text form of codelets. Grammar: docs/reference/codelets.md.
#pragma once

#include <string>
#include <string_view>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// Parses one codelet. Checks syntax only; names and shapes are checked by `verify.h`. Errors: CDL0001 (unexpected
/// text), CDL0002 (unknown dtype or keyword), CDL0003 (number out of range).
Result<Codelet> parse(std::string_view text, const std::string& file_name);

}  // namespace covenant::compiler::codelet
