/// Parts of the package that the modules of SIMD arrays read.
#pragma once

#include <cstdint>
#include <string>

#include "rtl/gen/common/plan.h"

namespace covenant::rtl {

/// Bits that distinguish the element types that words of the machine name.
uint32_t type_bits(const acg::Machine& machine);
/// Widths of elements and what follows from them.
std::string emit_elements(const acg::Machine& machine);
/// `simd_latency`: execute stages of an operation on given types.
std::string emit_latency(const Plan& plan);

}  // namespace covenant::rtl
