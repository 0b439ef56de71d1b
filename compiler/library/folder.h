/// Loads a user's folder of codelets (.cdlt files), which extends the library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// The codelets of all `*.cdlt` files of `folder`, in alphabetical order of their files. Each implements an ONNX
/// operator that is neither in `taken` nor implemented by another file, has a name that the library does not have, and
/// verifies. Errors: CDL0071 (no such folder, or no codelet in it), CDL0072 (a name or operator is missing or taken),
/// CDL0073 (not exactly one `out` and at least one `inp`, or a location of a machine), and those of `parse` and
/// `verify`.
Result<std::vector<codelet::Codelet>> load_codelets(std::string_view folder, const std::vector<std::string>& taken);

}  // namespace covenant::compiler
