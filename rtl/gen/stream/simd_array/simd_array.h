/// The RTL of a SIMD array (docs/reference/units/simd_array.md): covenant_simd_array, which reads and writes one of
/// several memories, by the words of its nest.
#pragma once

#include <memory>
#include <string>

#include "rtl/gen/common/unit_row.h"

namespace covenant::rtl {

std::unique_ptr<Unit> make_simd_array(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan);
PackagePart simd_array_package(const Plan& plan);
/// Its configuration words have names that other units use, too.
std::string simd_array_enumerator(acg::Operation operation);

}  // namespace covenant::rtl
