/// Diagnostics of codelets and passes.
#pragma once

#include <string>
#include <vector>

#include "acg/base/diagnostic.h"

namespace covenant::compiler::codelet {

/// In the order in which a reader meets the parts: code, place, codelet or layer, what is wrong, the value, what would
/// have been right, how to fix it.
Diagnostic diagnose(std::string code, SourceLocation where, std::string subject, std::string message,
                    std::string offending, std::vector<std::string> allowed, std::string fix);

}  // namespace covenant::compiler::codelet
