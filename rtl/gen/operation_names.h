/// Names of operations in covenant_pkg.
#pragma once

#include <span>
#include <string>

#include "acg/operations/operation.h"

namespace covenant::rtl {

/// "simd_array.reduce_sum" -> "OpReduceSum"; configuration words of the SIMD array keep its name: "OpSimdTrip".
std::string plain_enumerator(acg::Operation operation);
/// Its full name: yosys resolves names in a package's functions where they are called.
std::string enumerator(acg::Operation operation);
/// The operations that this RTL has units for: those of vliw_core, which are the last of the table, are not among them.
std::span<const acg::OperationInfo> built_operations();

}  // namespace covenant::rtl
