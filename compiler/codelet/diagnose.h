/// Builds diagnostics about codelets and passes.
#pragma once

#include <string>
#include <vector>

#include "acg/base/diagnostic.h"

namespace covenant::compiler::codelet {

/// Arguments in the order in which a reader meets them: code, source location, codelet or layer, message, offending
/// value, allowed values, fix.
Diagnostic diagnose(std::string code, SourceLocation where, std::string subject, std::string message,
                    std::string offending, std::vector<std::string> allowed, std::string fix);

}  // namespace covenant::compiler::codelet
