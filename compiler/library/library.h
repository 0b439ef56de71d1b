/// The codelets of the compiler's library: `compiler/library/*.cdlt`, compiled in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Names in alphabetical order: "add", "clip", "conv", ...
std::vector<std::string> library_names();

/// The codelet as written in the library, with nothing bound. Error: CDL0070 (no such name in the library).
Result<codelet::Codelet> library_codelet(std::string_view name);

}  // namespace covenant::compiler
