/// How a machine rounds: it declares that by what its nodes can do.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/base/requantization.h"
#include "acg/graph/graph.h"

namespace covenant::acg {

/// Does it scale sums in fixed point: has a node REQUANT_FIXED, and none REQUANT?
bool is_fixed_point(const Machine& machine);

/// In fixed point, does the shift after a product round halves away from zero, by the attribute `half_away` of a SIMD
/// array? Others round them up.
bool rounds_half_away(const Compute& compute);

/// Do its SIMD arrays, all of them or none?
bool rounds_half_away(const Machine& machine);

Requantization requantization(const Machine& machine);

/// What quantised tensors consist of on this machine: the narrow integers that it makes of sums, each once, as
/// declared.
std::vector<DType> element_dtypes(const Machine& machine);

/// Bits of the sums of a systolic array: its attribute `accumulator`, 32 if it says none.
uint32_t accumulator_bits(const Compute& compute);

/// Bits of the sums that its systolic arrays make, all of them alike; 32 without one.
uint32_t accumulator_bits(const Machine& machine);

/// Do the sums of a systolic array stay at the ends of their range, by its attribute `saturates`? Others wrap.
bool saturates(const Compute& compute);

/// Do those of its systolic arrays, all of them or none?
bool saturates(const Machine& machine);

}  // namespace covenant::acg
