/// Names of operations in covenant_pkg, as those of most unit kinds are formed.
#pragma once

#include <string>

#include "acg/operations/operation.h"

namespace covenant::rtl {

/// "reduce_sum" -> "OpReduceSum".
std::string plain_enumerator(acg::Operation operation);
/// With a prefix that tells it from operations of other units: "OpSimdTrip".
std::string prefixed_enumerator(std::string_view prefix, acg::Operation operation);
/// The full name of an enumerator: yosys resolves names in a package's functions where they are called.
std::string in_package(const std::string& enumerator);

}  // namespace covenant::rtl
