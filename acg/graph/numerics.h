/// Numerics of a machine (rounding, scaling, width of sums), as declared by the capabilities and attributes of its
/// nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/base/requantization.h"
#include "acg/graph/graph.h"

namespace covenant::acg {

/// True if the machine scales sums in fixed point: a node has REQUANT_FIXED, and none has REQUANT.
bool is_fixed_point(const Machine& machine);

/// True if the fixed-point shift after a product rounds halves away from zero (attribute `half_away` of a SIMD array).
/// Otherwise it rounds halves up.
bool rounds_half_away(const Compute& compute);

/// The same for the machine: its SIMD arrays agree.
bool rounds_half_away(const Machine& machine);

Requantization requantization(const Machine& machine);

/// Element types of quantised tensors on this machine: the narrow integers to which it scales sums, each once, in the
/// order of declaration.
std::vector<DType> element_dtypes(const Machine& machine);

/// Width in bits of the sums of a systolic array: its attribute `accumulator`, 32 by default.
uint32_t accumulator_bits(const Compute& compute);

/// Width in bits of the sums of the machine's systolic arrays, which all agree; 32 if it has none.
uint32_t accumulator_bits(const Machine& machine);

/// True if the sums of a systolic array saturate (attribute `saturates`). Otherwise they wrap.
bool saturates(const Compute& compute);

/// The same for the machine: its systolic arrays agree.
bool saturates(const Machine& machine);

}  // namespace covenant::acg
