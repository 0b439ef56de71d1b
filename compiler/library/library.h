/// The codelets that come with the compiler: `compiler/library/*.cdlt`, compiled in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// In alphabetical order: "add", "clip", "conv", ...
std::vector<std::string> library_names();

/// The codelet as written in the library, nothing bound. Error: CDL0070 for a name that the library does not have.
Result<codelet::Codelet> library_codelet(std::string_view name);

}  // namespace covenant::compiler
